// The settings: data, kernel and its parameters.

import { state, set, kernelText } from "./state.js";
import { number } from "./scatter.js";

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Names of controls. Those of the settings are numbered anew each time, so that the one that has the focus is found again.
let [prefix, ids] = ["p", 0];

function numbered(name, make) {
  const before = [prefix, ids];
  [prefix, ids] = [name, 0];
  const made = make();
  [prefix, ids] = before;
  return made;
}

export function select(label, options, value, change) {
  const id = `${prefix}${++ids}`;
  const box = element("select", { id, onchange: () => change(box.value) },
    ...options.map(([name, text, disabled]) => element("option", { value: name, disabled }, text)));
  box.value = value;
  return element("div", { class: "field" }, element("label", { for: id }, label), box);
}

export function check(label, value, change) {
  const box = element("input", { type: "checkbox", onchange: () => change(box.checked) });
  box.checked = value;
  return element("label", { class: "check" }, box, label);
}

export function button(text, click, attributes = {}) {
  return element("button", { type: "button", class: "small", onclick: click, ...attributes }, text);
}

// A slider; on a logarithmic scale `from` and `to` are powers of 10. `show` prints a value.
export function slider(label, { from, to, step, log = false, value, show = (v) => number(v) }, change) {
  const id = `${prefix}${++ids}`;
  const output = element("output", { for: id }, show(value));
  const outer = (position) => (log ? Number((10 ** position).toPrecision(3)) : position);
  const input = element("input", { type: "range", id, min: from, max: to, step, oninput: () => {
    const now = outer(Number(input.value));
    output.textContent = show(now);
    input.setAttribute("aria-valuetext", show(now));
    change(now);
  } });
  input.value = log ? Math.log10(value) : value;
  input.setAttribute("aria-valuetext", show(value));
  return element("div", { class: "field" }, element("label", { for: id }, label, output), input);
}

// What a parameter may be, as a control.
function parameter(term, about, change) {
  const { name, domain, rules } = about;
  const value = term.params[name] ?? null;
  const label = `${name}: ${about.about}`;
  const named = (control) => { control.title = label; return control; };
  if (domain.kind === "words" || domain.kind === "oneOf") {
    const options = domain.values.map((v) => [String(v), String(v)]);
    const read = (text) => (domain.kind === "oneOf" ? Number(text) : text);
    return named(select(name, options, String(value ?? about.default), (text) => change(name, read(text))));
  }
  const whole = domain.kind === "positiveInteger" || domain.kind === "count";
  const isRule = value === null ? typeof about.default === "string" : typeof value === "string";
  const start = typeof value === "number" ? value : typeof about.default === "number" ? about.default : 1;
  const shape = whole ? { from: domain.kind === "count" ? 0 : 1, to: 12, step: 1 }
    : domain.kind === "share" ? { from: 0.01, to: 1, step: 0.01 }
    : domain.kind === "positive" || rules.length ? { from: -3, to: 3, step: 0.02, log: true }
    : { from: domain.kind === "any" ? -5 : 0, to: 5, step: 0.05 };
  const control = slider(name, { ...shape, value: start }, (now) => change(name, now));
  if (!rules.length) return named(control);
  const options = [["", "a number"], ...rules.map((rule) => [rule, `from the data: ${rule}`])];
  const current = isRule ? value ?? about.default : "";
  const box = element("div", {}, select(`${name} is`, options, current, (rule) => change(name, rule || 1)), isRule ? null : control);
  return named(box);
}

// The formula of a family with the numbers of its parameters in it; names stay where a rule decides.
function filled(family, term) {
  const isSet = (name) => (term.params[name] ?? null) !== null;
  return family.parameters.reduce((text, { name, default: usual }) => {
    const isReplaced = family.parameters.some((other) => other.insteadOf === name && isSet(other.name));
    const value = isReplaced ? null : term.params[name] ?? usual;
    return typeof value === "number" ? text.replace(new RegExp(`(?<![\\w#])${name}(?!\\w)`, "g"), number(value)) : text;
  }, family.formula);
}

// Parameters that are shown: of alternatives the one that is set, or the first.
function shown(family, term) {
  const group = (p) => p.insteadOf ?? p.name;
  const groups = new Map();
  for (const p of family.parameters) {
    if (!groups.has(group(p))) groups.set(group(p), []);
    groups.get(group(p)).push(p);
  }
  return [...groups.values()].map((all) => ({ all, chosen: all.find((p) => (term.params[p.name] ?? null) !== null) ?? all[0] }));
}

