// What the page shows: all of it stands in the address, so that it can be kept, shared and gone back to.

export const DEFAULTS = {
  data: "", points: [], columns: [], axes: [0, 1], label: "", colour: "", scale: null,
  terms: null, join: "+", normalise: false, text: null,
  k: 3, component: 1, embedding: [0, 1, 2], turned: false, turn: [0.6, 0.4], c: 1, alpha: null, from: 0, to: 1, clusters: 2, rounds: 30, seed: 0,
  order: "class", outliers: "error", selection: null, filter: false, pinned: [], large: "", lesson: null,
  matrix: "2 1\n1 2", preimage: null, theme: "",
};

export const state = structuredClone(DEFAULTS);
const listeners = [];
const past = [];
let isPending = false;

export const onChange = (listener) => listeners.push(listener);
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function written() {
  const changed = Object.entries(state).filter(([name, value]) => !same(value, DEFAULTS[name]));
  return changed.length ? `#${encodeURIComponent(JSON.stringify(Object.fromEntries(changed)))}` : "";
}

const isNumber = (value) => Number.isFinite(value);
const isText = (value) => typeof value === "string" && value.length <= 5000;
const isFlag = (value) => typeof value === "boolean";
const isWhole = (from, to) => (value) => Number.isInteger(value) && value >= from && value <= to;
const isIn = (from, to) => (value) => isNumber(value) && value >= from && value <= to;
const isOne = (...all) => (value) => all.includes(value);
const isList = (is, from, to) => (value) => Array.isArray(value) && value.length >= from && value.length <= to && value.every(is);
const isTerm = ({ family, weight, params } = {}) => /^\w+$/.test(family) && isNumber(weight) && params !== null && typeof params === "object"
  && Object.values(params).every((value) => value === null || isNumber(value) || isText(value));
const or = (other, is) => (value) => value === other || is(value);
const [isRow, MOST] = [isWhole(0, 1e6), 20_000];

// What each part may be. An address may come from anywhere.
const RULES = {
  data: isText, points: isList(isList(isNumber, 3, 3), 0, 500), columns: isList(isText, 0, 4000), axes: isList(isWhole(0, 4000), 2, 2),
  label: isText, colour: isText, scale: or(null, isFlag), terms: or(null, isList((term) => term !== null && typeof term === "object" && isTerm(term), 1, 3)),
  join: isOne("+", "*"), normalise: isFlag, text: or(null, isText), k: isWhole(1, 10), component: isWhole(1, 10),
  embedding: isList(isWhole(0, 9), 2, 3), turned: isFlag, turn: isList(isIn(-10, 10), 2, 2), c: isIn(1e-6, 1e6), alpha: or(null, isIn(1e-12, 1e8)),
  from: isWhole(0, 4000), to: isWhole(0, 4000), clusters: isWhole(1, 10), rounds: isWhole(1, 30), seed: isWhole(0, 1e6),
  order: isOne("class", "cluster", "table"), outliers: isOne("error", "f"), selection: or(null, isList(isRow, 1, MOST)), filter: isFlag,
  pinned: isList(isRow, 0, 20), large: isText, lesson: or(null, isList(or(0, (part) => isText(part) || isRow(part)), 2, 2)),
  matrix: isText, preimage: or(null, isList(isNumber, 2, 2)), theme: isOne("", "light", "dark"),
};

// Takes what an address says, as far as it can be so.
export function read() {
  let found = {};
  try {
    found = JSON.parse(decodeURIComponent(location.hash.slice(1)) || "{}") ?? {};
  } catch { /* An address that was cut off says nothing. */ }
  for (const [name, value] of Object.entries(DEFAULTS)) {
    const own = found[name];
    state[name] = structuredClone(own !== undefined && RULES[name](own) ? own : value);
  }
}

function announce() {
  if (isPending) return;
  isPending = true;
  requestAnimationFrame(() => {
    isPending = false;
    listeners.forEach((listener) => listener());
  });
}

// Changes the state. Small changes one after the other are one step back.
export function set(changes) {
  if (Object.entries(changes).every(([name, value]) => same(state[name], value))) return;
  const now = performance.now();
  if (!past.length || now - past.at(-1).time > 600) past.push({ time: now, text: JSON.stringify(state) });
  else past.at(-1).time = now;
  if (past.length > 100) past.shift();
  Object.assign(state, structuredClone(changes));
  announce();
}

export function undo() {
  const before = past.pop();
  if (before) Object.assign(state, JSON.parse(before.text));
  announce();
  return Boolean(before);
}

let timer = 0;
// Browsers allow few changes of the address in a second.
function note() {
  clearTimeout(timer);
  timer = setTimeout(() => history.replaceState(null, "", location.pathname + written()), 250);
}
onChange(note);

// Changes what one panel alone shows, which draws it itself: in every frame of a movement there is no time for more.
export function setQuietly(changes) {
  Object.assign(state, changes);
  note();
}
window.addEventListener("hashchange", () => { read(); announce(); });

// The kernel as text.
export function kernelText() {
  if (state.text !== null) return state.text;
  const term = ({ family, weight, params }) => {
    const set_ = Object.entries(params).filter(([, value]) => value !== null).map(([name, value]) => `${name}=${value}`);
    const call = set_.length ? `${family}(${set_.join(", ")})` : family;
    return weight === 1 ? call : `${weight}*${call}`;
  };
  const all = (state.terms ?? []).map(term).join(` ${state.join} `);
  return state.normalise ? `normalize(${all})` : all;
}
