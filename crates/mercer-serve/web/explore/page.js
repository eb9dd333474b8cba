// What the panels know: the open data set, what is used of it, and what is near the pointer.

import { state, set, kernelText } from "./state.js";
import { get, ask } from "./api.js";
import { around, css, isDark, rising } from "./colours.js";
import { number, range } from "./scatter.js";
import { fieldImage } from "./surface.js";

const shades = { "*error": (page, row) => page.components?.errors?.[page.place(row)] };

const shortened = (text) => (text.length > 40 ? `${text.slice(0, 39).trim()}…` : text);

export class Page {
  constructor() {
    [this.sets, this.families, this.columns, this.labels] = [[], [], [], []];
    [this.set, this.components, this.over, this.clusterOf, this.projected] = [null, null, null, null, null];
    [this.classes, this.classPlaces] = [[], []];
    this.focus = { row: 0, point: null };
    this.brush = 0;
    this.loaded = "";
    this.refresh = () => {};
  }

  async start() {
    const { sets, kernels, exact, landmarks } = await get("api/start");
    [this.sets, this.families, this.exact, this.landmarks] = [sets, kernels, exact, landmarks];
  }

  // Opens another data set, with the kernel that suits it.
  open(name) {
    const about = this.sets.find((s) => s.name === name);
    set({ data: name, columns: [], axes: [0, 1], label: "", colour: "", scale: null, selection: null, filter: false, pinned: [], alpha: null, from: 0, to: 1, preimage: null,
      ...(name === "drawn" ? { terms: [{ family: "rbf", weight: 1, params: { gamma: 1 } }], text: null, normalise: false } : this.suited(about)) });
  }

  // The kernel of a data set as terms, if it is simple enough.
  suited(about) {
    const found = /^(normalize\()?(\w+)(?:\(([^()]*)\))?\)?$/.exec(about.kernel);
    if (!found) return { text: about.kernel };
    const params = Object.fromEntries((found[3] ?? "").split(",").filter(Boolean).map((part) => {
      const [name, value] = part.split("=").map((text) => text.trim());
      return [name, Number.isNaN(Number(value)) ? value : Number(value)];
    }));
    return { text: null, join: "+", normalise: Boolean(found[1]), terms: [{ family: found[2], weight: 1, params }] };
  }

  // Reads the rows of the data set if they are others than before.
  async load() {
    if (state.data !== "drawn" && !this.sets.some((s) => s.name === state.data)) {
      // An address of another table.
      Object.assign(state, { data: this.sets[0].name, columns: [], axes: [0, 1], label: "", colour: "", selection: null, filter: false, pinned: [] });
      state.terms = null;
    }
    if (state.data === "drawn") {
      const [x, y] = [0, 1].map((i) => state.points.map((point) => point[i]));
      this.columns = [{ name: "x", values: x }, { name: "y", values: y }];
      this.labels = [{ name: "class", cells: state.points.map((point) => String(point[2] + 1)) }];
      this.set = { name: "drawn", title: "Your points", about: "Points that you draw", kind: "numbers", file: "points.csv", n: x.length, d: 2, allRows: x.length, scale: false, kernel: "rbf(gamma=1)" };
    } else if (this.loaded !== state.data) {
      const answer = await ask("data", { data: state.data });
      if (!answer?.value) return false;
      [this.columns, this.labels] = [answer.value.columns, answer.value.labels];
      this.set = this.sets.find((s) => s.name === state.data);
    }
    if (this.loaded !== state.data) {
      [this.components, this.over, this.clusterOf, this.projected] = [null, null, null, null];
      [this.focus, this.failed] = [{ row: 0, point: null }, null];
      this.loaded = state.data;
    }
    if (!state.terms && state.text === null) Object.assign(state, this.suited(this.set));
    this.palette = null;
    this.fit();
    const key = JSON.stringify([state.data, this.label, state.data === "drawn" && state.points]);
    if (key === this.labelled) return true;
    this.labelled = key;
    const classes = this.labels.find((l) => l.name === this.label)?.cells ?? [];
    this.classes = [...new Set(classes)].sort((a, b) => (Number(a) - Number(b)) || (a < b ? -1 : a > b ? 1 : 0));
    const places = new Map(this.classes.map((name, place) => [name, place]));
    this.classPlaces = classes.map((name) => places.get(name));
    return true;
  }

  // Leaves out what this table does not have: an address may name other rows and columns.
  fit() {
    const known = this.isText ? [] : this.columns.map((c) => c.name).filter((name) => state.columns.includes(name));
    state.columns = known.length === this.columns.length ? [] : known;
    const [n, d] = [this.set.n, this.used.length];
    const has = (column) => column < Math.max(d, 1);
    const both = (a, b) => has(a) && has(b) && (a !== b || d < 2);
    if (!both(...state.axes)) state.axes = [0, Math.min(1, d - 1)];
    if (!both(state.from, state.to)) [state.from, state.to] = [0, Math.min(1, d - 1)];
    state.pinned = state.pinned.filter((row) => row < n);
    state.selection = state.selection?.filter((row) => row < n) ?? null;
    if (!state.selection?.length) [state.selection, state.filter] = [null, false];
  }

  get label() { return this.labels.some((l) => l.name === state.label) ? state.label : this.labels[0]?.name ?? ""; }
  get isText() { return this.set?.kind === "strings"; }
  get scale() { return state.scale ?? this.set?.scale ?? false; }
  get used() {
    return state.columns.length ? this.columns.filter((c) => state.columns.includes(c.name)) : this.columns;
  }
  get names() { return this.used.map((c) => c.name); }
  get n() { return this.fitted().length; }
  get hasPlane() { return !this.isText && this.used.length >= 2 && this.used.length <= 20 && !this.set.image; }

