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

// Quotes are marked in every example that is open.
const opened = new Map();
const markQuotes = () => {
  for (const box of opened.keys()) if (!box.isConnected) opened.delete(box);
  markPassages([...opened]);
};
const said = ([level, apart = 0, reason = "", quote = "", input = "", missing = 0]) => make("td", {},
  apart ? make("span", { className: "apart", textContent: `${level} ≠` }) : level,
  reason ? make("p", { textContent: reason, dir: "auto" }) : null,
  quote ? make("blockquote", { textContent: quote, dir: "auto" }) : null,
  input ? make("p", { className: "soft" }, "in ", named(input)) : null,
  missing ? make("p", { className: "apart", textContent: "in nothing the judge saw" }) : null);
const article = (one) => {
  const quotes = one.rows.flatMap(([, cells]) => cells.map((cell) => cell[3] || "")).filter((quote) => quote);
  const head = make("tr", {}, make("th", { scope: "col", textContent: "criterion" }),
    ...one.raters.map((rater) => make("th", { scope: "col" }, named(rater))));
  const rows = one.rows.map(([name, cells]) => make("tr", {}, make("th", { scope: "row" }, named(name)),
    ...cells.map((cell, place) => { const made = said(cell); made.dataset.of = one.raters[place]; return made; })));
  const box = make("div", { className: "example" });
  box.innerHTML = one.html || "<p>The response is not in these files.</p>";
  opened.set(box, quotes);
  requestAnimationFrame(markQuotes);
  return make("article", { className: "case", ariaLabel: `Example ${one.id}` },
    make("p", { className: "small soft" }, named(one.id), ...one.facts.map((fact) => ` · ${fact}`)),
    box,
    make("div", { className: "wide", tabIndex: 0, role: "group", ariaLabel: "Ratings" },
      make("table", { className: "said" }, make("thead", {}, head), make("tbody", {}, ...rows))),
    ...one.notes.map(([who, note]) => make("p", { className: "small" }, named(who), ": ", named(note))));
};

// All that an example says, for a search.
const textOf = ({ html, ...others }) => {
  const box = document.createElement("template");
  box.innerHTML = html;
  const strings = (value) => (Array.isArray(value) ? value.flatMap(strings) : typeof value === "string" ? [value] : []);
  return [box.content.textContent, ...strings(Object.values(others))].join("\n").toLowerCase();
};
const short = (text) => (text.length > 24 ? `${text.slice(0, 23)}…` : text);

