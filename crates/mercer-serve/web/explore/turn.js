// Turning a cloud of points in space.

import { state, setQuietly } from "./state.js";
import { ink } from "./colours.js";

const STEP = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] };

// Across, up, and towards the eye, of a point in space.
function seen([x, y, z]) {
  const [side, height] = state.turn;
  const [c, s, ch, sh] = [Math.cos(side), Math.sin(side), Math.cos(height), Math.sin(height)];
  const deep = c * z - s * x;
  return [c * x + s * z, ch * y - sh * deep, sh * y + ch * deep];
}

export function turning(panel) {
  let last = null;
  const by = (a, b) => {
    const [side, height] = state.turn;
    const round = (angle) => Number(angle.toFixed(3));
    setQuietly({ turn: [round((side + a) % (2 * Math.PI)), round(Math.max(-1.5, Math.min(1.5, height + b)))] });
    panel.redraw();
  };
  return {
    grabs: () => state.turned,
    press(_, place) {
      last = place;
      return state.turned;
    },
    drag(_, [x, y]) {
      by((x - last[0]) / 120, (y - last[1]) / 120);
      last = [x, y];
    },
    key(event) {
      const step = state.turned ? STEP[event.key] : null;
      if (step) by(...step);
      return Boolean(step);
    },
    // Where the points of three columns are seen: each column is brought to unit size first.
    project(columns) {
      const sized = columns.map((column) => {
        const most = column.reduce((m, value) => Math.max(m, Math.abs(value)), 1e-300);
        return column.map((value) => value / most);
      });
      return sized[0].map((_, i) => seen(sized.map((column) => column[i])));
    },
    // The three axes, with their names.
    axes(names) {
      return (surface, { to }) => names.forEach((name, i) => {
        const end = [0, 0, 0].map((_, j) => (i === j ? 1.1 : 0));
        const [a, b] = [end.map((value) => -value), end].map((point) => to(...seen(point)));
        surface.lines([[a, b]], ink("soft"), 1, [], 0.6);
        surface.text(name, b[0] + 4, b[1], ink("soft"), { size: 10 });
      });
    },
  };
}
