// Reading outputs and noting what is wrong, by keyboard; grouping the notes. The page that the server sends and the sheet
// that works as a file differ in where outputs come from and where notes go, and in nothing else.
const data = JSON.parse(document.getElementById("data").textContent);
const { steps, sheet } = data;
const cache = new Map(Object.entries(data.units ?? {}));
const AHEAD = 5; // outputs fetched before they are needed
let modes = data.modes;
let slots = modes.map((mode) => mode.name); // the mode of each number key, which it keeps while the page is open
let isAdding = false; // after +: the next number puts a note into one more mode, where it would move it
let view = data.view;
let isReady = false; // keys wait in `keys` until the output they are meant for is shown
const keys = [];

async function html(unit) {
  if (!cache.has(unit)) {
    const answer = await fetch(`unit/${unit}`);
    if (!answer.ok) throw new Error("the server doesn’t answer");
    cache.set(unit, await answer.text());
  }
  return cache.get(unit);
}

function only(id) {
  for (const name of ["work", "grouping", "overview"]) $(name).hidden = name !== id;
  for (const list of $("keys").querySelectorAll("dl")) list.hidden = list.dataset.view !== view;
}

function raw(isRaw = $("raw").getAttribute("aria-pressed") !== "true") {
  $("raw").setAttribute("aria-pressed", isRaw);
  for (const part of $("response").querySelectorAll(".rendered")) part.hidden = isRaw;
  for (const part of $("response").querySelectorAll(".raw")) part.hidden = !isRaw;
}

function openAll() {
  for (const button of $("response").querySelectorAll(".open-all")) button.click();
}

async function showOutput(unit, heading, title) {
  isReady = false;
  try {
    await html(unit);
  } catch {
    problem({ title: "The output can’t be loaded.", text: "The server doesn’t answer. Everything saved before is kept.",
      retry: () => showOutput(unit, heading, title).then(drain) });
    return false;
  }
  only("work");
  $("place").textContent = heading;
  $("title").textContent = title;
  $("response").innerHTML = cache.get(unit);
  raw(false);
  selected = "";
  $("text").scrollTop = 0;
  window.scrollTo(0, 0);
  $("text").focus({ preventScroll: true });
  isReady = true;
  return true;
}

// --- questions in a dialog -------------------------------------------------------------------------------------------

let settle = null;

// Ask for a line of text; `names` are listed as they match, and Enter takes the one that is selected.
function askFor(title, label, { value = "", names = null, note = "", choices = ["OK"] } = {}) {
  return new Promise((resolve) => {
    settle = (answer) => { settle = null; $("dialog").close(); resolve(answer); };
    $("dialog-title").textContent = title;
    $("dialog-label").textContent = label;
    $("dialog-note").textContent = note;
    $("dialog-input").value = value;
    let place = 0;
    const matching = () => (names ?? []).filter((name) => name.toLowerCase().includes($("dialog-input").value.toLowerCase()));
    const list = () => $("dialog-list").replaceChildren(...matching().map((name, n) => {
      const item = make("li", name);
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", n === place);
      item.addEventListener("click", () => settle({ text: name, choice: 0 }));
      return item;
    }));
    $("dialog-list").setAttribute("role", names ? "listbox" : "none");
    if (names) $("dialog-list").setAttribute("aria-label", "Modes");
    list();
    $("dialog-input").oninput = () => { place = 0; list(); };
    $("dialog-input").onkeydown = (event) => {
      if (["ArrowDown", "ArrowUp"].includes(event.key) && names) {
        event.preventDefault();
        place = Math.max(0, Math.min(matching().length - 1, place + (event.key === "ArrowDown" ? 1 : -1)));
        list();
      }
    };
    const answer = (choice) => settle({ text: (names ? matching()[place] : null) ?? $("dialog-input").value.trim(), choice });
    $("dialog-form").onsubmit = (event) => { event.preventDefault(); answer(0); };
    $("dialog-actions").replaceChildren(...choices.map((words, choice) => {
      const button = make("button", words, { type: choice ? "button" : "submit", className: choice ? "quiet" : "save" });
      if (choice) button.addEventListener("click", () => answer(choice));
      return button;
    }));
    $("dialog").showModal();
    $("dialog-input").focus();
    $("dialog-input").select();
  });
}

$("dialog").addEventListener("cancel", (event) => { event.preventDefault(); settle?.(null); });
$("reader-close").addEventListener("click", () => $("reader").close());
