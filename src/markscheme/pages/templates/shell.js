// What every page that asks a person has: elements made in a line, messages, and answers that reach the server.
const $ = (id) => document.getElementById(id);
const make = (tag, text = "", attributes = {}) => {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(text);
  return made;
};
const plural = (count, word, words = `${word}s`) => `${count} ${count === 1 ? word : words}`;

let isBlocked = false;

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
      saved(outbox.length ? "Saving…" : "Saved");
      continue;
    }
    saved("Not saved");
    const said = await answer?.json().catch(() => null) ?? { title: "Not saved: the server doesn’t answer.",
      text: `${plural(outbox.length, "answer")} wait in this page; don’t close it.` };
    problem({ ...said, retry: said.block ? null : send });
    return;
  }
}

function post(place, body) {
  outbox.push([place, body]);
  saved("Saving…");
  send();
}

function saved(text) {
  $("saved").textContent = text;
}