export class Controls {
  constructor(box, page) {
    [this.box, this.page] = [box, page];
    this.shown = "";
  }

  // Made anew only where the controls themselves change, so that a slider that is held stays.
  show() {
    const { page } = this;
    const terms = (state.terms ?? []).map((t) => [t.family, Object.entries(t.params).map(([n, v]) => [n, typeof v])]);
    const key = JSON.stringify([state.data, terms, state.join, state.normalise, state.text === null, page.set?.d, state.columns, state.colour,
      state.label, page.scale, state.axes, state.filter, state.selection?.length, page.isDrawing]);
    if (key === this.shown) { this.update(); return; }
    this.shown = key;
    const focused = document.activeElement?.id;
    this.box.replaceChildren(...numbered("c", () => [this.data(), this.kernel()]));
    this.update();
    if (focused) document.getElementById(focused)?.focus();
  }

  update() {
    const text = this.box.querySelector("#kernel-text");
    if (text && document.activeElement !== text) text.value = kernelText();
    const sheet = this.box.querySelector(".sheet");
    if (sheet) sheet.textContent = `Kernel: ${kernelText()}`;
    this.box.querySelectorAll(".live").forEach((line, place) => {
      const term = state.terms[place], family = this.page.families.find((f) => f.name === term?.family);
      if (family) line.textContent = `k(x, x') = ${filled(family, term)}`;
    });
  }

  // What the server says of the kernel.
  resolved(text, definite) {
    const line = this.box.querySelector("#resolved");
    if (line) line.textContent = `k = ${text}${definite ? "" : " (not positive definite in general)"}`;
  }

  failed(message) {
    const line = this.box.querySelector("#resolved");
    if (line) line.textContent = message;
  }

  data() {
    const { page } = this;
    const sets = [...page.sets.map((set_) => [set_.name, `${set_.title} (${set_.n})`]), ["drawn", "Draw your own points"]];
    const about = page.set?.allRows > page.set?.n ? `A random sample of ${page.set.n} of ${page.set.allRows} rows.` : "";
    const parts = [element("h2", {}, "Data"), select("Data set", sets, state.data, (name) => page.open(name)),
      element("p", { class: "soft" }, `${page.set?.about ?? ""}${about ? `. ${about}` : ""}`)];
    if (state.data === "drawn") parts.push(this.drawing());
    if (!page.isText && !page.set?.image && page.set?.d > 2) parts.push(...this.columns());
    const colours = [["", "class"], ...page.columns.filter((c) => c.values).map((c) => [`#${c.name}`, c.name]), ["*cluster", "cluster"], ["*error", "reconstruction error"]];
    if (page.labels.length > 1) parts.push(select("Class", page.labels.map((l) => [l.name, l.name]), page.label, (label) => set({ label })));
    parts.push(select("Colour by", colours, state.colour, (colour) => set({ colour })));
    if (!page.isText && state.data !== "drawn") parts.push(check("Standardise columns", page.scale, (scale) => set({ scale, terms: state.terms })));
    const count = state.selection?.length;
    parts.push(element("div", { class: "row" },
      element("span", { class: "soft" }, count ? `${count} rows selected ` : "Drag around points to select rows. "),
      count ? button("Clear", () => set({ selection: null, filter: false })) : null,
      count > 1 ? button("Fit on these only", () => set({ filter: !state.filter }), { "aria-pressed": state.filter }) : null));
    return element("section", { "aria-label": "Data" }, ...parts);
  }

  drawing() {
    const { page } = this;
    const classes = [0, 1, 2].map((place) => button(`Class ${place + 1}`, () => { page.brush = place; this.shown = ""; this.show(); }, { "aria-pressed": page.brush === place }));
    return element("div", {}, element("p", { class: "soft" }, "Click into the data panel to add points; with Shift, to take them away."),
      element("div", { class: "row" }, ...classes, button("Clear", () => set({ points: [], selection: null, pinned: [] }))));
  }

