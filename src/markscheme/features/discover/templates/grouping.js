// --- grouping --------------------------------------------------------------------------------------------------------

const SEVERITIES = ["", "small", "bad", "must never happen"];
let group = null; // what the server says of notes and modes
let cursor = null; // the note that keys act on: its key and its column
let recodeAt = 0, recoded = [];

async function showGrouping() {
  if (sheet) return;
  keepNow();
  await send();
  view = "group";
  at = null;
  const answer = await fetch("state").catch(() => null);
  if (!answer?.ok) return problem({ title: "The notes can’t be loaded.", text: "The server doesn’t answer.", retry: showGrouping });
  group = await answer.json();
  takeModes();
  only("grouping");
  isReady = true;
  if (!cursor) cursor = places()[0] ?? null;
  drawGroups();
  focusCard();
  drain();
  return undefined;
}

const columns = () => [{ name: "", notes: group.unsorted }, ...group.modes];
const places = () => columns().flatMap(({ name, notes }) => notes.map((key) => ({ key, column: name })));
const modeNames = () => group.modes.map((mode) => mode.name);
const modesOf = (key) => group.modes.filter((mode) => mode.notes.includes(key)).map((mode) => mode.name);
const currentMode = () => cursor?.column || null;

function drawGroups() {
  const scrolled = [...$("columns").querySelectorAll(".cards")].map((list) => list.scrollTop);
  const proposed = group.proposed.map(({ name, definition }) => ({ name, definition, isProposed: true,
    notes: Object.entries(group.suggested).filter(([, one]) => one.modes.includes(name)).map(([key]) => key) }));
  $("columns").replaceChildren(...columns().map(columnOf), ...proposed.map(proposedOf));
  [...$("columns").querySelectorAll(".cards")].forEach((list, place) => { list.scrollTop = scrolled[place] ?? 0; });
  const left = group.unsorted.length;
  $("group-status").textContent = left ? `${plural(left, "note")} unsorted` : "All notes are in a mode";
  if (group.proposed.length && group.agreement !== null)
    $("group-status").textContent += ` · asked twice, the model agrees with itself to ${group.agreement.toFixed(2)} (adjusted Rand)`;
  $("group-undo").disabled = !group.undo;
  $("bar").max = Math.max(1, Object.keys(group.notes).length);
  $("bar").value = $("bar").max - left;
  $("count").textContent = `${plural(Object.keys(group.notes).length, "note")}, ${plural(group.modes.length, "mode")}`;
}

function columnOf(column) {
  const box = make("section", "", { className: "column" });
  box.dataset.mode = column.name;
  const title = make("h2", "");
  const number = numberOf(column.name);
  if (number > 0 && number < 10) title.append(make("kbd", `${number}`), " ");
  title.append(column.name || "Unsorted");
  box.setAttribute("aria-label", column.name || "Unsorted");
  box.append(title);
  if (column.name) {
    const facts = [SEVERITIES[column.severity], column.share || plural(column.count, "output"), column.turned ? "asks for the good" : ""];
    box.append(make("p", column.definition || "No definition yet: press D."), make("p", facts.filter(Boolean).join(" · ")));
  }
  const list = make("ol", "", { className: "cards" });
  list.append(...column.notes.map((key) => cardOf(key, column)));
  box.append(list);
  box.addEventListener("dragover", (event) => { event.preventDefault(); box.classList.add("over"); });
  box.addEventListener("dragleave", () => box.classList.remove("over"));
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    box.classList.remove("over");
    const key = event.dataTransfer.getData("text/plain");
    if (group.notes[key]) change({ do: "assign", note: key, modes: column.name ? [column.name] : [] });
  });
  return box;
}

function proposedOf(column) {
  const box = make("section", "", { className: "column proposed" });
  box.setAttribute("aria-label", `Proposed: ${column.name}`);
  box.append(make("h2", `Proposed: ${column.name}`), make("p", column.definition));
  const list = make("ol", "", { className: "cards" });
  list.append(...column.notes.map((key) => make("li", `${group.notes[key].text}${group.suggested[key].firm ? " (firm)" : ""}`)));
  box.append(list, make("p", "Counts nowhere until you accept: a for the note, A for its group."));
  return box;
}

