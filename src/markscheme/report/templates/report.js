"use strict";
const PAGE = 25;
const lists = JSON.parse(document.getElementById("data").textContent);
const make = (name, given = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
};
const named = (text) => make("bdi", { textContent: text });
const number = (value) => (value === null ? "–" : value.toFixed(2).replace("-", "−"));

const marked = (text, quotes) => {
  const box = make("pre", { tabIndex: 0, dir: "auto" });
  let at = 0;
  const found = quotes.map((quote) => [text.indexOf(quote), quote.length]).filter(([place]) => place >= 0);
  for (const [place, length] of found.sort((a, b) => a[0] - b[0])) {
    if (place < at) continue;
    box.append(text.slice(at, place), make("mark", { textContent: text.slice(place, place + length) }));
    at = place + length;
  }
  box.append(text.slice(at));
  return box;
};
const said = ([level, apart = 0, reason = "", quote = "", input = "", missing = 0]) => make("td", {},
  apart ? make("span", { className: "apart", textContent: `${level} ≠` }) : level,
  reason ? make("p", { textContent: reason, dir: "auto" }) : null,
  quote ? make("blockquote", { textContent: quote, dir: "auto" }) : null,
  input ? make("p", { className: "soft" }, "in ", named(input)) : null,
  missing ? make("p", { className: "apart", textContent: "in nothing the judge saw" }) : null);
const article = (one) => {
  const quotes = one.rows.flatMap(([, cells]) => cells.map((cell) => cell[3] || "")).filter((quote) => quote);
  const heading = (text) => make("p", { className: "small soft" }, named(text));
  const head = make("tr", {}, make("th", { scope: "col", textContent: "criterion" }),
    ...one.raters.map((rater) => make("th", { scope: "col" }, named(rater))));
  const rows = one.rows.map(([name, cells]) =>
    make("tr", {}, make("th", { scope: "row" }, named(name)), ...cells.map(said)));
  return make("article", { className: "case", ariaLabel: `Example ${one.id}` },
    one.facts.length ? make("p", { className: "small soft", textContent: one.facts.join(" · ") }) : null,
    ...one.inputs.flatMap(([name, text]) => [heading(name), marked(text, quotes)]),
    heading("response"),
    one.response === null ? make("p", { textContent: "The response is not in these files." }) : marked(one.response, quotes),
    make("div", { className: "wide", tabIndex: 0, role: "group", ariaLabel: "Ratings" },
      make("table", { className: "said" }, make("thead", {}, head), make("tbody", {}, ...rows))),
    ...one.notes.map(([who, note]) => make("p", { className: "small" }, named(who), ": ", named(note))));
};

