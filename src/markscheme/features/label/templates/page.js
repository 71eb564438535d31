// One script for the page that the server sends and for the sheet that works as a file: they differ in where responses
// come from and where answers go (`html` and `deliver`), and in nothing else.
const data = JSON.parse(document.getElementById("data").textContent);
const { steps, criteria, order, sheet } = data;
const fieldsets = [...document.querySelectorAll("fieldset")];
const cache = new Map(Object.entries(data.units ?? {}));
const AHEAD = 5; // responses fetched before they are needed
let at = null; // the step that is shown; null on the overview
let current = null; // the criterion that keys answer; null when all have an answer
let quotes = {}; // passages marked, by criterion
let isReady = false; // keys wait in `keys` until the response they are meant for is shown
let spent = 0, since = performance.now();
const keys = [];

const nameOf = (fieldset) => criteria[fieldset.dataset.place];
const asked = () => fieldsets.filter((fieldset) => !fieldset.hidden);
const chosen = (fieldset) => fieldset.querySelector("input:checked");
const chips = [...document.querySelectorAll(".chip")];
const nameOfStep = ({ query, response }) => query || response;
const nextOpen = () => steps.findIndex((step) => step.answer === null);

// --- what is shown ---------------------------------------------------------------------------------------------------

async function html(unit) {
  if (!cache.has(unit)) {
    const answer = await fetch(`unit/${unit}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    cache.set(unit, text);
  }
  return cache.get(unit);
}

async function show(place, taken = null, says = "") {
  at = place;
  const { unit } = steps[place];
  if (!cache.has(unit)) {
    isReady = false;
    try {
      await html(unit);
    } catch (error) {
      problem(error.message.startsWith("{") ? JSON.parse(error.message) : { title: "The response can’t be loaded",
        text: "The server doesn’t answer. Everything saved before is kept.", retry: () => show(place, taken, says) });
      return;
    }
    if (at !== place || isBlocked) return;
  }
  $("overview").hidden = true;
  $("work").hidden = false;
  const resumed = taken === null && isDrafted(steps[place]) ? draft : null;
  fill(place, taken ?? resumed ?? steps[place].answer ?? { answers: {}, quotes: {}, reasons: {}, note: "" });
  status(resumed ? "You started this one. It isn’t saved yet." : says);
  header();
  spent = 1000 * (resumed?.seconds ?? 0);
  since = performance.now();
  if (taken) keepDraft();
  isReady = true;
  for (const step of steps.slice(place + 1).filter((one) => one.answer === null).slice(0, AHEAD))
    html(step.unit).catch(() => {});
  drain();
}

function fill(place, answer) {
  const step = steps[place];
  const done = order.indexOf(place);
  $("place").textContent = `${data.noun} ${(done < 0 ? order.length : done) + 1} of ${steps.length}`;
  $("title").textContent = nameOfStep(step);
  $("response").innerHTML = cache.get(step.unit);
  raw(false);
  quotes = { ...answer.quotes };
  selected = "";
  $("note").value = answer.note;
  showNote(Boolean(answer.note));
  $("save").firstElementChild.textContent = steps.every((other, n) => n === place || other.answer !== null)
    ? "Save, done" : "Save, next";
  if ($("first")) {
    $("first").hidden = order.length > 0;
    $("first").open = window.innerWidth >= 960; // on a phone the response comes first
  }
  for (const fieldset of fieldsets) {
    const turn = step.criteria.indexOf(Number(fieldset.dataset.place));
    fieldset.hidden = turn < 0;
    for (const input of fieldset.querySelectorAll("input[type=radio]"))
      input.checked = answer.answers[nameOf(fieldset)] === input.value;
    const why = fieldset.querySelector(".why input");
    if (why) why.value = answer.reasons[nameOf(fieldset)] ?? "";
    voices(fieldset, step.given[turn] ?? []);
    wordings(fieldset, step.before[turn] ?? null);
    passage(fieldset);
  }
  mark(asked().find((fieldset) => !chosen(fieldset)) ?? asked()[0]);
  $("questions-list").scrollTop = 0;
  $("text").scrollTop = 0;
  window.scrollTo(0, 0);
  $("text").focus({ preventScroll: true });
}

function voices(fieldset, given) {
  const box = fieldset.querySelector(".voices");
  if (!box) return;
  box.hidden = given.length === 0;
  const anchors = fieldset.querySelector(".anchors").content.cloneNode(true);
  const words = make("div", "", { className: "words", hidden: anchors.childElementCount === 0 });
  words.append(anchors);
  const said = given.map((voice, place) => {
    const one = make("div", make("p", `Annotator ${place + 1}: `), { className: "voice" });
    one.firstChild.append(make("strong", voice.label));
    if (voice.reason) one.append(make("p", voice.reason));
    if (voice.quote) one.append(make("blockquote", voice.quote));
    return one;
  });
  box.replaceChildren(...said.slice(0, Math.ceil(said.length / 2)), words, ...said.slice(Math.ceil(said.length / 2)));
}

function wordings(fieldset, before) {
  const box = fieldset.querySelector(".wordings");
  if (!box) return;
  box.hidden = before === null;
  fieldset.querySelector(".requirement").hidden = before !== null;
  const words = before && before.text ? [before.text, ...before.levels] : ["These words aren’t recorded."];
  box.querySelector(".old div").replaceChildren(...words.map((text) => make("p", text)));
}

function mark(fieldset) {
  current = fieldset;
  if (fieldset) {
    for (const other of fieldsets) other.classList.toggle("current", other === fieldset);
    const given = steps[at]?.given[steps[at].criteria.indexOf(Number(fieldset.dataset.place))] ?? [];
    markPassages([[$("response"), [quotes[nameOf(fieldset)], ...given.map((voice) => voice.quote)].filter(Boolean)]]);
  }
  tick();
}

// The list of criteria: which are answered, and which is next.
function tick() {
  for (const chip of chips) {
    const fieldset = fieldsets[chip.dataset.place], isDone = Boolean(chosen(fieldset));
    chip.parentElement.hidden = fieldset.hidden;
    chip.classList.toggle("done", isDone);
    chip.querySelector(".tick").textContent = isDone ? "✓" : asked().indexOf(fieldset) + 1;
    chip.querySelector(".state").textContent = isDone ? ", answered" : ", open";
    if (fieldset === current) chip.setAttribute("aria-current", "true");
    else chip.removeAttribute("aria-current");
  }
}

function goTo(fieldset) {
  mark(fieldset);
  (chosen(fieldset) ?? fieldset.querySelector("input")).focus({ preventScroll: true });
  fieldset.scrollIntoView({ block: fieldset.offsetHeight > $("questions-list").clientHeight ? "start" : "nearest" });
}

function passage(fieldset) {
  const quote = quotes[nameOf(fieldset)];
  fieldset.querySelector("q").textContent = quote ?? "";
  fieldset.querySelector(".passage").hidden = !quote;
}

function showNote(isShown) {
  $("note-box").hidden = !isShown;
  $("note-open").setAttribute("aria-expanded", isShown);
}

function note() {
  showNote(true);
  $("note").focus();
}

function raw(isRaw = $("raw").getAttribute("aria-pressed") !== "true") {
  $("raw").setAttribute("aria-pressed", isRaw);
  for (const part of $("response").querySelectorAll(".rendered")) part.hidden = isRaw;
  for (const part of $("response").querySelectorAll(".raw")) part.hidden = !isRaw;
}

function header() {
  $("bar").value = order.length;
  $("count").textContent = `${order.length} of ${steps.length} labelled`;
  $("undo").hidden = order.length === 0 || at === null;
  const times = order.slice(-20).map((place) => steps[place].answer.seconds).filter((time) => time).sort((a, b) => a - b);
  const pace = times[Math.floor(times.length / 2)];
  const left = steps.length - order.length;
  $("pace").textContent = times.length < 3 || !left ? "" : `· ${Math.round(pace)} s each, about ${
    pace * left < 90 ? `${Math.ceil(pace * left)} s` : `${Math.ceil(pace * left / 60)} min`} left`;
}

// --- answering -------------------------------------------------------------------------------------------------------

function moveOn() {
  const next = asked()[asked().indexOf(current) + 1];
  if (next) return goTo(next);
  mark(null);
  $("save").focus();
}

function choose(key) {
  const input = [...current?.querySelectorAll("input[type=radio]") ?? []].find((one) => one.dataset.key === key);
  if (!input) return;
  input.checked = true;
  keepDraft();
  moveOn();
}

function rest() {
  for (const fieldset of asked()) {
    const wayOut = fieldset.querySelector("input[value=t]");
    if (wayOut && !chosen(fieldset)) wayOut.checked = true;
  }
  keepDraft();
  const open = asked().find((fieldset) => !chosen(fieldset));
  if (open) return goTo(open);
  mark(null);
  $("save").focus();
}

function quote(fieldset) {
  noteSelection(); // the event may come after the key
  if (!selected) return status("Select a passage of the text first.");
  quotes[nameOf(fieldset)] = selected.slice(0, 2000);
  passage(fieldset);
  mark(fieldset);
  keepDraft();
}

function answered() {
  const entries = (value) => Object.fromEntries(asked().map((one) => [nameOf(one), value(one)]).filter(([, said]) => said));
  return {
    answers: entries((one) => chosen(one)?.value),
    reasons: entries((one) => one.querySelector(".why input")?.value.trim()),
    quotes: entries((one) => quotes[nameOf(one)]),
    note: $("note").value,
    seconds: data.timed ? Math.round((spent + performance.now() - since) / 100) / 10 : null,
  };
}

function save() {
  const open = asked().filter((fieldset) => !chosen(fieldset));
  if (open.length) {
    status(`Not saved yet: ${open.length} of ${plural(asked().length, "criterion", "criteria")} still ${
      open.length === 1 ? "needs" : "need"} an answer.`);
    mark(open[0]);
    open[0].querySelector("input").focus();
    return;
  }
  const step = steps[at], revises = step.answer !== null;
  step.answer = { ...answered(), at: new Date().toISOString() };
  if (revises) order.splice(order.indexOf(at), 1);
  order.push(at);
  deliver("give", { unit: step.unit, revises, ...step.answer });
  goOn();
}

function undo() {
  if (!order.length) return;
  const place = order.pop(), taken = steps[place].answer;
  steps[place].answer = null;
  deliver("undo", { unit: steps[place].unit });
  show(place, taken, "Taken back. This is what you had chosen: change it, and save again.");
}

function goOn() {
  const next = nextOpen();
  if (next < 0) overview();
  else show(next);
}

// --- the overview: progress, what is done, and the end ---------------------------------------------------------------

async function overview() {
  at = null;
  current = null;
  isReady = true;
  header();
  const isDone = nextOpen() < 0;
  $("work").hidden = true;
  $("overview").hidden = false;
  $("overview-title").textContent = isDone ? "All labelled. Thank you!" : "Progress";
  $("labelled").textContent = `${order.length} of ${steps.length} ${$("pace").textContent}`;
  const said = order.flatMap((place) => Object.values(steps[place].answer.answers));
  $("declined").textContent = plural(said.filter((answer) => answer === "t").length, "time");
  $("go-on").hidden = isDone;
  list();
  (isDone ? $("overview-title") : $("go-on")).focus();
  ending(isDone);
  if (sheet) return;
  await send();
  const answer = await fetch("progress").catch(() => null);
  if (answer?.ok) $("more").innerHTML = await answer.text();
}

function ending(isDone) {
  if (!isDone) $("end").replaceChildren();
  else if (sheet) $("end").replaceChildren("Save the file and send it to the person who invited you. They take it in with ", make("code",
    sheet.taken_in_by));
  else $("end").replaceChildren("Everything is saved; you can close this page.");
}

const shownAnswer = (name, value) =>
  fieldsets.find((fieldset) => nameOf(fieldset) === name).querySelector(`input[value="${value}"]`)?.dataset.name ?? value;

function list() {
  const [kind, name, value] = JSON.parse($("filter").value || "[null]") ?? [];
  const kept = order.filter((place) => kind !== "note" || steps[place].answer.note)
    .filter((place) => kind !== "answer" || steps[place].answer.answers[name] === value);
  $("list").replaceChildren(...kept.map((place) => {
    const { answers, note: remark } = steps[place].answer;
    const labels = Object.entries(answers).map(([name, answer]) => `${name}: ${shownAnswer(name, answer)}`).join("; ");
    const open = make("button", "", { type: "button", className: "quiet entry" });
    open.append(make("b", nameOfStep(steps[place])), ...(steps[place].query ? [make("span", steps[place].response)] : []),
      make("span", labels + (remark ? ` – ${remark.slice(0, 60)}` : ""), { className: "answers" }));
    open.addEventListener("click", () => show(place, null, "Labelled before: change it, and save again."));
    const entry = make("li", open);
    entry.value = order.indexOf(place) + 1;
    return entry;
  }));
}

$("filter").replaceChildren(make("option", "all", { value: "" }), make("option", "with a note", { value: '["note"]' }),
  ...fieldsets.flatMap((fieldset) => [...fieldset.querySelectorAll("input[type=radio]")].map((input) => make("option",
    `${nameOf(fieldset)}: ${input.dataset.name}`, { value: JSON.stringify(["answer", nameOf(fieldset), input.value]) }))));

function deliver(place, body) {
  draft = null;
  if (sheet) return keep();
  write();
  post(place, body);
}