function cardOf(key, column) {
  const note = group.notes[key];
  const card = make("button", "", { type: "button", className: "card", draggable: true });
  card.dataset.key = key;
  card.dataset.column = column.name;
  const text = make("span", note.text || "(a passage without words)");
  text.dir = "auto";
  card.append(text);
  if (note.quote) {
    const isAnchor = column.quotes?.includes(note.quote);
    card.append(make("q", note.quote.slice(0, 300), { dir: "auto", className: isAnchor ? "anchor" : "" }));
    const shows = isAnchor ? "shows the mode in the rubric" : column.fine?.includes(note.quote) ? "is fine, for contrast" : "";
    if (shows) card.append(make("span", `the passage ${shows}`, { className: "likely" }));
  }
  const likely = (group.nearest[key] ?? []).map((name) => `${numberOf(name)} ${name}`);
  if (!column.name && likely.length) card.append(make("span", `like: ${likely.join(", ")}`, { className: "likely" }));
  const suggested = group.suggested[key];
  if (suggested) card.append(make("span", `proposed${suggested.firm ? ", firm" : ""}: ${suggested.modes.join(", ")} (a accepts)`, { className: "suggested" }));
  if (cursor?.key === key && cursor.column === column.name) card.setAttribute("aria-current", "true");
  card.addEventListener("click", () => { cursor = { key, column: column.name }; mark(); });
  card.addEventListener("focus", () => { cursor = { key, column: column.name }; mark(); });
  card.addEventListener("dblclick", readOutput);
  card.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", key));
  const item = make("li", "");
  item.append(card);
  return item;
}

const cardAt = (place) => [...$("columns").querySelectorAll(".card")].find((card) => card.dataset.key === place?.key && card.dataset.column === place?.column);

function mark() {
  for (const card of $("columns").querySelectorAll(".card[aria-current]")) card.removeAttribute("aria-current");
  cardAt(cursor)?.setAttribute("aria-current", "true");
}

function focusCard() {
  const card = cardAt(cursor);
  if (card) card.focus({ preventScroll: false });
  else document.activeElement?.blur();
}

function move(by) {
  const all = places();
  const now = all.findIndex((place) => place.key === cursor?.key && place.column === cursor?.column);
  cursor = all[Math.max(0, Math.min(all.length - 1, now + by))] ?? null;
  mark();
  focusCard();
}

async function change(body) {
  isReady = false;
  const all = places();
  const now = all.findIndex((place) => place.key === cursor?.key && place.column === cursor?.column);
  const answer = await fetch("group", { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body) }).catch(() => null);
  const said = await answer?.json().catch(() => null);
  isReady = true; // keys that came meanwhile act on what is shown from now on
  if (!answer?.ok) {
    $("group-status").textContent = said ? `${said.title} ${said.text}` : "Not saved: the server doesn’t answer. Try again.";
    saved("Not saved");
    drain();
    return;
  }
  group = said;
  saved("Saved");
  const left = places();
  if (!left.some((place) => place.key === cursor?.key && place.column === cursor?.column)) {
    const unsorted = left.filter((place) => place.column === "");
    const next = cursor?.column === "" ? unsorted[Math.min(now, unsorted.length - 1)] : null;
    cursor = next ?? left.find((place) => place.key === cursor?.key) ?? left[0] ?? null;
  }
  takeModes();
  drawGroups();
  focusCard();
  drain();
}

function takeModes() {
  modes = group.modes.map(({ name, definition, severity, under }) => ({ name, definition, severity, under }));
  keepNumbers();
}

function toggle(name) {
  if (!cursor || !name) return;
  change({ do: "assign", note: cursor.key, modes: withMode(modesOf(cursor.key), name) });
}

async function asked(title, label, options) {
  const answer = await askFor(title, label, options);
  focusCard();
  return answer && answer.text ? answer : null;
}

async function chosenMode(title) {
  if (currentMode()) return currentMode();
  const answer = await asked(title, "Mode", { names: modeNames() });
  return answer && modeNames().includes(answer.text) ? answer.text : null;
}

