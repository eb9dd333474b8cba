// What the page shows: all of it stands in the address, so that it can be kept, shared and gone back to.

export const DEFAULTS = {
  data: "", points: [], columns: [], axes: [0, 1], label: "", colour: "", scale: null,
  terms: null, join: "+", normalise: false, text: null,
  k: 3, component: 1, embedding: [0, 1, 2], turned: false, c: 1, alpha: null, from: 0, to: 1, clusters: 2, rounds: 30, seed: 0,
  order: "class", outliers: "error", selection: null, filter: false, pinned: [], large: "", lesson: null,
  matrix: "2 1\n1 2",
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

// Takes what an address says, as far as it is of the right kind.
export function read() {
  let found = {};
  try {
    found = JSON.parse(decodeURIComponent(location.hash.slice(1)) || "{}") ?? {};
  } catch { /* An address that was cut off says nothing. */ }
  for (const [name, value] of Object.entries(DEFAULTS)) {
    const own = found[name];
    const fits = value === null ? own !== undefined
      : Array.isArray(value) ? Array.isArray(own) : typeof own === typeof value;
    state[name] = structuredClone(fits ? own : value);
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
onChange(() => {
  clearTimeout(timer);
  timer = setTimeout(() => history.replaceState(null, "", location.pathname + written()), 250);
});
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
