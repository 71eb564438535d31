// --- keys, clicks, and the start -----------------------------------------------------------------------------------------

const isTyping = () => ["TEXTAREA", "SELECT"].includes(document.activeElement?.tagName)
  || document.activeElement?.matches("input:not([type=radio])");

function wants(event) {
  if (isTyping() && !keys.length) return event.key === "Escape" || event.key === "Enter" && (event.ctrlKey || event.metaKey);
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && !event.key.startsWith("Page")) return false;
  if (event.key === "Enter") {
    const focused = document.activeElement;
    return !["A", "BUTTON", "SUMMARY"].includes(focused?.tagName) || focused.id === "save" || focused.id === "go-on";
  }
  if (event.key === "PageDown" || event.key === "PageUp") return $("text").scrollHeight > $("text").clientHeight;
  return /^[0-9a-zT?]$/.test(event.key) || keys.length > 0 && event.key.length === 1 || event.key === "Escape";
}

function act(key, isForced) {
  const action = {
    u: undo, p: at === null ? goOn : overview, s: sheet ? download : undefined,
    Enter: at === null ? goOn : save, Escape: at === null ? goOn : () => $("save").focus(), "?": showKeys,
  };
  const atWork = {
    c: note, r: () => raw(), o: openAll, T: rest, h: () => quote(current ?? asked().at(-1)),
    PageDown: () => scroll(1), PageUp: () => scroll(-1),
  };
  if (isTyping() && !isForced && key.length === 1) document.activeElement.value += key; // typed ahead of the page
  else if (action[key]) action[key]();
  else if (at !== null) (atWork[key] ?? (() => choose(key)))();
}

function showKeys() {
  $("keys").hidden = !$("keys").hidden;
  $("keys-open").setAttribute("aria-expanded", !$("keys").hidden);
}

function showWhole(button) {
  const isOpen = button.previousElementSibling.classList.toggle("open");
  button.setAttribute("aria-expanded", isOpen);
  button.textContent = isOpen ? "Show less" : "Show all";
}

function openAll() {
  for (const button of $("response").querySelectorAll(".open-all")) button.click();
}

function scroll(pages) {
  $("text").scrollBy({ top: pages * $("text").clientHeight * 0.9 });
}

function drain() {
  while (isReady && !isBlocked && keys.length) act(...keys.shift());
}

document.addEventListener("keydown", (event) => {
  if (isBlocked || !wants(event)) return;
  event.preventDefault();
  keys.push([event.key, event.ctrlKey || event.metaKey]);
  drain();
});
document.addEventListener("focusin", (event) => {
  const inside = event.target.closest?.("fieldset");
  if (inside && at !== null) mark(inside);
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) spent += performance.now() - since;
  since = performance.now();
});
$("questions").addEventListener("submit", (event) => { event.preventDefault(); if (isReady) save(); });
$("questions").addEventListener("click", (event) => {
  const fieldset = event.target.closest("fieldset");
  if (event.target.matches("input[type=radio]") && event.isTrusted) {
    keepDraft();
    tick();
    const isPointed = event.screenX !== 0 || event.screenY !== 0 || event.detail > 0;
    if (isPointed) { mark(fieldset); moveOn(); }
  }
  if (event.target.closest(".chip")) goTo(fieldsets[event.target.closest(".chip").dataset.place]);
  if (event.target.closest(".whole")) showWhole(event.target);
  if (event.target.closest(".unquote")) { delete quotes[nameOf(fieldset)]; passage(fieldset); mark(fieldset); keepDraft(); }
});
$("questions").addEventListener("input", (event) => { if (!event.target.matches("input[type=radio]")) keepDraft(); });
$("note-open").addEventListener("click", () => ($("note-box").hidden ? note() : showNote(Boolean($("note").value))));
$("quote").addEventListener("click", () => quote(current ?? asked().at(-1)));
$("keys-open").addEventListener("click", showKeys);
$("undo").addEventListener("click", undo);
$("overview-link").addEventListener("click", () => at === null ? goOn() : overview());
$("go-on").addEventListener("click", goOn);
$("raw").addEventListener("click", () => raw());
$("rest").addEventListener("click", rest);
$("filter").addEventListener("change", list);
$("download")?.addEventListener("click", download);
$("continue")?.addEventListener("change", (event) => goOnFrom(event.target.files[0]));
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
window.addEventListener("beforeunload", (event) => {
  if (!isBlocked && (sheet ? !isSaved : outbox.length)) event.preventDefault();
});

async function start() {
  if (sheet && await isOpenElsewhere())
    return problem({ title: "This sheet is open in another tab.", text: "Go on there, or", retry: begin,
      button: "use it here" });
  return begin();
}

function begin() {
  takeUp();
  if (sheet) {
    tryStoring(`${store} tab`, tab);
    window.addEventListener("storage", ({ key, newValue }) => {
      if (key === `${store} ask`) tryStoring(`${store} here`, newValue);
      if (key === `${store} tab` && newValue && newValue !== tab)
        problem({ title: "This sheet was opened in another tab.", text: "Go on there; nothing more is kept here.", block: true });
    });
    window.addEventListener("pagehide", () => {
      if (!isBlocked && stored(`${store} tab`) === tab) localStorage.removeItem(`${store} tab`);
    });
  }
  const place = steps.findIndex(isDrafted);
  if (place >= 0) show(place);
  else goOn();
}

start();
