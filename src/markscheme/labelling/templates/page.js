"use strict";
// One script for the page that the server sends and for the sheet that works as a file: they differ in where responses
// come from and where answers go (`html` and `deliver`), and in nothing else.
const data = JSON.parse(document.getElementById("data").textContent);
const { steps, criteria, order, sheet } = data;
const $ = (id) => document.getElementById(id);
const fieldsets = [...document.querySelectorAll("fieldset")];
const cache = new Map(Object.entries(data.units ?? {}));
const AHEAD = 5; // responses fetched before they are needed
let at = null; // the step that is shown; null on the overview
let current = null; // the criterion that keys answer; null when all have an answer
let quotes = {}; // passages marked, by criterion
let isReady = false; // keys wait in `keys` until the response they are meant for is shown
let isBlocked = false;
let selected = "";
let spent = 0, since = performance.now();
const keys = [];

const make = (tag, text = "", attributes = {}) => {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(text);
  return made;
};
const nameOf = (fieldset) => criteria[fieldset.dataset.place];
const asked = () => fieldsets.filter((fieldset) => !fieldset.hidden);
const chosen = (fieldset) => fieldset.querySelector("input:checked");
const nextOpen = () => steps.findIndex((step) => step.answer === null);
const plural = (count, word, words = `${word}s`) => `${count} ${count === 1 ? word : words}`;

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

async function show(place, draft = null, says = "") {
  at = place;
  const { unit } = steps[place];
  if (!cache.has(unit)) {
    isReady = false;
    try {
      await html(unit);
    } catch (error) {
      problem(error.message.startsWith("{") ? JSON.parse(error.message) : { title: "The response can’t be loaded",
        text: "The server doesn’t answer. Everything saved before is kept.", retry: () => show(place, draft, says) });
      return;
    }
    if (at !== place || isBlocked) return;
  }
  $("overview").hidden = true;
  $("work").hidden = false;
  fill(place, draft ?? steps[place].answer ?? { answers: {}, quotes: {}, reasons: {}, note: "" });
  status(says);
  header();
  spent = 0;
  since = performance.now();
  isReady = true;
  for (const step of steps.slice(place + 1).filter((one) => one.answer === null).slice(0, AHEAD))
    html(step.unit).catch(() => {});
  drain();
}

function fill(place, draft) {
  const step = steps[place];
  const done = order.indexOf(place);
  $("place").textContent = `Response ${(done < 0 ? order.length : done) + 1} of ${steps.length}`;
  $("response").innerHTML = cache.get(step.unit);
  raw(false);
  quotes = { ...draft.quotes };
  selected = "";
  $("note").value = draft.note;
  if ($("first")) {
    $("first").hidden = order.length > 0;
    $("first").open = window.innerWidth >= 960; // on a phone the response comes first
  }
  for (const fieldset of fieldsets) {
    const turn = step.criteria.indexOf(Number(fieldset.dataset.place));
    fieldset.hidden = turn < 0;
    fieldset.querySelector(".which").textContent = `${turn + 1} of ${step.criteria.length}`;
    for (const input of fieldset.querySelectorAll("input[type=radio]"))
      input.checked = draft.answers[nameOf(fieldset)] === input.value;
    const why = fieldset.querySelector(".why input");
    if (why) why.value = draft.reasons[nameOf(fieldset)] ?? "";
    voices(fieldset, step.given[turn] ?? []);
    wordings(fieldset, step.before[turn] ?? null);
    passage(fieldset);
  }
  mark(asked().find((fieldset) => !chosen(fieldset)) ?? asked()[0]);
  $("questions").scrollTop = 0;
  $("text").scrollTop = 0;
  window.scrollTo(0, 0);
  $("text").focus({ preventScroll: true });
}

function voices(fieldset, given) {
  const box = fieldset.querySelector(".voices");
  if (!box) return;
  box.hidden = given.length === 0;
  const words = make("div", "", { className: "words" });
  words.append(fieldset.querySelector(".anchors").content.cloneNode(true));
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
  if (!fieldset) return;
  for (const other of fieldsets) other.classList.toggle("current", other === fieldset);
  const given = steps[at]?.given[steps[at].criteria.indexOf(Number(fieldset.dataset.place))] ?? [];
  highlight([quotes[nameOf(fieldset)], ...given.map((voice) => voice.quote)].filter(Boolean));
}

