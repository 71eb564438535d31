"use strict";
// Keys for those who label hundreds: without this script the page works by Tab, arrows, space and Enter.
const form = document.getElementById("questions");
const fieldsets = form ? [...form.querySelectorAll("fieldset")] : [];
const isAnswered = (fieldset) => fieldset.querySelector("input:checked") !== null;
let current = fieldsets.find((fieldset) => !isAnswered(fieldset)) ?? fieldsets[0] ?? null;
let isSending = false;

function mark(fieldset) {
  current = fieldset;
  for (const other of fieldsets) other.classList.toggle("current", other === fieldset);
}

function moveOn() {
  const next = fieldsets[fieldsets.indexOf(current) + 1];
  mark(next ?? null);
  if (next) {
    (next.querySelector("input:checked") ?? next.querySelector("input")).focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  } else {
    document.getElementById("save").focus();
  }
}

function choose(key) {
  const input = current?.querySelector(`input[data-key="${key}"]`);
  if (!input) return false;
  input.checked = true;
  moveOn();
  return true;
}

function scroll(pages) {
  const text = document.getElementById("text");
  if (!text || text.scrollHeight <= text.clientHeight) return false;
  text.scrollBy({ top: pages * text.clientHeight * 0.9 });
  return true;
}

function press(id) {
  const found = document.getElementById(id);
  found?.click();
  return found !== null;
}

function save() {
  form?.requestSubmit(document.getElementById("save"));
  return form !== null;
}

function act(event) {
  const key = event.key;
  const at = document.activeElement;
  if (at?.tagName === "TEXTAREA") {
    if (key === "Escape") { document.getElementById("save").focus(); return true; }
    return key === "Enter" && (event.ctrlKey || event.metaKey) ? save() : false;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat && !key.startsWith("Page")) return false;
  if (key === "Enter") return ["A", "BUTTON", "SUMMARY"].includes(at?.tagName) ? false : save();
  if (key === "PageDown") return scroll(1);
  if (key === "PageUp") return scroll(-1);
  if (key === "n" && form) { document.getElementById("note").focus(); return true; }
  if (key === "u") return press("undo");
  if (key === "p") return press("progress");
  return /^[0-9tx]$/.test(key) ? choose(key) : false;
}

document.addEventListener("keydown", (event) => { if (act(event)) event.preventDefault(); });
document.addEventListener("focusin", (event) => {
  const inside = event.target.closest?.("fieldset");
  if (inside) mark(inside);
});
document.addEventListener("submit", (event) => {
  if (isSending) event.preventDefault();
  isSending = true;
});
window.addEventListener("pageshow", (event) => {
  isSending = false;
  if (event.persisted) location.reload();
});
if (form) {
  mark(current);
  document.getElementById("text").focus({ preventScroll: true });
} else {
  document.getElementById("back")?.focus();
}
