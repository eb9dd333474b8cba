// Turning a cloud of points in space.

import { state } from "./state.js";

const STEP = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] };

export function turning(panel, page) {
  let [side, height, last] = [0.6, 0.4, null];
  const by = (a, b) => {
    [side, height] = [side + a, Math.max(-1.5, Math.min(1.5, height + b))];
    panel.redraw();
  };
  return {
    press(_, [x, y]) {
      last = [x, y];
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
    // The columns of the plane in which three columns are seen; each is brought to unit size first.
    project(columns) {
      const [x, y, z] = columns.map((column) => {
        const most = column.reduce((m, value) => Math.max(m, Math.abs(value)), 1e-300);
        return column.map((value) => value / most);
      });
      const [c, s, ch, sh] = [Math.cos(side), Math.sin(side), Math.cos(height), Math.sin(height)];
      const across = x.map((value, i) => c * value + s * z[i]);
      const up = y.map((value, i) => ch * value - sh * (c * z[i] - s * x[i]));
      return [across, up];
    },
  };
}
