// --- reading ---------------------------------------------------------------------------------------------------------

let at = null; // the step that is shown; null elsewhere
let reading = null; // what is said of it
let noteAt = -1; // the note that digits put into modes
let spent = 0, since = performance.now();
let timer = null;
const order = steps.flatMap(({ reading: earlier }, place) => (isFinished(earlier) ? [place] : []));

function isFinished(one) { return one !== null && one.read !== "open"; }
const nextOpen = () => steps.findIndex((step) => !isFinished(step.reading));
const nameOfStep = ({ query, response }) => query || response;
const fresh = () => ({ read: "open", pass: null, notes: [], seconds: null,
  listed: Object.fromEntries(modes.map((mode) => [mode.name, mode.under])) });

async function show(place, says = "") {
  at = place;
  view = "read";
  const step = steps[place];
  const ready = await showOutput(step.unit, `Output ${place + 1}`, nameOfStep(step));
  if (!ready || at !== place) return;
  reading = step.reading === null ? fresh() : structuredClone(step.reading);
  if (!Object.keys(reading.listed ?? {}).length) reading.listed = fresh().listed;
  for (const id of ["reading-side", "again-side", "recode-side"]) $(id).hidden = id !== "reading-side";
  $("foot").hidden = false;
  noteAt = reading.notes.length - 1;
  $("first").hidden = order.length > 0;
  $("first").open = window.innerWidth >= 960; // on a phone the output comes first
  closeNote();
  draw();
  status(says);
  spent = 0;
  since = performance.now();
  for (const later of steps.slice(place + 1).filter((one) => !isFinished(one.reading)).slice(0, AHEAD))
    html(later.unit).catch(() => {});
  drain();
}

function draw() {
  $("good").setAttribute("aria-pressed", reading.pass === true);
  $("bad").setAttribute("aria-pressed", reading.pass === false);
  $("notes").replaceChildren(...reading.notes.map((note, place) => {
    const item = make("li", "");
    if (place === noteAt) item.setAttribute("aria-current", "true");
    const text = make("span", note.text);
    text.dir = "auto";
    item.append(text);
    if (note.quote) item.append(make("q", note.quote, { dir: "auto" }));
    const tags = make("span", "", { className: "tags" });
    tags.append(...note.modes.map((name) => make("span", name, { className: "tag" })));
    const edit = make("button", "Edit", { type: "button", className: "quiet" });
    edit.addEventListener("click", () => editNote(place));
    const drop = make("button", "Remove", { type: "button", className: "quiet" });
    drop.addEventListener("click", () => { reading.notes.splice(place, 1); noteAt = reading.notes.length - 1; keep(); draw(); });
    tags.append(edit, drop);
    item.append(tags);
    return item;
  }));
  $("no-notes").hidden = reading.notes.length > 0;
  drawModes($("modes"), (name) => reading.notes[noteAt]?.modes.includes(name) ?? false, (name) => {
    isAdding = true; // a click next to other pressed buttons adds
    putInto(name);
  });
  $("no-modes").hidden = modes.length > 0;
  markPassages([[$("response"), reading.notes.map((note) => note.quote).filter(Boolean)]]);
  header();
}

function keepNumbers() {
  const names = modes.map((mode) => mode.name);
  const gone = slots.filter((name) => name !== null && !names.includes(name));
  const fresh = names.filter((name) => !slots.includes(name));
  if (gone.length === 1 && fresh.length === 1) slots[slots.indexOf(gone[0])] = fresh.pop(); // it has another name
  slots = slots.map((name) => (names.includes(name) ? name : null));
  for (const name of fresh) {
    const free = slots.length < 9 ? -1 : slots.indexOf(null); // a number is used again where there is no other
    if (free < 0) slots.push(name);
    else slots[free] = name;
  }
}

const numberOf = (name) => slots.indexOf(name) + 1;