const explorer = (part, list) => {
  const { cases, columns, filters } = list;
  const state = { tag: "", says: "", text: "", column: -1, falling: true, page: 0, open: -1 };
  const output = make("output", { ariaLive: "polite", className: "small" });
  const kind = make("select", { ariaLabel: "Show", onchange: () => show({ tag: kind.value, says: "" }) }, make("option", { value: "", textContent: "all examples" }),
    ...filters.map(([tag, name, n]) => make("option", { value: tag, textContent: `${name} (${n})` })));
  const find = make("input", { type: "search", autocomplete: "off", oninput: () => show({ text: find.value.trim().toLowerCase() }) });
  const all = make("button", { type: "button", textContent: "Show all", onclick: () => { find.value = ""; show({ tag: "", says: "", text: "" }); } });
  const heads = ["example", ...columns].map((name, place) => make("th", { scope: "col", className: place ? "n" : "" }, make("button",
    { type: "button", textContent: name, onclick: () => sort(place) })));
  const order = make("select", { ariaLabel: "Sort by", onchange: () => sort(Number(order.value)) },
    make("option", { value: -1, textContent: "to read first" }),
    ...["example", ...columns].map((name, place) => make("option", { value: place, textContent: name })));
  const body = make("tbody");
  const step = (text, by) => make("button", { type: "button", textContent: text, onclick: () => show({ page: state.page + by }) });
  const back = step("Previous", -1), on = step("Next", 1);
  const words = new Map();
  const contains = (place) => {
    if (!words.has(place)) words.set(place, textOf(cases[place]));
    return words.get(place).includes(state.text);
  };
  const value = (place) => (state.column === 0 ? cases[place].query + cases[place].words : cases[place].values[state.column - 1]);
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
    } }, ...(one.query ? [make("span", { className: "query" }, named(one.query)), " "] : []),
    make("span", { className: "reply" }, named(one.words || (one.html ? "(empty)" : one.id))));
    const differs = make("td", { className: "differs" }, ...one.differs.slice(0, 3).map((text) => make("p", {}, named(text))),
      one.differs.length > 3 ? make("p", { className: "soft", textContent: `and ${one.differs.length - 3} more` }) : null);
    const line = make("tr", { id }, make("th", { scope: "row" }, open), differs,
      ...one.values.map((figure, place) => {
        const cell = make("td", { className: "n", textContent: number(figure) });
        cell.dataset.of = short(columns[place]);
        return cell;
      }),
      make("td", { className: "badges" }, ...one.badges.map((badge) => make("span", { className: `tag ${badge.replaceAll(" ", "-")}`, textContent: badge }))));
    if (state.open !== place) return [line];
    return [line, make("tr", {}, make("td", { className: "holder", colSpan: columns.length + 3 }, article(one)))];
  };
  const show = (change = {}) => {
    Object.assign(state, { page: 0, open: -1 }, change);
    const places = chosen(), pages = Math.max(1, Math.ceil(places.length / PAGE));
    if (state.open >= 0 && !("page" in change)) state.page = Math.max(0, Math.floor(places.indexOf(state.open) / PAGE));
    state.page = Math.min(pages - 1, Math.max(0, state.page));
    kind.value = filters.some(([tag]) => tag === state.tag) ? state.tag : "";
    body.replaceChildren(...places.slice(state.page * PAGE, (state.page + 1) * PAGE).flatMap(row));
    heads.forEach((head, place) => head.setAttribute("aria-sort", place !== state.column ? "none" : state.falling ? "descending" : "ascending"));
    order.value = state.column;
    back.disabled = state.page === 0;
    on.disabled = state.page === pages - 1;
    output.textContent = `${places.length} of ${cases.length}${state.says ? `: ${state.says}` : ""}, page ${state.page + 1} of ${pages}`;
  };
  const form = make("form", { className: "filter", onsubmit: (event) => event.preventDefault() },
    make("label", {}, "Show", kind), make("label", {}, "Containing", find), make("label", { className: "order" }, "Sort by", order), all, output);
  part.querySelector(".examples").replaceChildren(form,
    list.left_out ? make("p", { className: "note", textContent: `${list.left_out} more, which differ less, are not on this page.` }) : "",
    make("div", { className: "wide", tabIndex: 0, role: "group", ariaLabel: "Examples" },
      make("table", { className: "list" }, make("thead", {}, make("tr", {}, heads[0], make("th", { scope: "col", textContent: "differs on" }), ...heads.slice(1), make("td"))), body)),
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

const figureIn = (row, column) => {
  const text = row.cells[column].textContent.replace("−", "-"), found = /-?(?:\d+(?:\.\d+)?|\.\d+)/.exec(text);
  return found && column ? Number(found[0]) : text;
};
const sortRows = (head, falling) => {
  const body = head.closest("table").tBodies[0], column = head.cellIndex;
  const rows = [...body.rows].sort((one, other) => {
    const [a, b] = [figureIn(one, column), figureIn(other, column)];
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
    return falling ? -order : order;
  });
  body.replaceChildren(...rows);
  for (const other of head.parentElement.cells) if (other.matches("th")) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
};
for (const table of document.querySelectorAll("table.sortable"))
  for (const head of table.tHead.rows[0].querySelectorAll("th")) {
    const button = make("button", { type: "button" });
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortRows(head, head.getAttribute("aria-sort") !== "descending" && head.cellIndex > 0));
    head.append(button);
  }

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
