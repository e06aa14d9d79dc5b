// Draws the charts, spreads a metric's values, and filters the table of trials. Names and texts are set as text, never as markup.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const { rows } = data;
const BINS = 20, FIRST = 200, NAMED = 3;
const words = (name) => name.replaceAll("_", " ");
const find = (id) => document.getElementById(id);
const figure = (value) => (value === null ? "n/a" : value < 0 ? "unscored" : (value / 1000).toFixed(3));
const metric = Object.fromEntries(data.metrics.map((m, place) => [m.name, place]));

// ---- charts
const look = () => {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(name).trim();
};
function coloured(part, colour) {
  if (Array.isArray(part)) return part.map((p) => coloured(p, colour));
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => {
    if (key === "values") return [key, value];
    if (key === "range") return [key, value.map((v) => (v.startsWith("--") ? colour(v) : v))];
    return [key, coloured(value, colour)];
  }));
}
function config(colour) {
  const font = getComputedStyle(document.body).fontFamily;
  const text = { labelColor: colour("--muted"), titleColor: colour("--ink"), labelFontSize: 12.5, labelFont: font, domainColor: colour("--line"), gridColor: colour("--line"), tickColor: colour("--line") };
  return { background: null, font, axis: text, axisY: { domain: false, ticks: false, labelPadding: 10 }, view: { stroke: null }, rule: { color: colour("--line") }, bar: { stroke: colour("--card"), strokeWidth: 1.5 }, rect: { cornerRadius: 1 } };
}
async function draw(element) {
  const cohort = element.closest("[data-cohort]").dataset.cohort;
  const colour = look();
  const spec = coloured(data.charts[cohort][element.dataset.chart], colour);
  if (element.dataset.chart === "distribution") spec.layer[1].data = { values: spread(cohort) };
  element.view?.finalize();
  const made = await vegaEmbed(element, spec, { mode: "vega-lite", renderer: "svg", actions: false, ast: true, config: config(colour), tooltip: { disableDefaultStyle: true }, defaultStyle: false });
  element.view = made.view;
}
function chosen(cohort) {
  const section = document.querySelector(`[data-cohort="${cohort}"]`);
  return [section, section.querySelector("[data-distribution]").value];
}
function spread(cohort) {
  const [section, name] = chosen(cohort);
  const column = data.values[metric[name]] ?? [];
  const own = data.slugs.indexOf(cohort);
  const counts = data.agents.map(() => ({ bins: Array(BINS).fill(0), n: 0, na: 0, unscored: 0 }));
  column.forEach((value, row) => {
    if (rows.cohort[row] !== own) return;
    const agent = counts[rows.agent[row]];
    if (value === null) agent.na += 1;
    else if (value < 0) agent.unscored += 1;
    else { agent.n += 1; agent.bins[Math.min(BINS - 1, Math.floor((value / 1000) * BINS + 1e-9))] += 1; }
  });
  section.querySelector("[data-spread]").textContent = counts.map((c, i) => `${data.agents[i].label}: n ${c.n}, n/a ${c.na}${c.unscored ? `, unscored ${c.unscored}` : ""}`).join(" · ");
  const most = Math.max(1, ...counts.flatMap((c) => c.bins.map((b) => b / Math.max(1, c.n))));
  return counts.flatMap((c, i) => c.bins.flatMap((trials, bin) => (trials ? [{
    agent: data.agents[i].label, from: bin / BINS + 0.004, to: (bin + 1) / BINS - 0.004, base: i + 1, top: i + 1 - (0.84 * trials) / Math.max(1, c.n) / most,
    interval: `${(bin / BINS).toFixed(2)} to ${((bin + 1) / BINS).toFixed(2)}`, trials,
  }] : [])));
}
async function drawAll() {
  for (const element of document.querySelectorAll("[data-chart]")) {
    await draw(element);
    await new Promise((next) => setTimeout(next));
  }
  document.documentElement.dataset.drawn = "yes";
}
for (const select of document.querySelectorAll("[data-distribution]")) {
  select.addEventListener("change", () => draw(select.closest("[data-cohort]").querySelector("[data-chart=distribution]")));
}

