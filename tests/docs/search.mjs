// Puts questions to the site's own search: its script and the worker that its pages load, run by Node. Reads {site,
// questions} from standard input and prints the pages found for each question, best first.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

const { site, questions } = JSON.parse(readFileSync(0, "utf8"));
const SETUP = 0, READY = 1, QUERY = 2; // the kinds of message of the theme's search
const workers = join(site, "assets", "javascripts", "workers");
const worker = readdirSync(workers).find((name) => /^search\..*\.js$/.test(name));
let answer, listener;
globalThis.self = globalThis;
globalThis.addEventListener = (_, heard) => { listener = heard; };
globalThis.postMessage = (message) => answer(message);
runInThisContext(readFileSync(join(workers, worker), "utf8"));
runInThisContext(readFileSync(join(site, "assets", "search.js"), "utf8"));

const ask = (type, data) => new Promise((resolve) => { answer = resolve; listener({ data: { type, data } }); });
const index = JSON.parse(readFileSync(join(site, "search", "search_index.json"), "utf8"));
const { type } = await ask(SETUP, { ...index, options: { suggest: true } });
if (type !== READY) throw new Error(`the search answered ${type}`);
const found = [];
for (const question of questions) {
  const { data } = await ask(QUERY, withoutSmallWords(question));
  found.push(data.items.map((item) => item[0].location.split("#")[0]));
}
console.log(JSON.stringify(found));
