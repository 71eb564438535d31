// --- the sheet: notes stay in this browser, and in a file ---------------------------------------------------------------

let isSaved = true;

function keepSheet() {
  isSaved = false;
  const readings = Object.fromEntries(steps.filter((step) => step.reading).map((step) => [step.unit, step.reading]));
  try {
    localStorage.setItem(sheet.key, JSON.stringify({ readings, order: order.map((place) => steps[place].unit) }));
    saved("Kept in this browser");
  } catch {
    saved("Not kept");
    problem({ title: "This browser keeps nothing.", text: "Save the file often: closing or reloading the page loses the rest.",
      retry: download, button: "Save the file now" });
  }
}

function takeUp() {
  let kept = null;
  try { kept = JSON.parse(localStorage.getItem(sheet.key) ?? "null"); } catch { return; }
  for (const step of steps) step.reading = kept?.readings[step.unit] ?? step.reading;
  order.length = 0;
  for (const unit of kept?.order ?? []) {
    const place = steps.findIndex((step) => step.unit === unit);
    if (place >= 0) order.push(place);
  }
}

function download() {
  keepNow();
  const lines = [...order.map((place) => steps[place]), ...steps.filter((step) => step.reading?.read === "open")].map(({ unit, chosen, reading: said }) =>
    JSON.stringify({ id: sheet.ids[unit], rater: data.rater, kind: "human", at: said.at, ...said.seconds !== null && { seconds: said.seconds },
      ...said.pass !== null && { pass: said.pass }, read: said.read, for: said.listed, ...chosen && { chosen: true }, notes: said.notes }));
  const link = make("a", "", { download: sheet.file, href: URL.createObjectURL(new Blob([`${[JSON.stringify(sheet.head), ...lines].join("\n")}\n`], { type: "application/json" })) });
  document.body.append(link);
  link.click();
  link.remove();
  isSaved = true;
  saved("File saved");
}

// --- keys, clicks, and the start -----------------------------------------------------------------------------------------

const isTyping = () => document.activeElement?.matches("textarea, input") && !keys.length;
const isAsking = () => $("dialog").open || $("reader").open;

const atReading = {
  g: () => judge(true), b: () => judge(false), n: () => openNote(), h: markAndNote, "/": findMode, "+": addNext, Enter: () => finish("noted"),
  f: () => finish("in full"), t: () => finish("unclear"), u: undo, m: showGrouping, p: () => { keepNow(); overview(); }, r: () => raw(),
  o: openAll, s: () => sheet && download(), "?": showKeys,
};
const atAgain = { y: () => answerAgain("there"), n: () => answerAgain("not there"), t: () => answerAgain("can't tell"),
  u: undoAgain, r: () => raw(), o: openAll, "?": showKeys };
const atRecode = { Enter: saveRecode, r: () => raw(), "?": showKeys };
const atOverview = { Enter: goOn, p: goOn, Escape: goOn, u: undo, m: showGrouping, s: () => sheet && download(), "?": showKeys };

function actions() {
  if (!$("overview").hidden) return view === "read" ? atOverview : { "?": showKeys };
  return { read: atReading, again: atAgain, group: { ...grouping, "?": showKeys }, recode: atRecode }[view];
}

function act(key) {
  const action = actions()[key];
  if (action) return action();
  if (!/^[1-9]$/.test(key) || !$("overview").hidden) return undefined;
  const name = slots[Number(key) - 1];
  if (view === "read" && name) return putInto(name);
  if (view === "group") return toggle(name);
  if (view === "recode" && name) return recodeInto(name);
  return undefined;
}

function wants(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const focused = document.activeElement;
  if (event.key === "Enter" && ["A", "BUTTON", "SUMMARY"].includes(focused?.tagName))
    return focused.id === "save" || focused.classList.contains("card");
  return event.key.length === 1 && event.key !== " " || event.key === "Enter" || view === "group" && event.key.startsWith("Arrow");
}

function showKeys() {
  $("keys").hidden = !$("keys").hidden;
  $("keys-open").setAttribute("aria-expanded", !$("keys").hidden);
}

function drain() {
  while (isReady && !isBlocked && keys.length && !isAsking()) act(keys.shift());
}

document.addEventListener("keydown", (event) => {
  if (isBlocked || isAsking()) return;
  if (document.activeElement === $("note")) {
    if (event.key === "Escape") { event.preventDefault(); finishNote({ another: false }); }
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); if ($("note").value.trim() || markedQuote) finishNote({ another: true }); else finishNote({ another: false }); }
    return;
  }
  if (isTyping() || !wants(event)) return;
  event.preventDefault();
  keys.push(event.key);
  drain();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) { spent += performance.now() - since; keepNow(); }
  since = performance.now();
});
$("note").addEventListener("input", keepSoon);
$("good").addEventListener("click", () => judge(true));
$("bad").addEventListener("click", () => judge(false));
$("save").addEventListener("click", () => (view === "recode" ? saveRecode() : finish("noted")));
$("in-full").addEventListener("click", () => finish("in full"));
$("unclear").addEventListener("click", () => finish("unclear"));
$("note-open").addEventListener("click", () => openNote());
$("quote").addEventListener("click", markAndNote);
$("undo").addEventListener("click", undo);
$("keys-open").addEventListener("click", showKeys);
$("raw").addEventListener("click", () => raw());
$("go-on").addEventListener("click", goOn);
$("overview-link").addEventListener("click", () => { keepNow(); overview(); });
$("group-link")?.addEventListener("click", showGrouping);
$("read-link").addEventListener("click", goOn);
$("group-actions").addEventListener("click", (event) => {
  const key = event.target.closest("button")?.dataset.key;
  if (key) act(key);
});
$("group-undo").addEventListener("click", () => change({ do: "undo" }));
$("there").addEventListener("click", () => answerAgain("there"));
$("not-there").addEventListener("click", () => answerAgain("not there"));
$("cannot-tell").addEventListener("click", () => answerAgain("can't tell"));
$("download")?.addEventListener("click", download);
$("reader").addEventListener("close", () => { focusCard(); drain(); });
$("dialog").addEventListener("close", () => setTimeout(drain));
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
window.addEventListener("beforeunload", (event) => {
  keepNow();
  if (!isBlocked && (sheet ? !isSaved : outbox.length)) event.preventDefault();
});

if (sheet) takeUp();
if (view === "group") showGrouping();
else if (view === "again") showAgain();
else if (view === "recode") showRecode();
else goOn();