// ---- the table of trials
const { names } = data;
const named = { agent: data.agents.map((a) => a.label), ...names };
const text = (column, row) => named[column][rows[column][row]];
const drawn = (row) => text("case", row)[0] === "";
const trial = (row) => `${text("cohort", row)}/${rows.trial[row]}`;
const OF_CASES = ["class", "level", "split", "done"], OF_DRAWN = ["tier", "reveal"];
// Does a column say anything of these rows? Those of drawn trials stand there where such are shown, those of cases where tasks are, or nothing but cases.
function says(column, shown) {
  const tasks = shown.some((row) => text("done", row) !== "") || !shown.some(drawn);
  if (OF_CASES.includes(column)) return tasks && shown.some((row) => text(column, row) !== "");
  if (OF_DRAWN.includes(column)) return shown.some((row) => drawn(row) || text(column, row) !== "");
  return column !== "credit" || shown.some((row) => rows.credit[row] !== null);
}
const every = [...rows.agent.keys()];
const filters = Object.fromEntries(["agent", "cohort", ...OF_CASES, ...OF_DRAWN, "end"].map((name) => [name, find(`f-${name}`)]));
const texts = every.map((row) => `${trial(row)} ${text("case", row).join(" ")} ${text("wanted", row).join(" ")}`.toLowerCase());
let all = false;
function option(text, value) {
  const made = document.createElement("option");
  made.textContent = text;
  made.value = value;
  return made;
}
for (const [name, select] of Object.entries(filters)) {
  named[name].forEach((text, i) => select.append(option(name === "agent" || name === "cohort" ? text : words(text) || "none", i)));
  select.parentElement.hidden = !says(name, every);
}
data.metrics.forEach((m, i) => find("f-metric").append(option(m.title, i)));
const number = (input) => (input.value === "" || Number.isNaN(input.valueAsNumber) ? null : input.valueAsNumber * 1000);
function passing() {
  const set = Object.entries(filters).filter(([, select]) => select.value !== "").map(([name, select]) => [rows[name], Number(select.value)]);
  const values = data.values[find("f-metric").value] ?? [];
  const low = number(find("f-low")), high = number(find("f-high"));
  const wanted = find("f-text").value.toLowerCase().split(/\s+/).filter(Boolean);
  const order = find("f-order").value;
  const known = (v) => v !== null && v !== undefined && v >= 0;
  const inside = (v) => (low === null && high === null) || (known(v) && (low === null || v >= low - 0.5) && (high === null || v <= high + 0.5));
  const found = every.filter((row) => set.every(([column, place]) => column[row] === place) && inside(values[row]) && wanted.every((w) => texts[row].includes(w)));
  if (order) found.sort((a, b) => known(values[b]) - known(values[a]) || (order === "low" ? values[a] - values[b] : values[b] - values[a]) || a - b);
  return found;
}
function cell(tag, text, label, kind) {
  const made = document.createElement(tag);
  const inner = document.createElement("bdi");
  inner.textContent = text;
  made.append(inner);
  if (label) made.dataset.label = label;
  if (kind) made.className = kind;
  return made;
}
function mark(done) {
  const made = cell("td", { yes: "✓ yes", no: "✕ no" }[done] ?? "–", "Done", "slim");
  if (done) made.firstChild.className = done === "yes" ? "tag good" : "tag bad";
  return made;
}
// The columns after the first: what stands above them, and the cell of a row.
const cells = {
  agent: ["Agent", (row) => cell("td", text("agent", row), "Agent")],
  class: ["Class", (row) => cell("td", words(text("class", row)) || "–", "Class", "slim")],
  level: ["Level", (row) => cell("td", text("level", row) || "–", "Level", "slim")],
  split: ["Split", (row) => cell("td", text("split", row) || "–", "Split", "slim")],
  done: ["Done", (row) => mark(text("done", row))],
  credit: ["Credit", (row) => cell("td", rows.credit[row] === null ? "–" : (rows.credit[row] / 1000).toFixed(2), "Credit", "slim n")],
  tier: ["Tier", (row) => cell("td", words(text("tier", row)) || "–", "Tier")],
  reveal: ["Reveal", (row) => cell("td", words(text("reveal", row)) || "–", "Reveal")],
  end: ["End", (row) => cell("td", words(text("end", row)), "End")],
  value: ["Value", (row, values) => cell("td", figure(values[row] ?? null), "Value", "n")],
};
function first(row) {
  const head = document.createElement("th");
  head.scope = "row";
  const [name, id] = text("case", row);
  const link = document.createElement("a");
  link.href = `trials/${data.agents[rows.agent[row]].slug}/${rows.page[row]}`;
  link.textContent = (name || trial(row)) + (rows.repeat[row] ? ` repeat ${rows.repeat[row]}` : "");
  if (id) link.title = id;
  const what = document.createElement("span");
  what.className = "what";
  what.dir = "auto";
  const wanted = text("wanted", row);
  what.textContent = [...(name ? [trial(row)] : []), ...wanted.slice(0, NAMED)].join(", ") + (wanted.length > NAMED ? ` and ${wanted.length - NAMED} more` : "");
  head.append(link, what);
  return head;
}
function line(row, columns, values) {
  const made = document.createElement("tr");
  made.append(first(row), ...columns.map((column) => cells[column][1](row, values)));
  return made;
}
function heading(text, kind, id) {
  const made = document.createElement("th");
  made.scope = "col";
  made.textContent = text;
  if (kind) made.className = kind;
  if (id) made.id = id;
  return made;
}
function headings(columns, found) {
  const kinds = found.length ? [...new Set(found.map(drawn))] : [drawn(0)];
  const made = [heading(kinds.length > 1 ? "Trial or case" : kinds[0] ? "Trial" : "Case")];
  for (const column of columns) made.push(heading(cells[column][0], ["credit", "value"].includes(column) ? "n" : "", column === "value" ? "value-head" : ""));
  return made;
}
function show() {
  const found = passing();
  const values = data.values[find("f-metric").value] ?? [];
  const shown = all ? found : found.slice(0, FIRST);
  const columns = Object.keys(cells).filter((column) => says(column, found.length ? found : every));
  find("table").classList.toggle("many", columns.length > 5);
  find("table").tHead.rows[0].replaceChildren(...headings(columns, found));
  find("table").tBodies[0].replaceChildren(...shown.map((row) => line(row, columns, values)));
  find("value-head").textContent = data.metrics[find("f-metric").value]?.title ?? "Value";
  find("count").textContent = `${found.length} of ${rows.agent.length} trials` + (shown.length < found.length ? `, the first ${shown.length} are shown` : "");
  find("more").hidden = shown.length === found.length;
}
find("filters").addEventListener("input", show);
find("filters").addEventListener("reset", () => setTimeout(show));
find("filters").addEventListener("submit", (event) => event.preventDefault());
find("more").addEventListener("click", () => { all = true; show(); });
for (const box of document.querySelectorAll("[data-apart]")) {
  box.addEventListener("change", () => box.closest("section").querySelector(".board").classList.toggle("only-apart", box.checked));
}
const whole = () => { if (!all && rows.agent.length > FIRST) { all = true; show(); } };
matchMedia("print").addEventListener("change", (event) => { if (event.matches) whole(); });
addEventListener("beforeprint", whole);

show();
document.documentElement.dataset.ready = "yes";
drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