function withMode(now, name) {
  const adds = isAdding;
  isAdding = false;
  if (now.includes(name)) return now.filter((mode) => mode !== name);
  return adds ? [...now, name] : [name];
}

function drawModes(list, isIn, choose) {
  list.replaceChildren(...modes.map((mode) => {
    const button = make("button", "", { type: "button" });
    const number = numberOf(mode.name);
    if (number > 0 && number < 10) button.append(make("kbd", `${number}`), " ");
    button.append(make("b", mode.name));
    if (mode.definition) button.append(make("span", mode.definition, { className: "definition" }));
    button.setAttribute("aria-pressed", isIn(mode.name));
    button.addEventListener("click", () => choose(mode.name));
    const item = make("li", "");
    item.append(button);
    return item;
  }));
}

function header() {
  $("bar").max = Math.max(1, steps.length);
  $("bar").value = order.length;
  $("count").textContent = `${order.length} read${steps.length < 1000 ? ` of ${steps.length}` : ""}`;
  $("undo").hidden = order.length === 0;
}

// --- notes -----------------------------------------------------------------------------------------------------------

let editing = null; // the note that is being written
let markedQuote = "";

function openNote(quote = "") {
  editing = null;
  markedQuote = quote;
  $("note").value = "";
  showNoteBox();
}

function editNote(place) {
  editing = reading.notes[place];
  markedQuote = editing.quote;
  noteAt = place;
  $("note").value = editing.text;
  showNoteBox();
}

function showNoteBox() {
  $("note-quote").hidden = !markedQuote;
  $("note-quote").textContent = markedQuote.slice(0, 200);
  $("note-box").hidden = false;
  $("note").focus();
}

function closeNote() {
  editing = null;
  markedQuote = "";
  $("note").value = "";
  $("note-box").hidden = true;
}

// The note as it is being written belongs to the reading, so that nothing is lost.
function takeNote() {
  const text = $("note").value.trim();
  if (!text && !markedQuote) return false;
  if (!editing) {
    editing = { n: 1 + Math.max(0, ...reading.notes.map((note) => note.n)), text: "", quote: markedQuote, modes: [] };
    reading.notes.push(editing);
    noteAt = reading.notes.length - 1;
  }
  editing.text = text;
  return true;
}

function finishNote({ another }) {
  const isTaken = takeNote();
  closeNote();
  if (isTaken) { keep(); draw(); }
  if (another && isTaken) openNote();
  else $("text").focus({ preventScroll: true });
}

function markAndNote() {
  noteSelection();
  if (!selected) return status("Select a passage of the text first.");
  openNote(selected.slice(0, 2000));
  return undefined;
}

function putInto(name) {
  if (!$("note-box").hidden) finishNote({ another: false });
  const note = reading.notes[noteAt];
  if (!note) return status("Write a note first.");
  note.modes = withMode(note.modes, name);
  keep();
  return draw();
}

function addNext() {
  isAdding = true;
  status("The next number puts the note into one more mode.");
}

async function findMode() {
  const answer = await askFor("Put the note into a mode", "Mode", { names: modes.map((mode) => mode.name),
    note: "A name that isn’t listed makes a new mode." });
  if (!answer?.text) return;
  if (!modes.some((mode) => mode.name === answer.text))
    modes = [...modes, { name: answer.text, definition: "", under: data.undefined, severity: 2 }];
  keepNumbers();
  putInto(answer.text);
}

// --- saving ----------------------------------------------------------------------------------------------------------

function keep(read = reading.read) {
  clearTimeout(timer);
  timer = null;
  reading.read = read;
  if (data.timed) reading.seconds = Math.round((spent + performance.now() - since) / 100) / 10;
  reading.at = new Date().toISOString();
  steps[at].reading = structuredClone(reading);
  const notes = reading.notes.map(({ n, text, quote, modes: names }) => ({ n, text, quote, modes: names }));
  deliver("read", { unit: steps[at].unit, ...reading, notes });
}

