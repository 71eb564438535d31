"""Faults that the accessibility checker axe finds in a page.

Axe takes seconds for a long page, so that a rule is tried again only where it can find something else.
"""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

CHECK = """async ({ dark, resized, within }) => {
  const colours = ["color-contrast", "link-in-text-block"];
  const withColours = { runOnly: { type: "rule", values: colours } };
  const withoutColours = { rules: Object.fromEntries(colours.map((rule) => [rule, { enabled: false }])) };
  const faults = [];

  async function run(context, options) {
    const { passes, violations } = await axe.run(context, { resultTypes: ["violations"], ...options });
    if (passes.length === 0 && violations.length === 0) {
      throw new Error("axe has tried nothing");
    }
    faults.push(...violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0].html.slice(0, 200) })));
  }

  function looksOfElements() {
    const looks = new Map();
    for (const element of document.querySelectorAll("body *")) {
      const style = getComputedStyle(element);
      const parts = [style.color, style.backgroundColor, style.backgroundImage, style.opacity, style.textDecoration];
      looks.set(element, element.checkVisibility() ? [...parts, style.fontSize, style.fontWeight].join() : "");
    }
    return looks;
  }

  const before = window.looks;
  window.looks = looksOfElements();
  if (!resized) {
    await run(within || document, dark ? withColours : {});
    return faults;
  }
  if (!dark) {
    await run(within || document, withoutColours);
  }
  const changed = [...window.looks].filter(([element, look]) => look && look !== before.get(element));
  if (changed.length > 0) {
    await run({ include: changed.map(([element]) => element) }, withColours);
  }
  return faults;
}"""


def faults(page: Page, *, dark: bool = False, resized: bool = False, within: str = "") -> list[dict[str, str]]:
    """Return what axe finds: each violated rule's id, its impact, and the start of the first element at fault.

    Args:
        page: The page.
        dark: It has the dark colour scheme, and has had the light one in another run: only rules about colours are
            tried, since the others find the same.
        resized: It has only been resized since it was checked: rules about colours are tried on what is shown for the
            first time, or in other colours or letters.
        within: A selector of the only element that is new since the page was checked; "" for the whole page.
    """
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(Axe().axe_script)
    listed: list[dict[str, str]] = page.evaluate(CHECK, {"dark": dark, "resized": resized, "within": within})
    return listed


def serious_faults(page: Page, *, dark: bool = False, resized: bool = False, within: str = "") -> list[dict[str, str]]:
    """Return which of the faults are serious or critical."""
    every = faults(page, dark=dark, resized=resized, within=within)
    return [fault for fault in every if fault["impact"] in ("serious", "critical")]
