// The page: starts, keeps panels up to date, and says when the server is away.

import { state, set, read, undo, onChange } from "./state.js";
import { ask, file, onConnection } from "./api.js";
import { Controls, button, element } from "./controls.js";
import { Page } from "./page.js";
import { Panel } from "./panel.js";
import { PANELS } from "./panels.js";
import { Rows } from "./table.js";
import { commands } from "./commands.js";
import { csv, save, snapshot, svgOf } from "./exports.js";
import { LESSONS } from "./lessons.js";
import { CanvasSurface } from "./surface.js";
import { classColour, ink, isDark } from "./colours.js";
import { number } from "./scatter.js";

const find = (id) => document.getElementById(id);
const page = new Page();
const panels = [];
const hint = find("hint");
let rows;

// The row near the pointer is marked in every plot; what it holds is shown beside the pointer.
page.near = (row, event, canvas) => {
  page.nearRow = row;
  panels.filter((panel) => panel.isSeen).forEach((panel) => panel.plots.forEach((plot) => plot.mark(row ?? null, state.pinned)));
  if (row !== null && row !== undefined && page.focus.row !== row) {
    page.focus = { row, point: page.hasPlane ? page.at(row) : null };
    panels.find((panel) => panel.kind.id === "shape")?.update();
  }
  showHint(row, event, canvas);
};

page.centre = (row, point) => {
  page.focus = row === null ? { row: page.focus.row, point } : { row, point: page.at(row) };
  panels.find((panel) => panel.kind.id === "shape").update();
};

page.cell = (panel, point, event) => {
  const { gram } = panel;
  const place = point && gram ? [gram.size - 1 - Math.floor(point[1]), Math.floor(point[0])] : [];
  const isIn = place.length && place.every((i) => i >= 0 && i < gram.size);
  if (!isIn) { showHint(null); return; }
  const [a, b] = place.map((i) => page.fitted()[gram.rows[i]]);
  showText(`k(${page.title(a)}, ${page.title(b)}) = ${number(gram.values[place[0] * gram.size + place[1]], 4)}`, event.clientX, event.clientY);
};

function showText(text, x, y, image = null) {
  hint.replaceChildren(...(image ? [image] : []), document.createTextNode(text));
  hint.hidden = false;
  const box = hint.getBoundingClientRect();
  hint.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  hint.style.top = `${Math.max(4, Math.min(y + 14, innerHeight - box.height - 8))}px`;
}

function showHint(row, event, canvas) {
  if (row === null || row === undefined) { hint.hidden = true; return; }
  const box = canvas?.getBoundingClientRect();
  const [x, y] = event ? [event.clientX, event.clientY] : box ? [box.left + 10, box.top + 10] : [0, 0];
  if (event || canvas) showText(page.describe(row), x, y, page.image(row));
  find("status").textContent = page.describe(row).split("\n").slice(0, 4).join(" · ");
}

// What the colours of points say: classes, clusters, or a scale.
function legend() {
  if (page.shade()) return scaleOf(page.palette);
  const isClusters = state.colour === "*cluster";
  const names = isClusters ? Array.from({ length: state.clusters }, (_, i) => `cluster ${i + 1}`) : page.classes;
  const shown = names.slice(0, 12).map((name, place) => {
    const canvas = element("canvas", { "aria-hidden": "true" });
    new CanvasSurface(canvas, 14, 14, 2).mark(7, 7, 4, place, classColour(place), ink("paper"));
    return element("li", {}, canvas, name);
  });
  const more = names.length > 12 ? [element("li", {}, `and ${names.length - 12} more, whose colours repeat`)] : [];
  return element("ul", { class: "legend", "aria-label": isClusters ? "Clusters" : page.label || "Classes" }, ...shown, ...more);
}

function scaleOf({ low, high, name, at }) {
  const canvas = element("canvas", { "aria-hidden": "true", class: "scale" });
  const surface = new CanvasSurface(canvas, 120, 14, 2);
  for (let i = 0; i < 120; i++) surface.rect(i, 0, 1.2, 14, at(i / 119));
  return element("ul", { class: "legend", "aria-label": "Scale of colours" }, element("li", {}, `${name}: ${number(low)} `, canvas, ` ${number(high)}`));
}