function keepSoon() {
  if (at === null || view !== "read") return;
  clearTimeout(timer);
  timer = setTimeout(() => { if (takeNote()) keep(); }, 700);
}

function keepNow() {
  if (timer !== null && takeNote()) keep();
}

function finish(read) {
  if (!$("note-box").hidden) finishNote({ another: false });
  const place = at;
  if (!order.includes(place)) order.push(place);
  keep(read);
  goOn();
}

function undo() {
  if (!order.length) return;
  const place = order.pop();
  steps[place].reading.read = "open";
  deliver("reopen", { unit: steps[place].unit });
  if (sheet) keepSheet();
  show(place, "Open again: change what you said, and save again.");
}

function goOn() {
  const next = nextOpen();
  if (next < 0) overview();
  else show(next);
}

function judge(isGood) {
  reading.pass = reading.pass === isGood ? null : isGood;
  keep();
  draw();
}

function overview() {
  at = null;
  const isDone = nextOpen() < 0;
  only("overview");
  header();
  isReady = true;
  const noted = order.flatMap((place) => steps[place].reading.notes);
  $("overview-title").textContent = isDone ? "All read. Thank you!" : "Progress";
  $("end").textContent = `${plural(order.length, "output")} read, ${plural(noted.length, "note")}. ${
    sheet ? "Save the file and send it to the person who invited you." : "Everything is saved; you can close this page."}`;
  if (sheet) $("end").append(" They take it in with ", make("code", sheet.taken_in_by));
  $("go-on").hidden = isDone;
  $("list").replaceChildren(...order.map((place) => {
    const { notes, pass, read } = steps[place].reading;
    const open = make("button", "", { type: "button", className: "quiet entry" });
    const says = [pass === true ? "good" : pass === false ? "bad" : "", read === "noted" ? "" : read, ...notes.map((note) => note.text)];
    open.append(make("b", nameOfStep(steps[place])), make("span", says.filter(Boolean).join("; ") || "nothing noted", { className: "answers" }));
    open.addEventListener("click", () => show(place, "Read before: change it, and save again."));
    const item = make("li", "");
    item.append(open);
    return item;
  }));
  ($("go-on").hidden ? $("overview-title") : $("go-on")).focus();
}

// --- reading again for a mode -----------------------------------------------------------------------------------------

let againAt = 0;

async function showAgain() {
  view = "again";
  const pair = data.again[againAt];
  $("bar").max = data.again.length;
  $("bar").value = againAt;
  $("count").textContent = data.again.length ? `${againAt} of ${data.again.length} read again` : "";
  if (!pair) {
    at = null;
    only("overview");
    isReady = true;
    $("overview-title").textContent = data.again.length ? "All read again. Thank you!" : "Nothing is left to read again.";
    $("end").textContent = "Everything is saved; you can close this page.";
    $("go-on").hidden = true;
    $("overview-title").focus();
    return;
  }
  if (!await showOutput(pair.unit, `${againAt + 1} of ${data.again.length}`, pair.mode)) return;
  for (const id of ["reading-side", "again-side", "recode-side"]) $(id).hidden = id !== "again-side";
  $("foot").hidden = true;
  const mode = modes.find((one) => one.name === pair.mode);
  $("again-mode").textContent = pair.mode;
  $("again-definition").textContent = mode?.definition || "It has no definition yet.";
  for (const later of data.again.slice(againAt + 1, againAt + 1 + AHEAD)) html(later.unit).catch(() => {});
  drain();
}

function answerAgain(answer) {
  const pair = data.again[againAt];
  if (!pair) return;
  deliver("again", { ...pair, answer });
  againAt += 1;
  showAgain();
}

function undoAgain() {
  if (!againAt) return;
  againAt -= 1;
  deliver("again", { ...data.again[againAt], answer: null });
  showAgain();
}

function deliver(place, body) {
  if (sheet) keepSheet();
  else post(place, body);
}