function highlight(passages) {
  if (!window.Highlight) return;
  CSS.highlights.delete("passage");
  if (!passages.length) return;
  const walker = document.createTreeWalker($("response"), NodeFilter.SHOW_TEXT);
  const places = [];
  let text = "";
  while (walker.nextNode())
    for (const [offset, letter] of [...walker.currentNode.data].entries())
      if (letter.trim()) { places.push([walker.currentNode, offset]); text += letter; }
  const ranges = passages.flatMap((passage) => {
    const bare = passage.replace(/\s/g, "");
    const from = bare ? text.indexOf(bare) : -1;
    if (from < 0) return [];
    const range = new Range();
    range.setStart(...places[from]);
    const [node, offset] = places[from + bare.length - 1];
    range.setEnd(node, offset + 1);
    return [range];
  });
  CSS.highlights.set("passage", new Highlight(...ranges));
}

function passage(fieldset) {
  const quote = quotes[nameOf(fieldset)];
  fieldset.querySelector("q").textContent = quote ?? "";
  for (const part of fieldset.querySelectorAll("q, .unquote")) part.hidden = !quote;
}

function raw(isRaw = $("raw").getAttribute("aria-pressed") !== "true") {
  $("raw").setAttribute("aria-pressed", isRaw);
  for (const part of $("response").querySelectorAll(".rendered")) part.hidden = isRaw;
  for (const part of $("response").querySelectorAll(".raw")) part.hidden = !isRaw;
}

function status(text) {
  $("status").textContent = text;
  $("status").hidden = !text;
}

function problem({ title, text, retry = null, button = "Try again", block = false }) {
  isBlocked = isBlocked || block;
  if (block) $("work").hidden = $("overview").hidden = true;
  $("alert").replaceChildren(make("strong", title), ` ${text} `);
  if (retry) {
    const again = make("button", button, { type: "button", className: "quiet" });
    again.addEventListener("click", () => { $("alert").hidden = true; retry(); });
    $("alert").append(again);
  }
  $("alert").hidden = false;
}

function header() {
  $("bar").value = order.length;
  $("count").textContent = `${order.length} of ${steps.length} labelled`;
  $("undo").hidden = order.length === 0;
  const times = order.slice(-20).map((place) => steps[place].answer.seconds).filter((time) => time).sort((a, b) => a - b);
  const pace = times[Math.floor(times.length / 2)];
  const left = steps.length - order.length;
  $("pace").textContent = times.length < 3 || !left ? "" : `· ${Math.round(pace)} s each, about ${
    pace * left < 90 ? `${Math.ceil(pace * left)} s` : `${Math.ceil(pace * left / 60)} min`} left`;
}

// --- answering -------------------------------------------------------------------------------------------------------

function moveOn() {
  const next = asked()[asked().indexOf(current) + 1];
  mark(next ?? null);
  if (next) {
    (chosen(next) ?? next.querySelector("input")).focus({ preventScroll: true });
    if ($("questions").scrollHeight > $("questions").clientHeight) next.scrollIntoView({ block: "start" });
  } else {
    $("save").focus();
  }
}

function choose(key) {
  const input = [...current?.querySelectorAll("input[type=radio]") ?? []].find((one) => one.dataset.key === key);
  if (!input) return;
  input.checked = true;
  keepDraft();
  moveOn();
}

function rest() {
  for (const fieldset of asked())
    if (!chosen(fieldset)) fieldset.querySelector("input[value=t]").checked = true;
  mark(null);
  keepDraft();
  $("save").focus();
}

function noteSelection() {
  const found = document.getSelection();
  if ($("response").contains(found.anchorNode) && `${found}`.trim()) selected = `${found}`.trim();
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
  const name = data.rubric;
  if (!isDone) $("end").replaceChildren();
  else if (sheet) $("end").replaceChildren("Save the file and send it to whoever invited you. They take it in with ", make("code",
    `markscheme import ${sheet.file} --rubric ${name} --append --to calibration/${name}/ratings/${data.rater}.jsonl`));
  else $("end").replaceChildren("Everything is saved; you can close this page. Next, in the terminal: ", make("code", data.next));
}

const shownAnswer = (name, value) =>
  fieldsets.find((fieldset) => nameOf(fieldset) === name).querySelector(`input[value="${value}"]`)?.dataset.name ?? value;

