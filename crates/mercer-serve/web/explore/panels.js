// The panels: what each asks the server for, and how it draws the answer.

import { state, set, setQuietly } from "./state.js";
import { extremes, field, number, range } from "./scatter.js";
import { around, classChannels, classColour, css, ink, rising } from "./colours.js";
import { button, check as checkbox, element, select, slider } from "./controls.js";
import { fieldImage } from "./surface.js";
import { turning } from "./turn.js";

const GRID = [61, 61];
// Of regions with sharp edges, where there is time for it.
const fine = (page) => (page.n <= 500 ? [151, 151] : GRID);
const MOST_CLASSES = 30;
const NO_VARIANCE = "There is no component: for this kernel all rows are alike.";
const sub = (n) => String(n).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
const percent = (share) => `${Math.abs(share) < 1e-9 ? 0 : number(100 * share, 3)} %`;
// Ticks at whole numbers from 1 on, about ten at most.
const wholes = (most) => Array.from({ length: most }, (_, i) => i + 1).filter((i) => i === 1 || i % Math.ceil(most / 10) === 0);
const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-300);

// A field whose sign is its colour, with contours at round shares of its largest value.
function signed(values, plane, extra = []) {
  const most = largest(values);
  const levels = [-0.8, -0.6, -0.4, -0.2, 0.2, 0.4, 0.6, 0.8].map((share) => ({ value: share * most, opacity: 0.25 }));
  return field(values, GRID, plane, (value) => around(value / most), [...levels, { value: 0, width: 1.4, opacity: 0.7 }, ...extra]);
}

function heat(values, plane) {
  const [low, high] = extremes(values);
  const levels = [0.2, 0.4, 0.6, 0.8].map((share) => ({ value: low + share * (high - low), opacity: 0.3 }));
  return field(values, GRID, plane, (value) => [...rising((value - low) / (high - low || 1)), 190], levels);
}

const scale = (values) => { const [low, high] = extremes(values); return low === high ? `all ${number(low)}` : `from ${number(low)} (dark) to ${number(high)} (bright)`; };

// What a picture of the plane of two columns has in common.
function planar(page, more = {}) {
  const plane = page.plane();
  return { x: plane.x, y: plane.y, xTitle: page.names[state.axes[0]] ?? "", yTitle: page.names[state.axes[1]] ?? "",
    points: page.planePoints(), ...more };
}

const pointer = (page) => ({
  hover: (row, point, event, at) => page.near(row, event, at), pick: (row) => row !== null && page.pin(row),
  lasso: (rows) => set({ selection: rows.length ? rows : null, filter: rows.length > 1 && state.filter }),
});

// Names beside points, where none lies on another.
function named(surface, all) {
  const taken = [];
  for (const [x, y, text] of all) {
    const width = 5.6 * surface.unit * text.length;
    const left = x + 8 + width > surface.width ? x - 8 - width : x + 8;
    if (taken.some(([a, b, w]) => Math.abs(b - y) < 11 * surface.unit && left < a + w && a < left + width)) continue;
    taken.push([left, y, width]);
    surface.text(text, left, y, ink("soft"), { size: 10 });
  }
}