  // Whether the rows that are used are of two classes at least.
  get hasClasses() {
    const rows = this.fitted();
    return rows.some((row) => this.classOf(row) !== this.classOf(rows[0]));
  }
  get hasCurve() { return !this.isText && !this.set?.image && this.names.length > 1 && this.names.length <= 100; }
  // The file that commands read: that of the table, or one of the rows that are used alone.
  get file() {
    const name = this.set.file || "points.csv";
    return this.isFiltered ? `${name.split("/").pop().replace(/\.\w+(\.gz)?$/, "")}-selection.csv` : name;
  }
  get isFiltered() { return state.filter && state.selection?.length > 1; }

  allRows() { return Array.from({ length: this.set?.n ?? 0 }, (_, i) => i); }
  // The rows that are fitted, and the place of a row among them.
  fitted() { return this.isFiltered ? state.selection : this.allRows(); }
  place(row) { return Math.max(0, this.fitted().indexOf(row)); }
  values(j) { return this.used[j]?.values ?? []; }
  classOf(row) { return this.classPlaces?.[row] ?? 0; }
  title(row) {
    if (this.isText) return shortened(this.columns[0].texts[row] ?? "");
    return `row ${row + 1}`;
  }
  cellNames() { return [...this.labels.map((l) => l.name), ...this.columns.slice(0, this.set?.image ? 0 : 30).map((c) => c.name)]; }
  cells(row) { return [...this.labels.map((l) => l.cells[row]), ...this.columns.slice(0, this.set?.image ? 0 : 30).map((c) => (c.texts ?? c.values)[row])]; }

  // The question that all panels have in common.
  query() {
    return { data: state.data, kernel: kernelText(), label: this.label || undefined, scale: this.scale,
      ...(state.data === "drawn" ? { points: state.points } : {}), ...(state.columns.length ? { columns: state.columns } : {}),
      ...(this.isFiltered ? { rows: state.selection } : {}) };
  }

  plane() {
    const [a, b] = state.axes;
    if (state.data === "drawn") return { x: [-3, 3], y: [-2.25, 2.25] };
    return { x: range(this.values(a)), y: range(this.values(b)) };
  }
  grid(size) { return this.hasPlane ? { axes: state.axes, ...this.plane(), size } : undefined; }
  at(row) { return [this.values(state.axes[0])[row], this.values(state.axes[1])[row]]; }
  planePoints() {
    const [xs, ys] = [this.values(state.axes[0]), this.values(state.axes[1])];
    return this.fitted().map((row) => ({ x: xs[row], y: ys[row], row, ...this.look(row) }));
  }

  // The colour and shape of a row.
  look(row) {
    const faded = Boolean(state.selection && !state.filter && !(this.chosen ??= new Set(state.selection)).has(row));
    if (state.colour === "*cluster") return { place: this.clusterOf?.get(row) ?? 0, faded };
    const shade = this.shade();
    return { place: this.classOf(row), colour: shade ? shade(row) : undefined, faded };
  }

  shade() {
    if (!state.colour || state.colour === "*cluster") return null;
    const key = `${state.colour} ${isDark()} ${state.data}`;
    if (this.palette?.key === key && this.palette.answer === this.components) return this.palette.of;
    const column = this.columns.find((c) => `#${c.name}` === state.colour);
    const value = column ? (row) => column.values[row] : (row) => shades[state.colour]?.(this, row) ?? 0;
    const [low, high] = range(this.fitted().map(value), 0);
    const scale = (row) => (value(row) - low) / (high - low || 1);
    const isAround = low < 0 && high > 0 && column;
    const of = (row) => css(isAround ? around(value(row) / Math.max(-low, high)) : rising(scale(row)));
    this.palette = { key, answer: this.components, of, low, high, name: column?.name ?? "reconstruction error",
      at: (share) => css(isAround ? around((low + share * (high - low)) / Math.max(-low, high)) : rising(share)) };
    return of;
  }

  describe(row) {
    const lines = this.cellNames().map((name, i) => {
      const value = this.cells(row)[i];
      return `${name}: ${typeof value === "number" ? number(value, 4) : value}`;
    });
    const scores = this.components?.scores;
    if (scores?.[0]?.length === this.n && this.fitted().includes(row)) {
      const place = this.place(row);
      lines.push(`components: ${scores.slice(0, 3).map((s) => number(s[place], 4)).join(", ")}`, `error: ${number(this.components.errors[place])}`);
    }
    return [`row ${row + 1}`, ...lines.slice(0, 12)].join("\n");
  }

  // A row as an image; nothing if rows are none.
  image(row) {
    if (!this.set?.image) return null;
    const shade = (value) => Math.round(255 * (1 - Math.min(Math.max(value, 0), 1)));
    const [width, height] = this.set.image;
    const values = Array.from({ length: width * height }, (_, i) => this.columns[(height - 1 - Math.floor(i / width)) * width + (i % width)].values[row]);
    return fieldImage(values, [width, height], (value) => [shade(value), shade(value), shade(value)]);
  }

  draw(row, [x, y], isErased) {
    if (isErased) {
      if (row !== null) set({ points: state.points.filter((_, i) => i !== row), selection: null, pinned: [] });
    } else if (state.points.length < 500) set({ points: [...state.points, [Number(x.toFixed(3)), Number(y.toFixed(3)), this.brush]], selection: null });
  }

  pin(row) {
    const pinned = state.pinned.includes(row) ? state.pinned.filter((other) => other !== row) : [...state.pinned, row].slice(-20);
    set({ pinned });
  }
}
