// Questions to the server. Of one panel only the newest counts: one is on its way at a time, the next waits, and a question that takes
// long is given up for it, which also ends its computation.

const client = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
const PATIENCE = 150;
const lanes = new Map();
let seq = 0;
let isOffline = false;
const listeners = [];

export const onConnection = (listener) => listeners.push(listener);

function connected(yes) {
  if (yes === !isOffline) return;
  isOffline = !yes;
  listeners.forEach((listener) => listener(yes));
  if (!yes) wait();
}

// Asks again and again until the server is back.
async function wait() {
  while (isOffline) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    try {
      const response = await fetch("api/start", { cache: "no-store" });
      connected(response.ok || response.status !== 401);
      if (response.status === 401) listeners.forEach((listener) => listener(false, true));
    } catch { /* Still away: asked again. */ }
  }
}

export async function get(path) {
  const response = await fetch(path, { cache: "no-store" });
  if (!response.ok) throw new Error((await response.json()).error);
  return response.json();
}

async function post(panel, body, signal) {
  const text = JSON.stringify({ ...body, client, seq: ++seq });
  const headers = { "content-type": "application/json" };
  let response;
  try {
    response = await fetch(`api/${panel}`, { method: "POST", headers, body: text, signal });
  } catch (error) {
    if (error.name !== "AbortError") connected(false);
    throw error;
  }
  connected(true);
  return response;
}

async function send(lane, panel) {
  const { body, resolve } = lane.waiting;
  lane.waiting = null;
  lane.control = new AbortController();
  lane.since = performance.now();
  let answer = null;
  try {
    const response = await post(panel, body, lane.control.signal);
    const value = await response.json();
    if (response.ok) answer = { value, time: performance.now() - lane.since };
    else if (response.status !== 409) answer = { error: value.error };
  } catch (error) {
    if (error.name !== "AbortError") answer = { error: "The server does not answer.", offline: true };
  }
  lane.control = null;
  resolve(answer);
  if (lane.waiting) send(lane, panel);
}

// The answer: { value, time } or { error }; null if superseded by a newer request.
export function ask(panel, body, name = panel) {
  if (!lanes.has(name)) lanes.set(name, { waiting: null, control: null });
  const lane = lanes.get(name);
  return new Promise((resolve) => {
    lane.waiting?.resolve(null);
    lane.waiting = { body, resolve };
    if (!lane.control) { send(lane, panel); return; }
    const left = PATIENCE - (performance.now() - lane.since);
    setTimeout(() => { if (lane.waiting) lane.control?.abort(); }, Math.max(0, left));
  });
}

// A file.
export async function file(panel, body) {
  const response = await post(panel, body);
  if (!response.ok) throw new Error((await response.json()).error);
  return response.blob();
}
