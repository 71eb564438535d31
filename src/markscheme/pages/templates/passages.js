// The passage that a reader has selected in the text; the selection may be gone by the time its key arrives.
let selected = "";

function noteSelection() {
  const selection = document.getSelection();
  if ($("response").contains(selection.anchorNode) && `${selection}`.trim()) selected = `${selection}`.trim();
}

document.addEventListener("selectionchange", noteSelection);