  columns() {
    const { page } = this;
    const options = page.names.map((name, i) => [String(i), name]);
    const axis = (place, title) => select(title, options, String(state.axes[place]), (value) => {
      const axes = [...state.axes];
      axes[place] = Number(value);
      if (axes[0] === axes[1]) axes[1 - place] = state.axes[place];
      set({ axes });
    });
    const parts = [axis(0, "Horizontal axis"), axis(1, "Vertical axis")];
    if (page.set.d <= 20) {
      const all = page.columns.map((c) => c.name);
      const used = state.columns.length ? state.columns : all;
      parts.push(element("div", { class: "name" }, "Columns used"), ...all.map((name) => check(name, used.includes(name), (on) => {
        const now = all.filter((other) => (other === name ? on : used.includes(other)));
        if (now.length) set({ columns: now.length === all.length ? [] : now, axes: [0, Math.min(1, now.length - 1)], from: 0, to: Math.min(1, now.length - 1) });
        else this.shown = "";
      })));
    }
    return parts;
  }

  kernel() {
    const text = element("input", { type: "text", id: "kernel-text", spellcheck: "false", autocomplete: "off", onchange: () => {
      const typed = text.value.trim();
      if (typed !== kernelText()) set({ text: typed });
    } });
    // On a small screen the section lies at its foot, below the pictures that it changes.
    const sheet = button("", () => {
      this.isOpen = !this.isOpen;
      sheet.setAttribute("aria-expanded", this.isOpen);
      sheet.parentElement.classList.toggle("open", this.isOpen);
    }, { class: "sheet", "aria-expanded": Boolean(this.isOpen) });
    const parts = [sheet, element("h2", {}, "Kernel")];
    if (state.text === null) {
      (state.terms ?? []).forEach((term, place) => parts.push(this.term(term, place)));
      if (state.terms?.length < 3) parts.push(element("div", { class: "row" },
        button("+ add a kernel", () => this.add("+"), { disabled: state.terms.length > 1 && state.join !== "+" }),
        button("× multiply by one", () => this.add("*"), { disabled: state.terms.length > 1 && state.join !== "*" })));
      parts.push(check("Normalise: k(x, y) / √(k(x, x) k(y, y))", state.normalise, (normalise) => set({ normalise })));
    } else parts.push(element("div", { class: "row" }, button("Back to sliders", () => set({ text: null }))));
    parts.push(element("div", { class: "field" }, element("label", { for: "kernel-text" }, "As text, which can be edited"), text),
      element("p", { class: "formula", id: "resolved", "aria-live": "polite" }));
    return element("section", { "aria-label": "Kernel", class: this.isOpen ? "kernel open" : "kernel" }, ...parts);
  }

  add(join) {
    const family = this.page.isText ? "edit" : "linear";
    const known = this.page.families.some((f) => f.name === family) ? family : this.page.families.find((f) => f.input === (this.page.isText ? "strings" : "numbers")).name;
    set({ join, terms: [...state.terms, { family: known, weight: 1, params: {} }] });
  }

  term(term, place) {
    const { page } = this;
    const change = (changes) => set({ terms: state.terms.map((t, i) => (i === place ? { ...t, ...changes } : t)) });
    const setParameter = (name, value) => change({ params: { ...state.terms[place].params, [name]: value } });
    const family = page.families.find((f) => f.name === term.family);
    const fits = (f) => (page.isText ? f.input === "strings" : f.input !== "strings");
    const options = page.families.filter(fits).map((f) => [f.name, f.name]);
    const parts = [select(place ? `${state.join === "+" ? "plus" : "times"} family` : "Family", options, term.family,
      (name) => change({ family: name, params: {} }))];
    parts.push(element("p", { class: "formula live" }, family ? `k(x, x') = ${filled(family, term)}` : ""), element("p", { class: "soft" }, `${(family?.about ?? "").replaceAll("`", "").replace(/\.$/, "")}. Positive definite: ${family?.definite}.`));
    for (const { all, chosen } of family ? shown(family, term) : []) {
      if (all.length > 1) parts.push(select(`Given by`, all.map((p) => [p.name, p.name]), chosen.name, (name) => {
        const params = Object.fromEntries(Object.entries(term.params).filter(([other]) => !all.some((p) => p.name === other)));
        change({ params: { ...params, [name]: 1 } });
      }));
      parts.push(parameter(term, chosen, setParameter));
    }
    if (state.terms.length > 1) {
      parts.push(slider("weight", { from: -2, to: 2, step: 0.02, log: true, value: term.weight }, (weight) => change({ weight })),
        button("Remove", () => set({ terms: state.terms.filter((_, i) => i !== place) })));
    }
    return element("div", { class: "term" }, ...parts);
  }
}
