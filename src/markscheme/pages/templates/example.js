"use strict";
// What a laid-out example does on any page: steps that open all at once, and passages that are marked.

document.addEventListener("click", (event) => {
  const button = event.target.closest?.(".open-all");
  if (!button) return;
  const isOpen = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", isOpen);
  button.textContent = isOpen ? "Close all" : "Open all";
  for (const step of button.nextElementSibling.querySelectorAll("details.step")) step.open = isOpen;
});

function textIn(box) {
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const places = [];
  let text = "";
  while (walker.nextNode())
    for (const [offset, letter] of [...walker.currentNode.data].entries())
      if (letter.trim()) { places.push([walker.currentNode, offset]); text += letter; }
  return { places, text };
}

// The ranges of a box in which passages stand, whatever white space and mark-up lies between their letters.
function rangesOf(box, passages) {
  const { places, text } = textIn(box);
  return passages.flatMap((passage) => {
    const bare = passage.replace(/\s/g, "");
    const from = bare ? text.indexOf(bare) : -1;
    if (from < 0) return [];
    const range = new Range();
    range.setStart(...places[from]);
    const [node, offset] = places[from + bare.length - 1];
    range.setEnd(node, offset + 1);
    return [range];
  });
}

function markPassages(boxes) {
  if (!window.Highlight) return;
  CSS.highlights.delete("passage");
  const ranges = boxes.flatMap(([box, passages]) => (passages.length ? rangesOf(box, passages) : []));
  if (ranges.length) CSS.highlights.set("passage", new Highlight(...ranges));
}
