// --- where answers go: this browser, and a file ------------------------------------------------------------------------

// A sheet keeps every answer in this browser. A page that a server sent keeps in its tab what it hasn't saved yet, so that
// a reload loses nothing; its address is new at each start, and what was begun under other words isn't found again.
const store = sheet ? ["markscheme", sheet.head.rubric, sheet.head.pool, data.rater].join(" ")
  : `markscheme ${location.pathname}`;
const storage = () => (sheet ? localStorage : sessionStorage); // throws where the browser denies it
let draft = null; // the answers to one response that aren't saved yet
const tab = `${Math.random()}`;
let isKept = true, isSaved = true;

function tryStoring(key, text) {
  try {
    storage().setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

const stored = (key) => { try { return storage().getItem(key); } catch { return null; } };

const isDrafted = (step) => draft !== null && step.unit === draft.unit && (step.answer !== null) === draft.isAnswered;

function write() {
  if (!sheet) return tryStoring(store, JSON.stringify({ draft }));
  const answers = Object.fromEntries(order.map((place) => [steps[place].unit, steps[place].answer]));
  return tryStoring(store, JSON.stringify({ answers, isSaved, draft }));
}

function keep() {
  isSaved = false;
  if (isKept && !write()) isKept = false;
  if (!isKept) warnOfLoss();
  saved(isKept ? "Kept in this browser" : "Not kept");
}

function keepDraft() {
  if (isBlocked) return;
  draft = { unit: steps[at].unit, isAnswered: steps[at].answer !== null, ...answered() };
  if (!isKept || write() || !sheet) return;
  isKept = false;
  warnOfLoss();
}

function warnOfLoss() {
  problem({ title: "This browser keeps nothing.", retry: download, button: "Save the file now",
    text: `Save the file after each answer: closing or reloading the page loses the rest (${
      plural(order.length, "answer")} so far).` });
}

function takeUp() {
  const record = JSON.parse(stored(store) ?? "null");
  draft = record?.draft ?? null;
  if (!sheet) return;
  if (!tryStoring(`${store} room`, "x".repeat(2000 + 500 * steps.length))) {
    isKept = false;
    warnOfLoss();
  }
  try { localStorage.removeItem(`${store} room`); } catch { /* denied altogether */ }
  if (!record) return;
  order.length = 0;
  for (const step of steps) step.answer = null;
  for (const [unit, answer] of Object.entries(record.answers)) {
    const place = steps.findIndex((step) => step.unit === unit);
    steps[place].answer = answer;
    order.push(place);
  }
  isSaved = record.isSaved;
}

async function isOpenElsewhere() {
  const other = stored(`${store} tab`);
  if (!other || other === tab) return false;
  tryStoring(`${store} ask`, tab);
  await new Promise((resolve) => setTimeout(resolve, 400));
  return stored(`${store} here`) === tab;
}

// A rating is of the stored order of a pair, whichever way round it was shown.
const savedAs = (place) => steps[place].shown === "second-first" ? sheet.turned : sheet.rated;

function ratingOf(place) {
  const [id, sample] = sheet.head.steps[place], { answer, criteria: own } = steps[place];
  const whole = own.find((number) => criteria[number] === data.whole);
  const rated = own.filter((number) => number !== whole)
    .map((number) => [criteria[number], savedAs(place)[number][answer.answers[criteria[number]]]]);
  const levels = rated.map(([name, one]) => [name, "level" in one ? { ...one, quote: answer.quotes[name] ?? null } : one]);
  return { id, rater: data.rater, kind: sheet.head.kind, sample, criteria: Object.fromEntries(levels), overall: null, error: null,
    at: answer.at, under: sheet.head.under, blind: true, ...answer.note.trim() && { note: answer.note.trim() },
    ...answer.seconds !== null && { seconds: answer.seconds },
    ...steps[place].shown && { shown: steps[place].shown },
    ...whole !== undefined && sheet.rated[whole][answer.answers[data.whole]] };
}

function download() {
  const text = JSON.stringify({ ...sheet.head, ratings: order.map(ratingOf) }, null, 1);
  const link = make("a", "", { download: sheet.file, href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
  document.body.append(link);
  link.click();
  link.remove();
  isSaved = true;
  saved("File saved");
  if (isKept) write();
  else warnOfLoss();
}

function answerOf(rating, place) {
  const own = steps[place].criteria;
  const answers = own.map((number) => [criteria[number], Object.entries(savedAs(place)[number]).find(([, one]) => {
    const said = rating.criteria[criteria[number]];
    if (criteria[number] === data.whole) return one.pass === rating.pass;
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
    steps[place].answer = answerOf(rating, place);
    order.push(place);
  }
  keep();
  overview();
}