// A panel: `name` is the question it asks, `needs` what of the state the answer depends on, nothing if it asks nothing now.
export const PANELS = [
  {
    id: "data", title: "Data", fits: (page) => !page.isText && !page.set?.image,
    make(panel, page) {
      panel.plot("Data", { ...pointer(page),
        pick: (row, point, event) => {
          if (state.data === "drawn" && point) page.draw(row, point, event.shiftKey);
          else if (row !== null) page.pin(row);
        } });
    },
    draw(panel, page) {
      panel.plots[0].show(planar(page));
      const drawn = state.data === "drawn" && state.points.length < 2 ? " Click to add at least two points." : "";
      const medians = page.names.length > 2 ? ` ${page.names.length} columns are used, two are shown.` : "";
      panel.say(`${page.n} rows.${medians}${drawn}`);
    },
  },
  {
    id: "shape", title: "Shape of the kernel, k(x, ·)",
    make(panel, page) {
      panel.plot("Values of the kernel with one x", { ...pointer(page),
        hover: (row, point, event, at) => { page.near(row, event, at); if (point) page.centre(row, point); } });
    },
    needs: (page) => ({ row: page.place(page.focus.row), ...(page.focus.point && page.hasPlane ? { point: page.focus.point } : {}), plane: page.grid(GRID) }),
    draw(panel, page, answer) {
      const values = answer.rows;
      const [low, high] = extremes(values);
      const rows = page.fitted();
      if (page.hasPlane) {
        const under = low < 0 ? signed(answer.plane, page.plane()) : heat(answer.plane, page.plane());
        const [x, y] = page.focus.point ?? page.at(page.focus.row);
        const centre = (surface, { to }) => { const [a, b] = to(x, y); surface.ring(a, b, 7, ink("paper"), 4); surface.ring(a, b, 7, ink("ink"), 2); };
        panel.plots[0].show(planar(page, { under, above: centre }));
        panel.say(`k(x, x) = ${number(answer.own)}. ${low < 0 ? "Blue is negative, orange positive." : `Values ${scale(answer.plane)}.`} Move the pointer to move x.`);
      } else {
        const shade = (value) => css(rising((value - low) / (high - low || 1)));
        const order = rows.map((row, i) => [values[i], row]).sort((a, b) => b[0] - a[0]);
        const points = order.map(([value, row], i) => ({ x: i + 1, y: value, place: page.classOf(row), row, colour: shade(value) }));
        const images = (surface) => order.slice(0, 8).forEach(([, row], i) => {
          const side = 26 * surface.unit;
          surface.image(page.image(row), surface.width - (8 - i) * (side + 4) - (i ? 8 : 16), 10, side, side, false);
        });
        panel.plots[0].show({ x: [0, order.length + 1], y: range([0, ...values]), xTitle: "rows, the most similar first", yTitle: "k(x, row)", points, above: page.set.image ? images : undefined });
        const similar = order.slice(1, 4).map(([, row]) => page.title(row)).join(", ");
        panel.say(`x is ${page.title(rows[page.place(page.focus.row)])}. Most similar: ${similar}.${page.set.image ? " Above: x, and the rows most similar to it." : ""}`);
      }
    },
  },
  {
    id: "embedding", title: "Kernel PCA: embedding", question: "components",
    make(panel, page) {
      const turn = turning(panel);
      panel.plot("Embedding by kernel PCA", { ...pointer(page), ...turn });
      panel.tools((box) => {
        const of = (place, title) => select(title, Array.from({ length: Math.max(2, state.k) }, (_, i) => [String(i), `component ${i + 1}`]),
          String(state.embedding[place]), (value) => set({ embedding: state.embedding.map((old, i) => (i === place ? Number(value) : old)) }));
        box.append(of(0, "Across"), of(1, "Up"), slider("components", { from: 1, to: 10, step: 1, value: state.k }, (k) => set({ k, component: Math.min(state.component, k) })),
          checkbox("3-D", state.turned, (turned) => set({ turned, k: Math.max(3, state.k) })));
        if (!page.isText) return;
        const input = element("input", { type: "text", id: "new-text", autocomplete: "off", onkeydown: (event) => event.key === "Enter" && page.project(input.value) });
        box.append(element("div", { class: "field" }, element("label", { for: "new-text" }, "Place a new string"), input), button("Place it", () => page.project(input.value)));
      }, () => [state.k, state.embedding, state.turned, page.isText]);
      panel.turn = turn;
    },
    needs: () => ({ components: state.k }),
    answered(page, answer) { [page.components, page.failed] = [answer, null]; page.controls.resolved(answer.kernel, answer.definite); },
    draw(panel, page, answer) {
      const rows = page.fitted();
      const found = Math.min(state.k, answer.eigenvalues.length);
      if (!found) { panel.clear(NO_VARIANCE); return; }
      const zero = new Array(rows.length).fill(0);
      const [a, b] = state.embedding;
      const column = (j) => answer.scores[j] ?? zero;
      const title = (j) => `component ${j + 1} (${percent(answer.ratios[j] ?? 0)})`;
      let [xs, ys] = [column(a), column(b)], titles = [title(a), title(b)];
      let order = rows.map((_, i) => i), deep = null;
      if (state.turned) {
        const all = panel.turn.project([0, 1, 2].map(column));
        [xs, ys, deep] = [0, 1, 2].map((j) => all.map((point) => point[j]));
        // Those behind are drawn first, and smaller.
        order.sort((i, j) => deep[i] - deep[j]);
      }
      const size = rows.length > 2000 ? 2.2 : rows.length > 400 ? 3 : 4;
      const depth = (i) => (deep ? { r: (size * Math.round(4 * (1 + 0.25 * deep[i]))) / 4 } : {});
      const points = order.map((i) => ({ x: xs[i], y: ys[i], row: rows[i], ...depth(i), ...page.look(rows[i]) }));
      const axes = state.turned ? panel.turn.axes([0, 1, 2].map((j) => `component ${j + 1}`)) : undefined;
      const new_ = page.projected && !state.turned ? [{ x: page.projected.scores[a] ?? 0, y: page.projected.scores[b] ?? 0, text: page.projected.text }] : [];
      const above = (surface, { to }) => {
        for (const { x, y, text } of new_) {
          const [px, py] = to(x, y);
          surface.ring(px, py, 6, ink("warn"), 3);
          const isLeft = px + 9 + 7 * surface.unit * text.length > surface.width;
          surface.text(text, isLeft ? px - 9 : px + 9, py, ink("ink"), { size: 12, halo: ink("paper"), align: isLeft ? "right" : "left" });
        }
        if (page.isText && rows.length <= 60 && !state.turned) named(surface, rows.map((row, i) => [...to(xs[i], ys[i]), page.title(row)]));
      };
      // Turned, the scale stays: no point lies farther out than a corner of the cube.
      const ranges = state.turned ? { x: [-1.5, 1.5], y: [-1.4, 1.4] }
        : { x: range([...xs, ...new_.map((p) => p.x)], page.isText ? 0.18 : 0.06), y: range([...ys, ...new_.map((p) => p.y)]) };
      panel.plots[0].show({ ...ranges, xTitle: titles[0], yTitle: titles[1], points, under: axes, above, square: state.turned, bare: state.turned });
      const notes = answer.notes.length ? ` ${answer.notes[0]}` : "";
      panel.say(`${answer.method === "exact" ? "Exact" : `By ${answer.method}`}, ${percent(1 - answer.residual)} of the variance in ${found} ${found === 1 ? "component" : "components"}.${state.turned ? " Drag, or use the arrow keys, to turn." : ""}${notes}`);
    },
  },
  {
    id: "contours", title: "Components over the plane", fits: (page) => page.hasPlane,
    make(panel, page) {
      panel.plot("One component over the plane", pointer(page));
      panel.tools((box) => box.append(slider("component", { from: 1, to: Math.max(state.k, 1), step: 1, value: Math.min(state.component, state.k) }, (component) => set({ component }))),
        () => [state.k, state.component]);
    },
    needs: (page) => ({ components: state.k, plane: page.grid(GRID) }),
    answered(page, answer) { page.over = answer; },
    draw(panel, page, answer) {
      const j = Math.min(state.component, answer.components.length) - 1;
      if (j < 0) { panel.clear(NO_VARIANCE); return; }
      panel.plots[0].show(planar(page, { under: signed(answer.components[j], page.plane()) }));
      panel.say(`f${sub(j + 1)} of ${answer.components.length}: blue is negative, orange positive; on the bold line f${sub(j + 1)} = 0.${page.names.length > 2 ? " The other columns are at their medians." : ""}`);
    },
  },
  {
    id: "spectrum", title: "Spectrum", question: "components",
    make(panel) { panel.plot("Shares of the variance, by component"); },
    follows: "embedding",
    draw(panel, page, answer) {
      const shown = answer.ratios.slice(0, 30);
      if (!shown.length) { panel.clear(NO_VARIANCE); return; }
      let sum = 0;
      const sums = shown.map((ratio) => (sum += ratio));
      const bars = (surface, { to }) => {
        const [, zero] = to(0, 0);
        shown.forEach((ratio, i) => {
          const [left, top] = to(i + 0.6, ratio), [right] = to(i + 1.4, 0);
          surface.rect(left, top, right - left, zero - top, i < state.k ? classColour(0) : ink("soft"), i < state.k ? 1 : 0.45);
        });
        surface.lines([sums.map((value, i) => to(i + 1, value))], classColour(1), 2);
        surface.lines([[to(0, 0.9), to(shown.length + 1, 0.9)]], ink("ink"), 1, [5, 4], 0.7);
        // Where the line of sums is not.
        const isLeft = sums[0] < 0.75;
        const [x, y] = to(isLeft ? 0.4 : shown.length + 0.4, 0.9);
        surface.text("90 %", x, y - 8, ink("soft"), { align: isLeft ? "left" : "right" });
      };
      panel.plots[0].show({ x: [0.3, shown.length + 0.7], y: [0, 1.03], xTitle: "component", xTicks: wholes(shown.length), yTitle: "share of the variance", under: bars });
      const at = answer.k90 ? `90 % with ${answer.k90} ${answer.k90 === 1 ? "component" : "components"}` : "90 % needs more components than are drawn";
      panel.say(`Bars: each component; line: their sum. ${at}; with ${state.k}, ${percent(answer.residual)} is left.`);
    },
  },
  {
    id: "gram", title: "Gram matrix",
    make(panel, page) {
      panel.plot("Gram matrix", { hover: (_, point, event) => page.cell(panel, point, event) });
      panel.tools((box) => box.append(select("Order", [["class", "by class"], ["cluster", "by cluster"], ["table", "as in the table"]], state.order, (order) => set({ order }))), () => [state.order]);
    },
    needs: (page) => (state.order === "cluster" && page.clusterOf ? { order: "cluster", groups: page.fitted().map((row) => page.clusterOf.get(row) ?? 0) }
      : { order: state.order === "class" && page.hasClasses ? "class" : "table" }),
    draw(panel, page, answer) {
      const { size, values, groups } = answer;
      const [low, high] = extremes(values);
      const most = Math.max(Math.abs(low), Math.abs(high));
      const colour = low < 0 ? (value) => around(value / most) : (value) => rising((value - low) / (high - low || 1));
      const flipped = new Array(size * size);
      for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) flipped[(size - 1 - i) * size + j] = values[i * size + j];
      const image = fieldImage(flipped, [size, size], colour);
      const under = (surface, { to }) => {
        const [left, top] = to(0, size), [right, bottom] = to(size, 0);
        surface.image(image, left, top, right - left, bottom - top, false);
        groups.forEach((group, i) => {
          if (!i || group === groups[i - 1]) return;
          surface.lines([[to(i, 0), to(i, size)], [to(0, size - i), to(size, size - i)]], ink("paper"), 1.2);
        });
      };
      panel.gram = answer;
      panel.plots[0].show({ x: [0, size], y: [0, size], under, square: true, bare: true });
      panel.say(`${size} × ${size}${answer.sampled ? `, evenly spaced among ${page.n} rows` : ""}. ${low < 0 ? `Blue is negative, orange positive; values from ${number(low)} to ${number(high)}.` : `Values ${scale(values)}.`}`);
    },
  },
  {
    id: "svm", title: "Support vector machine", fits: (page) => page.classes.length > 1,
    make(panel, page) {
      panel.plot("Decision boundary, margins and support vectors", pointer(page));
      panel.tools((box) => box.append(slider("C", { from: -3, to: 4, step: 0.05, log: true, value: state.c }, (c) => set({ c }))), () => [state.c]);
    },
    needs: (page) => (page.hasClasses && page.classes.length <= MOST_CLASSES ? { c: state.c, plane: page.grid(page.classes.length > 2 ? fine(page) : GRID) } : null),
    without: (page) => !page.hasClasses ? "All rows are of one class." : `${page.classes.length} classes: every two of them are compared, which this page does for at most ${MOST_CLASSES}. Choose another column as class.`,
    draw(panel, page, answer, needs) {
      const rows = page.fitted();
      const support = new Set(answer.support.map((place) => rows[place]));
      const wrong = new Set(answer.wrong.map((place) => rows[place]));
      const order = answer.classes.map((name) => page.classes.indexOf(name));
      const error = percent(answer.wrong.length / rows.length);
      const common = `${answer.support.length ? `${answer.support.length} support vectors (ringed), ${answer.atBound} at C. ` : `By ${answer.method}. `}${answer.wrong.length} rows on the wrong side (${error}).${answer.converged ? "" : " The solver stopped before it converged."}`;
      if (!page.hasPlane) {
        const decisions = answer.decisions;
        if (!decisions) { panel.bars(rows, wrong, page); panel.say(`${common} Errors by class.`); return; }
        const points = rows.map((row, i) => ({ x: i, y: decisions[i], row, ...page.look(row) }));
        const lines = (surface, { to }) => [-1, 0, 1].forEach((y) => surface.lines([[to(-1, y), to(rows.length, y)]], ink("ink"), y ? 1 : 2, y ? [5, 4] : []));
        panel.plots[0].show({ x: [-1, rows.length], y: range([-1.2, 1.2, ...decisions]), xTitle: "rows", yTitle: "decision value", points, under: lines });
        panel.say(`${common} Dashed: margins.`);
        return;
      }
      const plane = page.plane();
      const { plane: over } = answer;
      const under = over.decisions
        ? field(over.decisions, needs.plane.size, plane, (value) => [...classChannels(order[value > 0 ? 1 : 0]), 40 + 90 * Math.min(1, Math.abs(value) / 2)],
          [{ value: 0, width: 2.2, opacity: 1 }, { value: -1, dash: [5, 4], opacity: 0.8 }, { value: 1, dash: [5, 4], opacity: 0.8 }])
        : field(over.lead, needs.plane.size, plane, (value, i) => [...classChannels(order[over.classes[i]]), 70], [], false);
      const rings = (surface, { to }) => {
        for (const point of page.planePoints()) {
          const [x, y] = to(point.x, point.y);
          if (support.has(point.row)) surface.ring(x, y, 6, ink("ink"), 1.2);
          if (wrong.has(point.row)) surface.lines([[[x - 4, y - 4], [x + 4, y + 4]], [[x - 4, y + 4], [x + 4, y - 4]]], ink("ink"), 1.6);
        }
      };
      panel.plots[0].show(planar(page, { under, above: rings }));
      panel.say(`${common}${over.decisions ? " Dashed: margins." : ""}`);
    },
  },
  {
    id: "ridge", title: "Kernel ridge regression", fits: (page) => page.hasCurve,
    make(panel, page) {
      panel.plot("Regression curve", pointer(page));
      panel.plot("Leave-one-out error along the path of λ", { pick: (_, point) => point && set({ alpha: Number((10 ** point[0]).toPrecision(3)) }) });
      panel.tools((box) => {
        const options = page.names.map((name, i) => [String(i), name]);
        const clash = (name, other) => (value) => set({ [name]: Number(value), ...(Number(value) === state[other] ? { [other]: state[name] } : {}) });
        box.append(select("Input", options, String(state.from), clash("from", "to")), select("Target", options, String(state.to), clash("to", "from")),
          slider("λ", { from: -8, to: 4, step: 0.05, log: true, value: state.alpha ?? panel.answer?.best ?? 1 }, (alpha) => set({ alpha })),
          button("λ by leave-one-out", () => set({ alpha: null }), { "aria-pressed": state.alpha === null }));
      }, () => [state.from, state.to, state.alpha, page.names, panel.answer?.best]);
    },
    needs: () => ({ from: state.from, to: state.to, alpha: state.alpha }),
    draw(panel, page, answer) {
      const [xs, ys] = [page.values(state.from), page.values(state.to)];
      const points = page.fitted().map((row) => ({ x: xs[row], y: ys[row], row, ...page.look(row) }));
      const line = answer.curve.x.map((x, i) => [x, answer.curve.y[i]]);
      const above = (surface, { to }) => surface.lines([line.map(([x, y]) => to(x, y))], ink("ink"), 2.5);
      panel.plots[0].show({ x: range(answer.curve.x, 0), y: range(points.map((p) => p.y), 0.12), xTitle: page.names[state.from], yTitle: page.names[state.to], points, above });
      const logs = answer.alphas.map(Math.log10);
      const at = Math.log10(answer.alpha), best = Math.log10(answer.best);
      const path = (surface, { to }) => {
        surface.lines([logs.map((x, i) => to(x, answer.errors[i]))], classColour(0), 2);
        surface.lines([[to(at, -1e300), to(at, 1e300)].map(([x], i) => [x, i ? 0 : surface.height])], classColour(1), 1.5, [4, 3]);
        const [x, y] = to(best, Math.min(...answer.errors));
        surface.mark(x, y, 5, 3, classColour(1), ink("paper"));
      };
      panel.plots[1].show({ x: [-8.3, 4.3], y: range(answer.errors), xTitle: "λ", yTitle: "leave-one-out error", logX: true, above: path });
      panel.say(`λ = ${number(answer.alpha)}${state.alpha === null ? ", chosen by leave-one-out" : `; leave-one-out chooses ${number(answer.best)}`}. Mean squared error on the rows ${number(answer.trainingError)}; the diamond marks the least leave-one-out error, ${number(Math.min(...answer.errors))}.`);
    },
  },
  {
    id: "clusters", title: "Kernel k-means",
    make(panel, page) {
      panel.plot("Clusters", pointer(page));
      panel.tools((box) => box.append(slider("clusters", { from: 1, to: 10, step: 1, value: state.clusters }, (clusters) => set({ clusters })),
        slider("rounds", { from: 1, to: 30, step: 1, value: state.rounds }, (rounds) => set({ rounds })),
        button("One round", () => set({ rounds: 1 })), button("Next round", () => set({ rounds: Math.min(30, state.rounds + 1) })),
        button("Another start", () => set({ seed: state.seed + 1 }))), () => [state.clusters, state.rounds]);
    },
    needs: (page) => ({ clusters: state.clusters, rounds: state.rounds, seed: state.seed, plane: page.grid(fine(page)) }),
    answered(page, answer) {
      const old = page.clusterOf ? JSON.stringify([...page.clusterOf]) : "";
      page.clusterOf = new Map(page.fitted().map((row, i) => [row, answer.labels[i]]));
      if (JSON.stringify([...page.clusterOf]) !== old && (state.order === "cluster" || state.colour === "*cluster")) page.refresh();
    },
    draw(panel, page, answer, needs) {
      const rows = page.fitted();
      const place = new Map(rows.map((row, i) => [row, answer.labels[i]]));
      const rounds = `${answer.rounds} ${answer.rounds === 1 ? "round" : "rounds"}, ${answer.converged ? "nothing changes any more" : "not at its end"}`;
      const text = `${rounds}. Objective ${number(answer.objective, 4)}; sizes ${answer.sizes.join(", ")}.`;
      const look = (point) => ({ ...point, place: place.get(point.row) ?? 0, colour: undefined });
      if (page.hasPlane) {
        const under = field(answer.plane, needs.plane.size, page.plane(), (value) => [...classChannels(value), 60], [], false);
        panel.plots[0].show(planar(page, { under, points: page.planePoints().map(look) }));
      } else {
        const scores = page.components?.scores;
        const [a, b] = [scores?.[0], scores?.[1] ?? scores?.[0]];
        if (!a || a.length !== rows.length) { panel.say(text); return; }
        const points = rows.map((row, i) => look({ x: a[i], y: b[i], row, faded: page.look(row).faded }));
        panel.plots[0].show({ x: range(a), y: range(b), xTitle: "component 1", yTitle: "component 2", points });
      }
      panel.say(text);
    },
  },
  {
    id: "outliers", title: "Outliers", question: "contours",
    make(panel, page) {
      panel.plot("How unusual points are", pointer(page));
      panel.tools((box) => box.append(select("Score", [["error", "reconstruction error"], ["f", "F(x) = Σ |fᵢ(x)|"]], state.outliers, (outliers) => set({ outliers }))), () => [state.outliers]);
    },
    follows: "embedding",
    draw(panel, page, answer) {
      const rows = page.fitted();
      const scores = state.outliers === "f" ? answer.f : answer.errors;
      const order = rows.map((row, i) => [scores[i], row]).sort((a, b) => b[0] - a[0]);
      const least = order[Math.min(order.length, 8) - 1][0];
      const top = new Set(order.slice(0, Math.min(8, Math.ceil(order.length / 10))).map(([, row]) => row));
      const name = state.outliers === "f" ? "F(x)" : "reconstruction error";
      const text = `Most unusual by ${name}: ${order.slice(0, 3).map(([score, row]) => `${page.title(row)} (${number(score)})`).join(", ")}.`;
      const rings = (list) => (surface, { to }) => list.filter((p) => top.has(p.row)).forEach((p) => { const [x, y] = to(p.x, p.y); surface.ring(x, y, 7, ink("warn"), 2); });
      const over = page.over && (state.outliers === "f" ? page.over.f : page.over.errors);
      if (page.hasPlane) {
        panel.plots[0].show(planar(page, { under: over?.length === GRID[0] * GRID[1] ? heat(over, page.plane()) : undefined, above: rings(page.planePoints()) }));
        panel.say(`${text} Ringed: the highest scores. With ${state.k} components.`);
      } else {
        const points = rows.map((row, i) => ({ x: answer.f[i], y: answer.errors[i], row, ...page.look(row) }));
        panel.plots[0].show({ x: range(answer.f), y: range(answer.errors), xTitle: "F(x)", yTitle: "reconstruction error", points, above: rings(points) });
        panel.say(`${text} Ringed: from ${number(least)} on.`);
      }
    },
  },
  {
    id: "preimage", title: "Pre-image of a point of the embedding", fits: (page) => !page.isText && page.names.length <= 1000,
    make(panel, page) {
      const move = (point) => { setQuietly({ preimage: point }); panel.update(); };
      panel.plot("Embedding: drag to move the point", { ...pointer(page), lasso: undefined, press: (point) => { move(point); return true; }, drag: move,
        grabs: ([x, y]) => panel.handle && Math.hypot(x - panel.handle[0], y - panel.handle[1]) < 30,
        key: (event) => {
          const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
          if (!step || !panel.dragged) return false;
          const { x, y } = panel.plots[0].scales();
          move([panel.dragged[0] + (step[0] * (x[1] - x[0])) / 40, panel.dragged[1] + (step[1] * (y[1] - y[0])) / 40]);
          return true;
        } });
      panel.plot("The pre-image");
    },
    without: (page) => (page.components && !page.components.scores.length ? NO_VARIANCE : page.failed),
    needs(page) {
      const scores = page.components?.scores;
      if (!scores?.length || scores[0].length !== page.fitted().length) return null;
      const k = Math.min(state.k, scores.length);
      const near = page.place(page.focus.row);
      const [a, b] = state.preimage ?? [scores[0][near], scores[Math.min(1, k - 1)][near]];
      // Other components are those of the nearest row, so that the point stays among the rows.
      let best = 0, distance = Infinity;
      scores[0].forEach((x, i) => {
        const d = (x - a) ** 2 + (k > 1 ? (scores[1][i] - b) ** 2 : 0);
        if (d < distance) [best, distance] = [i, d];
      });
      return { components: k, scores: Array.from({ length: k }, (_, j) => (j === 0 ? a : j === 1 ? b : scores[j][best])) };
    },
    draw(panel, page, answer, needs) {
      const scores = page.components?.scores;
      if (!scores?.length || scores[0].length !== page.fitted().length || !needs) return;
      const [a, b] = [scores[0], scores[1] ?? scores[0]];
      const points = page.fitted().map((row, i) => ({ x: a[i], y: b[i], row, ...page.look(row) }));
      panel.dragged = [needs.scores[0], needs.scores[1] ?? needs.scores[0]];
      const handle = (surface, { to }) => { const [x, y] = panel.handle = to(...panel.dragged); surface.ring(x, y, 8, ink("paper"), 6); surface.ring(x, y, 8, ink("warn"), 3); };
      panel.plots[0].show({ x: range(a), y: range(b), xTitle: "component 1", yTitle: "component 2", points, above: handle });
      const { image } = page.set;
      if (image) {
        const [w, h] = image;
        const flipped = answer.row.map((_, i) => answer.row[(h - 1 - Math.floor(i / w)) * w + (i % w)]);
        const picture = fieldImage(flipped, [w, h], (value) => { const shade = Math.round(255 * (1 - Math.min(Math.max(value, 0), 1))); return [shade, shade, shade]; });
        panel.plots[1].show({ x: [0, w], y: [0, h], square: true, bare: true, under: (surface, { to }) => { const [l, t] = to(0, h), [r, d] = to(w, 0); surface.image(picture, l, t, r - l, d - t, false); } });
      } else if (page.hasPlane) {
        const [x, y] = [answer.row[state.axes[0]], answer.row[state.axes[1]]];
        panel.plots[1].show(planar(page, { above: (surface, { to }) => { const [px, py] = to(x, y); surface.ring(px, py, 8, ink("paper"), 6); surface.ring(px, py, 8, ink("warn"), 3); } }));
      }
      const values = image ? "" : ` ${page.names.slice(0, 6).map((name, i) => `${name} ${number(answer.row[i])}`).join(", ")}.`;
      panel.say(`By ${answer.method}${answer.converged ? "" : ", which did not converge here"}.${values} Drag the ring.`);
    },
  },
  {
    id: "check", title: "Is this a kernel matrix?",
    make(panel) {
      const area = element("textarea", { "aria-label": "A matrix: a line for each row", spellcheck: "false", oninput: () => set({ matrix: area.value.slice(0, 5000) }) });
      area.value = state.matrix;
      panel.area = area;
      panel.box.insertBefore(area, panel.caption);
      panel.plot("Eigenvalues of the matrix");
    },
    needs() {
      const rows = state.matrix.trim().split(/\n|;/).map((line) => line.trim().split(/[\s,]+/).filter(Boolean).map(Number));
      return { matrix: rows };
    },
    draw(panel, page, answer) {
      if (document.activeElement !== panel.area && panel.area.value !== state.matrix) panel.area.value = state.matrix;
      const values = answer.eigenvalues;
      const bars = (surface, { to }) => {
        const [left, zero] = to(0, 0), [right] = to(values.length + 1, 0);
        surface.lines([[[left, zero], [right, zero]]], ink("soft"));
        values.forEach((value, i) => {
          const [a, y] = to(i + 0.7, value), [b] = to(i + 1.3, 0);
          surface.rect(a, Math.min(y, zero), b - a, Math.abs(zero - y), classColour(value < 0 ? 1 : 0));
        });
      };
      panel.plots[0].show({ x: [0.2, values.length + 0.8], y: range([0, ...values]), xTitle: "eigenvalues", xTicks: wholes(values.length), under: bars });
      const witness = answer.witness ? ` Witness: a = (${answer.witness.weights.slice(0, 6).map((w) => number(w)).join(", ")}${answer.witness.weights.length > 6 ? ", …" : ""}) has aᵀKa = ${number(answer.witness.value)}.` : "";
      panel.say(`${answer.isValid ? "Yes" : "No"}: ${answer.text}. Eigenvalues ${values.slice(0, 8).map((v) => number(v)).join(", ")}${values.length > 8 ? ", …" : ""}.${witness}`);
    },
  },
];