const explorer = (part, list) => {
  const { cases, columns, filters } = list;
  const state = { tag: "", says: "", text: "", column: -1, falling: true, page: 0, open: -1 };
  const output = make("output", { ariaLive: "polite", className: "small" });
  const kind = make("select", { ariaLabel: "Show", onchange: () => show({ tag: kind.value, says: "" }) }, make("option", { value: "", textContent: "all examples" }),
    ...filters.map(([tag, name, n]) => make("option", { value: tag, textContent: `${name} (${n})` })));
  const find = make("input", { type: "search", autocomplete: "off", oninput: () => show({ text: find.value.trim().toLowerCase() }) });
  const all = make("button", { type: "button", textContent: "Show all", onclick: () => { find.value = ""; show({ tag: "", says: "", text: "" }); } });
  const heads = ["example", ...columns].map((name, place) => make("th", { scope: "col" }, make("button",
    { type: "button", textContent: name, onclick: () => sort(place) })));
  const body = make("tbody");
  const step = (text, by) => make("button", { type: "button", textContent: text, onclick: () => show({ page: state.page + by }) });
  const back = step("Previous", -1), on = step("Next", 1);
  const words = new Map();
  const contains = (place) => {
    if (!words.has(place)) words.set(place, JSON.stringify(cases[place]).toLowerCase());
    return words.get(place).includes(JSON.stringify(state.text).slice(1, -1));
  };
  const value = (place) => (state.column === 0 ? cases[place].id : cases[place].values[state.column - 1]);
  const compare = (a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one === null || other === null) return (one === null) - (other === null);
    const order = typeof one === "string" ? one.localeCompare(other, undefined, { numeric: true }) : one - other;
    return state.falling ? -order : order;
  };
  const chosen = () => {
    const places = cases.map((_, place) => place).filter((place) =>
      (!state.tag || cases[place].tags.includes(state.tag)) && (!state.text || contains(place)));
    return state.column < 0 ? places : places.sort(compare);
  };
  const sort = (column) => show({ column, falling: state.column === column ? !state.falling : column > 0 });
  const row = (place) => {
    const one = cases[place], id = `${part.id}-x${place}`;
    const open = make("button", { type: "button", className: "open", ariaExpanded: String(state.open === place), onclick: () => {
      show({ open: state.open === place ? -1 : place, page: state.page });
      document.getElementById(id)?.querySelector("button").focus();
    } }, named(one.id));
    const line = make("tr", { id }, make("th", { scope: "row" }, open),
      ...one.values.map((figure) => make("td", { textContent: number(figure) })),
      make("td", {}, ...one.badges.map((badge) => make("span", { className: `tag ${badge.replaceAll(" ", "-")}`, textContent: badge }))));
    if (state.open !== place) return [line];
    return [line, make("tr", {}, make("td", { className: "holder", colSpan: columns.length + 2 }, article(one)))];
  };
  const show = (change = {}) => {
    Object.assign(state, { page: 0, open: -1 }, change);
    const places = chosen(), pages = Math.max(1, Math.ceil(places.length / PAGE));
    if (state.open >= 0 && !("page" in change)) state.page = Math.max(0, Math.floor(places.indexOf(state.open) / PAGE));
    state.page = Math.min(pages - 1, Math.max(0, state.page));
    kind.value = filters.some(([tag]) => tag === state.tag) ? state.tag : "";
    body.replaceChildren(...places.slice(state.page * PAGE, (state.page + 1) * PAGE).flatMap(row));
    heads.forEach((head, place) => head.setAttribute("aria-sort", place !== state.column ? "none" : state.falling ? "descending" : "ascending"));
    back.disabled = state.page === 0;
    on.disabled = state.page === pages - 1;
    output.textContent = `${places.length} of ${cases.length}${state.says ? `: ${state.says}` : ""}, page ${state.page + 1} of ${pages}`;
  };
  const form = make("form", { className: "filter", onsubmit: (event) => event.preventDefault() },
    make("label", {}, "Show", kind), make("label", {}, "Containing", find), all, output);
  part.querySelector(".examples").replaceChildren(form,
    list.left_out ? make("p", { className: "note", textContent: `${list.left_out} more, which differ less, are not on this page.` }) : "",
    make("div", { className: "wide", tabIndex: 0, role: "group", ariaLabel: "Examples" },
      make("table", { className: "list" }, make("thead", {}, make("tr", {}, ...heads, make("td"))), body)),
    make("p", { className: "pages" }, back, " ", on));
  show();
  return {
    open: (place) => {
      show({ tag: "", says: "", text: (find.value = ""), open: place });
      const line = document.getElementById(`${part.id}-x${place}`);
      line?.scrollIntoView();
      line?.querySelector("button").focus({ preventScroll: true });
    },
    list: (tag, says) => {
      show({ tag, says, text: (find.value = "") });
      const section = part.querySelector(".examples").closest("section");
      section.scrollIntoView();
      section.querySelector("h2, h3, h4").focus({ preventScroll: true });
    },
  };
};

let next = 0;
for (const part of document.querySelectorAll("[data-list]")) {
  const list = lists[next++], view = explorer(part, list);
  part.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-example], circle[data-example], a[data-tag]");
    if (!link) return;
    event.preventDefault();
    if (link.dataset.tag) view.list(link.dataset.tag, link.dataset.says || "");
    else if (link.dataset.example < list.cases.length) view.open(Number(link.dataset.example));
  });
  for (const worst of part.querySelectorAll("details.worst")) {
    worst.addEventListener("toggle", () => {
      const one = list.cases[worst.dataset.example];
      if (worst.open && worst.children.length === 1 && one) worst.append(article(one));
    });
  }
}