function list() {
  const [kind, name, value] = JSON.parse($("filter").value || "[null]") ?? [];
  const kept = order.filter((place) => kind !== "note" || steps[place].answer.note)
    .filter((place) => kind !== "answer" || steps[place].answer.answers[name] === value);
  $("list").replaceChildren(...kept.map((place) => {
    const { answers, note } = steps[place].answer;
    const said = Object.entries(answers).map(([one, answer]) => `${one}: ${shownAnswer(one, answer)}`).join("; ");
    const open = make("button", said + (note ? ` (${note.slice(0, 60)})` : ""), { type: "button", className: "quiet" });
    open.addEventListener("click", () => show(place, null, "Labelled before: change it, and save again."));
    const entry = make("li", open);
    entry.value = order.indexOf(place) + 1;
    return entry;
  }));
}

$("filter").replaceChildren(make("option", "all", { value: "" }), make("option", "with a note", { value: '["note"]' }),
  ...fieldsets.flatMap((fieldset) => [...fieldset.querySelectorAll("input[type=radio]")].map((input) => make("option",
    `${nameOf(fieldset)}: ${input.dataset.name}`, { value: JSON.stringify(["answer", nameOf(fieldset), input.value]) }))));

// --- where answers go: the server --------------------------------------------------------------------------------------

const outbox = [];
let sending = null;
const send = () => sending ??= empty().finally(() => { sending = null; });

async function empty() {
  while (outbox.length && !isBlocked) {
    const [place, body] = outbox[0];
    const answer = await fetch(place, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body) }).catch(() => null);
    if (answer?.ok) {
      outbox.shift();
      continue;
    }
    const said = await answer?.json().catch(() => null) ?? { title: "Not saved: the server doesn’t answer.",
      text: `${plural(outbox.length, "answer")} wait in this page; don’t close it.` };
    problem({ ...said, retry: said.block ? null : send });
    return;
  }
}

function deliver(place, body) {
  if (sheet) return keep(body.unit);
  outbox.push([place, body]);
  send();
}

// --- where answers go: this browser, and a file ------------------------------------------------------------------------

const store = sheet && ["markscheme", sheet.head.rubric, sheet.head.pool, data.rater].join(" ");
const tab = `${Math.random()}`;
let isKept = true, isSaved = true;