function showLegend() {
  const box = find("legend"), fresh = legend();
  if (box.firstChild?.outerHTML !== fresh.outerHTML || box.dataset.view !== String(isDark())) box.replaceChildren(fresh);
  box.dataset.view = String(isDark());
}

function extras() {
  const names = page.names;
  const model = (method, more = {}) => button(`${method}.mercer`, async () => {
    try {
      save(`${method}.mercer`, await file("model", { ...page.query(), method, names, ...more }));
    } catch (error) { find("status").textContent = error.message; }
  });
  const ridge = ridgeAnswer();
  const table = `${page.file.split("/").pop().replace(/\.\w+(\.gz)?$/, "")}.csv`;
  const parts = [element("h3", {}, "Files"), element("div", { class: "row" },
    button(`Rows (${table})`, () => save(table, csv(fullNames(), page.fitted().map(fullCells)), "text/csv")),
    button("Embedding (CSV)", saveEmbedding), model("kpca", { components: state.k }), model("outliers", { components: state.k }),
    model("kmeans", { clusters: state.clusters, rounds: state.rounds, seed: state.seed }),
    page.hasClasses ? model("svc", { c: state.c }) : null,
    ridge && page.hasCurve ? model("krr", { from: state.from, to: state.to, alpha: ridge.alpha, names: [names[state.from]] }) : null)];
  return parts;
}

const fullNames = () => [...page.columns.map((c) => c.name), ...page.labels.map((l) => l.name)];
const fullCells = (row) => [...page.columns.map((c) => (c.texts ?? c.values)[row]), ...page.labels.map((l) => l.cells[row])];

function saveEmbedding() {
  const answer = page.components;
  if (!answer) return;
  const count = Math.min(state.k, answer.scores.length);
  const names = ["row", ...page.labels.map((l) => l.name), ...Array.from({ length: count }, (_, j) => `component_${j + 1}`), "error"];
  const line = (row, i) => [row + 1, ...page.labels.map((l) => l.cells[row]), ...answer.scores.slice(0, count).map((s) => s[i]), answer.errors[i]];
  save("embedding.csv", csv(names, page.fitted().map(line)), "text/csv");
}

page.project = async (text) => {
  if (!text.trim()) return;
  const answer = await ask("project", { ...page.query(), text });
  if (answer?.value) page.projected = { text, scores: answer.value.scores };
  find("status").textContent = answer?.error ?? `“${text}”: components ${answer?.value.scores.slice(0, 3).map((v) => number(v)).join(", ")}`;
  page.refresh();
};

// What the panel of ridge regression found for the columns of now.
function ridgeAnswer() {
  const panel = panels.find((p) => p.kind.id === "ridge");
  return panel.answer && panel.about === panel.identity() ? panel.answer : null;
}

let shownCommands = "";
function showCommands() {
  const lines = commands(page, ridgeAnswer());
  const key = JSON.stringify([lines, state.data, page.isText, page.classes.length > 1, state.k, state.c, state.clusters, state.rounds, state.seed, state.from, state.to]);
  if (key === shownCommands || find("commands").contains(document.activeElement) && document.activeElement.tagName === "INPUT") return;
  shownCommands = key;
  const block = (title, text) => [element("div", { class: "row" }, element("h3", {}, title), button("Copy", async (event) => {
    try {
      await navigator.clipboard.writeText(text);
      event.target.textContent = "Copied";
    } catch { event.target.textContent = "Select and copy"; }
  }, { "aria-label": `Copy ${title}` })), element("pre", { tabindex: "0" }, text)];
  find("commands").replaceChildren(element("h2", {}, "The same as commands"), ...block("Command line", lines.shell), ...block("Python", lines.python), ...block("Rust", lines.rust), ...extras());
}