const grouping = {
  j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), m: () => goOn(), u: () => change({ do: "undo" }),
  "+": () => { isAdding = true; $("group-status").textContent = "The next number puts the note into one more mode."; },
  0: () => cursor && change({ do: "assign", note: cursor.key, modes: [] }),
  Enter: () => readOutput(),
  a: () => cursor && change({ do: "accept", notes: [cursor.key] }),
  A() {
    const names = group.suggested[cursor?.key]?.modes ?? [];
    const keysOfGroup = Object.entries(group.suggested).filter(([, one]) => one.modes.some((name) => names.includes(name))).map(([key]) => key);
    if (keysOfGroup.length) change({ do: "accept", notes: keysOfGroup });
  },
  q() {
    const note = group.notes[cursor?.key];
    if (!currentMode() || !note?.quote) return void ($("group-status").textContent = "Choose a note with a passage, in a mode.");
    change({ do: "anchor", mode: currentMode(), quote: note.quote });
    return undefined;
  },
  F() {
    const note = group.notes[cursor?.key];
    if (!currentMode() || !note?.quote) return void ($("group-status").textContent = "Choose a note with a passage, in a mode.");
    change({ do: "anchor", mode: currentMode(), quote: note.quote, fine: true });
    return undefined;
  },
  async "/"() {
    const answer = await asked("Put the note into a mode", "Mode", { names: modeNames(), note: "A name that isn’t listed makes a new mode." });
    if (!answer) return;
    if (modeNames().includes(answer.text)) toggle(answer.text);
    else change({ do: "name", mode: answer.text, note: cursor?.key ?? "" });
  },
  async N() {
    const answer = await asked("New mode from the note", "Name", { note: "A short name, in lower case with hyphens." });
    if (answer) change({ do: "name", mode: answer.text, note: cursor?.key ?? "" });
  },
  async R() {
    const mode = await chosenMode("Rename which mode?");
    const answer = mode && await asked(`Rename ${mode}`, "New name", { value: mode });
    if (answer) { if (cursor?.column === mode) cursor.column = answer.text; change({ do: "rename", mode, names: [answer.text] }); }
  },
  async D() {
    const mode = await chosenMode("Define which mode?");
    if (!mode) return;
    const { definition } = group.modes.find((one) => one.name === mode);
    const isFirst = !definition;
    const answer = await asked(`When is ${mode} there?`, "Definition, one sentence", { value: definition,
      choices: isFirst ? ["Save"] : ["Same meaning, better words", "Another meaning"],
      note: isFirst ? "" : "Under another meaning, outputs read for the mode have to be read again." });
    if (answer) change({ do: "define", mode, definition: answer.text, same: answer.choice === 0 });
  },
  async V() {
    const mode = await chosenMode("Severity of which mode?");
    const now = group.modes.find((one) => one.name === mode)?.severity;
    if (mode) change({ do: "severity", mode, severity: (now % 3) + 1 });
  },
  async M() {
    const mode = await chosenMode("Merge which mode?");
    const answer = mode && await asked(`Merge ${mode} into`, "Mode", { names: modeNames().filter((name) => name !== mode) });
    if (answer) { if (cursor?.column === mode) cursor.column = answer.text; change({ do: "merge", mode, names: [answer.text] }); }
  },
  async S() {
    const mode = await chosenMode("Split which mode?");
    const answer = mode && await asked(`Split ${mode}`, "Two names, with a comma between", { note: "Its notes become unsorted: put each into one of the two." });
    const names = answer?.text.split(",").map((name) => name.trim()).filter(Boolean);
    if (names?.length) change({ do: "split", mode, names });
  },
  async T() {
    const mode = await chosenMode("Turn which mode round?");
    if (mode) change({ do: "turn", mode });
  },
};

async function readOutput() {
  const note = group?.notes[cursor?.key] ?? null;
  if (!note) return;
  try {
    $("reader-text").innerHTML = await html(note.unit);
  } catch {
    $("reader-text").textContent = "This output isn’t in the pool.";
  }
  $("reader").showModal();
  markPassages([[$("reader-text"), [note.quote].filter(Boolean)]]);
}

// --- sorting notes a second time, blind -------------------------------------------------------------------------------

async function showRecode() {
  view = "recode";
  if (!group) {
    const answer = await fetch("state").catch(() => null);
    if (!answer?.ok) return problem({ title: "The notes can’t be loaded.", text: "The server doesn’t answer.", retry: showRecode });
    group = await answer.json();
  }
  const note = group.notes[data.recode[recodeAt]];
  if (!note) {
    only("overview");
    isReady = true;
    $("overview-title").textContent = data.recode.length ? "All sorted. Thank you!" : "There are no notes of others to sort.";
    $("end").textContent = "Everything is saved; you can close this page.";
    $("go-on").hidden = true;
    return undefined;
  }
  if (!await showOutput(note.unit, `Note ${recodeAt + 1} of ${data.recode.length}`, note.text)) return undefined;
  recoded = [];
  for (const id of ["reading-side", "again-side", "recode-side"]) $(id).hidden = id !== "recode-side";
  for (const id of ["in-full", "unclear", "note-open", "quote", "undo"]) $(id).hidden = true;
  markPassages([[$("response"), [note.quote].filter(Boolean)]]);
  drawRecode();
  drain();
  return undefined;
}

function drawRecode() {
  drawModes($("recode-modes"), (name) => recoded.includes(name), recodeInto);
}

function recodeInto(name) {
  recoded = recoded.includes(name) ? recoded.filter((one) => one !== name) : [...recoded, name];
  drawRecode();
}

function saveRecode() {
  deliver("recode", { note: data.recode[recodeAt], modes: recoded });
  recodeAt += 1;
  showRecode();
}