function tryStoring(key, text) {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

const stored = (key) => { try { return localStorage.getItem(key); } catch { return null; } };

function write(draft = null) {
  const answers = Object.fromEntries(order.map((place) => [steps[place].unit, steps[place].answer]));
  return tryStoring(store, JSON.stringify({ answers, isSaved, draft }));
}

function keep() {
  isSaved = false;
  if (isKept && !write()) isKept = false;
  if (!isKept) warnOfLoss();
}

function keepDraft() {
  if (sheet && isKept && !isBlocked && !write({ unit: steps[at].unit, ...answered() })) {
    isKept = false;
    warnOfLoss();
  }
}

function warnOfLoss() {
  problem({ title: "This browser keeps nothing.", retry: download, button: "Save the file now",
    text: `Save the file after each answer: closing or reloading the page loses the rest (${
      plural(order.length, "answer")} so far).` });
}

function takeUp() {
  if (!tryStoring(`${store} room`, "x".repeat(2000 + 500 * steps.length))) {
    isKept = false;
    warnOfLoss();
  }
  try { localStorage.removeItem(`${store} room`); } catch { /* denied altogether */ }
  const found = JSON.parse(stored(store) ?? "null");
  if (!found) return null;
  order.length = 0;
  for (const step of steps) step.answer = null;
  for (const [unit, answer] of Object.entries(found.answers)) {
    const place = steps.findIndex((step) => step.unit === unit);
    steps[place].answer = answer;
    order.push(place);
  }
  isSaved = found.isSaved;
  return found.draft;
}

async function isOpenElsewhere() {
  const other = stored(`${store} tab`);
  if (!other || other === tab) return false;
  tryStoring(`${store} ask`, tab);
  await new Promise((resolve) => setTimeout(resolve, 400));
  return stored(`${store} here`) === tab;
}

function ratingOf(place) {
  const [id, sample] = sheet.head.steps[place], { answer, criteria: own } = steps[place];
  const rated = own.map((number) => [criteria[number], sheet.rated[number][answer.answers[criteria[number]]]]);
  const levels = rated.map(([name, one]) => [name, "level" in one ? { ...one, quote: answer.quotes[name] ?? null } : one]);
  return { id, rater: data.rater, kind: sheet.head.kind, sample, criteria: Object.fromEntries(levels), overall: null, error: null,
    at: answer.at, under: sheet.head.under, blind: true, ...answer.note.trim() && { note: answer.note.trim() },
    ...answer.seconds !== null && { seconds: answer.seconds } };
}

function download() {
  const text = JSON.stringify({ ...sheet.head, ratings: order.map(ratingOf) }, null, 1);
  const link = make("a", "", { download: sheet.file, href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
  document.body.append(link);
  link.click();
  link.remove();
  isSaved = true;
  if (isKept) write();
  else warnOfLoss();
}

function answerOf(rating, own) {
  const answers = own.map((number) => [criteria[number], Object.entries(sheet.rated[number]).find(([, one]) => {
    const said = rating.criteria[criteria[number]];
    return ["level", "abstained", "not_applicable"].every((key) => one[key] === said?.[key]);
  })?.[0]]);
  const marked = Object.entries(rating.criteria).filter(([, said]) => said.quote).map(([name, said]) => [name, said.quote]);
  return { answers: Object.fromEntries(answers), reasons: {}, quotes: Object.fromEntries(marked), note: rating.note ?? "",
    seconds: rating.seconds ?? null, at: rating.at };
}

async function goOnFrom(file) {
  const found = JSON.parse(await file.text().catch(() => "null").then((text) => text.startsWith("{") ? text : "null"));
  if (!found || ["rubric", "pool", "rater"].some((key) => found[key] !== sheet.head[key]))
    return problem({ title: "That file isn’t of this sheet.", text: "Choose the one that this sheet saved." });
  for (const rating of found.ratings) {
    const place = sheet.head.steps.findIndex(([id, sample]) => id === rating.id && sample === rating.sample);
    if (place < 0 || steps[place].answer) continue;
    steps[place].answer = answerOf(rating, steps[place].criteria);
    order.push(place);
  }
  keep();
  overview();
}

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
  return /^[0-9a-zT]$/.test(event.key) || keys.length > 0 && event.key.length === 1 || event.key === "Escape";
}

function act(key, isForced) {
  const action = {
    u: undo, p: at === null ? goOn : overview, s: sheet ? download : undefined,
    Enter: at === null ? goOn : save, Escape: at === null ? goOn : () => $("save").focus(),
  };
  const atWork = {
    n: () => $("note").focus(), r: () => raw(), T: rest, h: () => quote(current ?? asked().at(-1)),
    PageDown: () => scroll(1), PageUp: () => scroll(-1),
  };
  if (isTyping() && !isForced && key.length === 1) document.activeElement.value += key; // typed ahead of the page
  else if (action[key]) action[key]();
  else if (at !== null) (atWork[key] ?? (() => choose(key)))();
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
document.addEventListener("selectionchange", noteSelection);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) spent += performance.now() - since;
  since = performance.now();
});
$("questions").addEventListener("submit", (event) => { event.preventDefault(); if (isReady) save(); });
$("questions").addEventListener("click", (event) => {
  const fieldset = event.target.closest("fieldset");
  if (event.target.matches("input[type=radio]") && event.isTrusted) {
    keepDraft();
    const isPointed = event.screenX !== 0 || event.screenY !== 0 || event.detail > 0;
    if (isPointed) { mark(fieldset); moveOn(); }
  }
  if (event.target.closest(".quote")) quote(fieldset);
  if (event.target.closest(".unquote")) { delete quotes[nameOf(fieldset)]; passage(fieldset); mark(fieldset); }
});
$("note").addEventListener("input", keepDraft);
$("undo").addEventListener("click", undo);
$("overview-link").addEventListener("click", () => at === null ? goOn() : overview());
$("go-on").addEventListener("click", goOn);
$("raw").addEventListener("click", () => raw());
$("rest").addEventListener("click", rest);
$("back").addEventListener("click", () => mark(asked()[Math.max(0, asked().indexOf(current ?? asked().at(-1)) - 1)]));
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
  const draft = sheet ? takeUp() : null;
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
  const place = draft ? steps.findIndex((step) => step.unit === draft.unit) : -1;
  if (place >= 0) show(place, draft);
  else goOn();
}

start();