function showLesson() {
  const box = find("lesson");
  const [id, step] = state.lesson ?? [];
  const lesson = LESSONS.find((l) => l.id === id);
  box.hidden = state.lesson === null;
  find("lessons-open").setAttribute("aria-expanded", String(!box.hidden));
  const now = lesson?.steps[Math.min(step, lesson.steps.length - 1)];
  panels.forEach((panel) => { panel.wanted = now?.panels ?? null; });
  find("layout").classList.toggle("reading", Boolean(now));
  const key = JSON.stringify(state.lesson);
  if (box.dataset.shown === key) return;
  box.dataset.shown = key;
  if (box.hidden) return;
  if (!now) {
    box.replaceChildren(element("h2", {}, "Lessons"), element("div", { class: "lessons" }, ...LESSONS.map((l) =>
      button(`${l.title}: ${l.about}`, () => go(l.id, 0)))));
    return;
  }
  const last = step + 1 >= lesson.steps.length;
  box.replaceChildren(element("h2", {}, `${lesson.title} (${step + 1} of ${lesson.steps.length})`), ...now.text.map((text) => element("p", {}, ...text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part)))),
    element("div", { class: "row" }, button("Back", () => go(id, step - 1), { disabled: step === 0 }), button(last ? "All lessons" : "Next", () => (last ? set({ lesson: ["", 0] }) : go(id, step + 1)), { id: "lesson-next" }),
      button("End the lesson", () => set({ lesson: null }))));
}

// The keys of a presenter's remote control.
function turnPage(event) {
  const [id, step] = state.lesson ?? [];
  const to = step + { PageDown: 1, PageUp: -1 }[event.key];
  if (!LESSONS.find((l) => l.id === id)?.steps[to] || event.target.closest("input, textarea, select, pre, .wide")) return;
  event.preventDefault();
  go(id, to);
}

function go(id, step) {
  const changes = LESSONS.find((l) => l.id === id).steps[step].set;
  set({ ...changes, lesson: [id, step], large: "" });
  find("lesson").scrollIntoView({ block: "nearest" });
}

let updates = 0;
async function update() {
  const mine = ++updates;
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
  const isLoaded = await page.load();
  if (mine !== updates || !isLoaded) return;
  page.chosen = null;
  showLesson();
  page.controls.show();
  panels.forEach((panel) => panel.update());
  showLegend();
  rows.show();
  showCommands();
}

// Panels that use the answers of others.
page.answered = (id) => {
  if (id === "embedding") panels.filter((p) => p.kind.follows === "embedding" || p.kind.id === "preimage").forEach((p) => p.update());
  if (id === "embedding" && !page.hasPlane) panels.find((p) => p.kind.id === "clusters").redraw();
  if (id === "contours") panels.find((p) => p.kind.id === "outliers").redraw();
  if (id === "embedding" && state.colour === "*error") { panels.forEach((p) => p.redraw()); showLegend(); }
  if (id === "ridge") showCommands();
};
page.refresh = () => panels.forEach((panel) => panel.update());

onConnection((isBack, isOther) => {
  const line = find("offline");
  line.hidden = isBack;
  line.textContent = isOther ? "The server was started anew under another address: open the address that it printed."
    : "The server does not answer. The page goes on when it is back.";
  if (isBack) { [page.loaded, page.labelled] = ["", ""]; update(); }
});

function bind() {
  find("lessons-open").addEventListener("click", () => set({ lesson: state.lesson === null ? ["", 0] : null }));
  find("undo").addEventListener("click", undo);
  find("theme").addEventListener("click", () => {
    set({ theme: isDark() ? "light" : "dark" });
  });
  find("snapshot").addEventListener("click", () => {
    const shown = panels.filter((panel) => !panel.box.hidden && panel.plots[0].picture)
      .map((panel) => ({ name: panel.kind.title, markup: svgOf(panel), caption: panel.caption.textContent }));
    const lines = commands(page, ridgeAnswer());
    const colours = { back: ink("back"), ink: ink("ink"), paper: ink("paper"), soft: ink("soft") };
    save("mercer.html", snapshot(`mercer: ${page.set.title}`, shown, { "Command line": lines.shell, Python: lines.python, Rust: lines.rust }, colours), "text/html");
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
  addEventListener("keydown", turnPage);
}

async function start() {
  read();
  bind();
  try {
    await page.start();
  } catch (error) {
    find("status").textContent = error.message;
    return;
  }
  page.controls = new Controls(find("controls"), page);
  for (const kind of PANELS) panels.push(new Panel(kind, page));
  find("panels").replaceChildren(...panels.map((panel) => panel.box));
  rows = new Rows(find("rows"), page, (row) => page.near(row));
  onChange(update);
  await update();
}

start();
