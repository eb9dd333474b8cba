// A plot in a panel: axes, marks, fields over the plane, the pointer and the keyboard.

import { CanvasSurface, SvgSurface, fieldImage, unit } from "./surface.js";
import { classColour, ink } from "./colours.js";

const PAD = { left: 50, right: 8, top: 8, bottom: 30 };
const NEAR = 14;

// Round numbers from low to high, about as many as `count`.
export function ticks([low, high], count) {
  if (!(high > low) || !Number.isFinite(high - low)) return [];
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999) ?? 10 * power;
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(i * step);
  return found;
}

// A number on an axis: with as many digits as tell it from its neighbours.
function onAxis(value, step) {
  const size = Math.max(Math.abs(value), step);
  if (size >= 1e5 || size < 1e-3) return value === 0 ? "0" : value.toExponential(Math.min(3, Math.max(0, Math.round(Math.log10(size / step)))));
  return value.toFixed(Math.min(6, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))));
}

export function number(value, precision = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return Number(value.toPrecision(precision)).toExponential();
  return String(Number(value.toPrecision(precision)));
}

export function extremes(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

export function range(values, margin = 0.06) {
  const [low, high] = extremes(values);
  if (!(low <= high)) return [-1, 1];
  const room = high > low ? (high - low) * margin : Math.max(Math.abs(low), 1) * 0.5;
  return [low - room, high + room];
}

// Lines on which a grid has a value: marching squares.
export function contour(values, [nx, ny], level, map) {
  const pieces = [];
  const at = (x, y) => values[y * nx + x] - level;
  const cross = (x0, y0, x1, y1) => {
    const a = at(x0, y0), b = at(x1, y1), t = a / (a - b);
    return map(x0 + t * (x1 - x0), y0 + t * (y1 - y0));
  };
  for (let y = 0; y + 1 < ny; y++) {
    for (let x = 0; x + 1 < nx; x++) {
      const corners = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
      const ends = [];
      for (let i = 0; i < 4; i++) {
        const [a, b] = [corners[i], corners[(i + 1) % 4]];
        if (at(...a) > 0 !== at(...b) > 0) ends.push(cross(...a, ...b));
      }
      if (ends.length >= 2) pieces.push([ends[0], ends[1]]);
      if (ends.length === 4) pieces.push([ends[2], ends[3]]);
    }
  }
  return pieces;
}

export class Plot {
  // `on` has what the pointer does: hover(row, point), pick(row, event), lasso(rows), press(point), drag(point).
  constructor(box, name, on = {}) {
    this.box = box;
    this.on = on;
    this.canvas = document.createElement("canvas");
    this.over = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", name);
    this.over.setAttribute("aria-hidden", "true");
    this.name = name;
    box.append(this.canvas, this.over);
    this.x = this.y = [-1, 1];
    this.picture = null;
    this.places = [];
    this.near = null;
    new ResizeObserver(() => this.draw()).observe(box);
    this.listen();
  }

  // A picture: { x, y (ranges), xTitle, yTitle, points: [{x, y, place, row, faded}], under, above, logX, square, bare }.
  show(picture) {
    this.picture = picture;
    if (picture) this.draw();
    else {
      this.places = [];
      for (const canvas of [this.canvas, this.over]) canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
    }
  }

  describe(text) { this.canvas.setAttribute("aria-label", `${this.name}. ${text}`); }

  inner(width = this.width, height = this.height) {
    const scale = unit();
    const pad = this.picture?.bare ? { left: 4, right: 4, top: 4, bottom: 4 } : Object.fromEntries(Object.entries(PAD).map(([side, size]) => [side, size * scale]));
    return { left: pad.left, top: pad.top, width: width - pad.left - pad.right, height: height - pad.top - pad.bottom };
  }

  // From numbers to pixels. With `square`, both axes have one scale.
  scales(width = this.width, height = this.height) {
    const { left, top, width: w, height: h } = this.inner(width, height);
    let [x, y] = [this.picture.x, this.picture.y];
    if (this.picture.square) {
      const unit = Math.max((x[1] - x[0]) / w, (y[1] - y[0]) / h);
      const widen = ([low, high], size) => [(low + high - unit * size) / 2, (low + high + unit * size) / 2];
      [x, y] = [widen(x, w), widen(y, h)];
    }
    const to = (a, b) => [left + ((a - x[0]) / (x[1] - x[0])) * w, top + h - ((b - y[0]) / (y[1] - y[0])) * h];
    const from = (a, b) => [x[0] + ((a - left) / w) * (x[1] - x[0]), y[0] + ((top + h - b) / h) * (y[1] - y[0])];
    return { to, from, x, y };
  }

  draw() {
    const { width, height } = this.box.getBoundingClientRect();
    if (!this.picture || width < 20 || height < 20) return;
    [this.width, this.height] = [width, height];
    const surface = new CanvasSurface(this.canvas, width, height, Math.min(devicePixelRatio, 2));
    this.places = this.paint(surface);
    this.drawOver();
  }

  svg() {
    const surface = new SvgSurface(Math.round(this.width), Math.round(this.height), this.canvas.getAttribute("aria-label"));
    this.paint(surface);
    return surface.markup();
  }

  paint(surface) {
    const { picture } = this;
    const { left, top, width, height } = this.inner(surface.width, surface.height);
    const scales = this.scales(surface.width, surface.height);
    surface.rect(0, 0, surface.width, surface.height, ink("paper"));
    surface.clip(left, top, width, height, () => picture.under?.(surface, scales));
    if (!picture.bare) this.axes(surface, scales);
    const places = [];
    const points = picture.points ?? [];
    const edge = points.length <= 3000 ? ink("paper") : null;
    const colours = new Map();
    const colourOf = (place) => {
      if (!colours.has(place)) colours.set(place, classColour(place));
      return colours.get(place);
    };
    const r = surface.unit * (picture.radius ?? (points.length > 2000 ? 2.2 : points.length > 400 ? 3 : 4));
    surface.clip(left, top, width, height, () => {
      for (const faded of [true, false]) {
        for (const point of points) {
          if (Boolean(point.faded) !== faded) continue;
          const [x, y] = scales.to(point.x, point.y);
          places.push([x, y, point.row]);
          surface.mark(x, y, point.r ?? r, point.place, point.colour ?? colourOf(point.place), edge, faded ? 0.18 : 1);
        }
      }
      picture.above?.(surface, scales);
    });
    return places;
  }

  axes(surface, { to, x, y }) {
    const { left, top, width, height } = this.inner(surface.width, surface.height);
    const [line, soft] = [ink("line"), ink("soft")];
    const { picture } = this;
    surface.lines([[[left, top], [left, top + height], [left + width, top + height]]], line);
    const xs = picture.xTicks ?? ticks(x, Math.max(2, width / 80));
    const label = picture.logX ? (value) => `1e${Math.round(value)}` : (value) => onAxis(value, xs[1] - xs[0] || 1);
    for (const value of xs) {
      const [at] = to(value, y[0]);
      surface.lines([[[at, top + height], [at, top + height + 3]]], line);
      surface.text(picture.xLabels?.get(value) ?? label(value), at, top + height + 10 * surface.unit, soft, { align: "center", size: 10 });
    }
    const ys = picture.yTicks ?? ticks(y, Math.max(2, height / 50));
    const step = ys[1] - ys[0] || 1;
    for (const value of ys) {
      const [, at] = to(x[0], value);
      surface.lines([[[left - 3, at], [left, at]]], line);
      surface.text(onAxis(value, step), left - 5, at, soft, { align: "right", size: 10 });
    }
    surface.text(picture.xTitle ?? "", left + width / 2, top + height + 23 * surface.unit, soft, { align: "center" });
    surface.text(picture.yTitle ?? "", 8 * surface.unit, top + height / 2, soft, { align: "center", turn: -Math.PI / 2 });
  }

  drawOver(path = null) {
    if (!this.picture || !this.width) return;
    const surface = new CanvasSurface(this.over, this.width, this.height, Math.min(devicePixelRatio, 2));
    const place = this.near === null ? null : this.placeOf(this.near);
    if (place) surface.ring(place[0], place[1], 7, ink("ink"));
    for (const row of this.pinned ?? []) {
      const pin = this.placeOf(row);
      if (pin) surface.ring(pin[0], pin[1], 6, ink("mark"), 2.5);
    }
    if (path) surface.lines([path], ink("mark"), 1.5, [4, 3]);
    this.picture.overlay?.(surface, this.scales());
  }

  // Where a row lies.
  placeOf(row) {
    if (this.placed !== this.places) [this.placed, this.byRow] = [this.places, new Map(this.places.map((place) => [place[2], place]))];
    return this.byRow.get(row);
  }

  // The row that is marked in all plots.
  mark(row, pinned) {
    if (row === this.near && pinned === this.pinned) return;
    [this.near, this.pinned] = [row, pinned];
    this.drawOver();
  }

  nearest(x, y) {
    let [best, distance] = [null, NEAR * NEAR];
    for (const [a, b, row] of this.places) {
      const d = (a - x) ** 2 + (b - y) ** 2;
      if (row !== undefined && d < distance) [best, distance] = [row, d];
    }
    return best;
  }

  listen() {
    const { canvas, on } = this;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let path = null, pressed = null, isDragging = false;
    // A finger moves the page, unless it takes hold of something.
    canvas.addEventListener("touchstart", (event) => {
      const touch = event.touches[0];
      if (this.picture && event.touches.length === 1 && on.grabs?.(at(touch))) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      if (!this.picture) return;
      const [x, y] = at(event);
      canvas.setPointerCapture(event.pointerId);
      pressed = [x, y];
      isDragging = Boolean(on.press?.(this.scales().from(x, y), [x, y], event));
      path = isDragging || !on.lasso ? null : [[x, y]];
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.picture) return;
      const [x, y] = at(event);
      if (isDragging) { on.drag?.(this.scales().from(x, y), [x, y], event); return; }
      if (path && pressed) {
        path.push([x, y]);
        this.drawOver(path);
        return;
      }
      on.hover?.(this.nearest(x, y), this.scales().from(x, y), event);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!pressed || !this.picture) return;
      const [x, y] = at(event);
      const far = path?.some(([a, b]) => Math.hypot(a - pressed[0], b - pressed[1]) > 5);
      if (isDragging) on.drop?.(this.scales().from(x, y));
      else if (far) on.lasso?.(this.within(path), event);
      else on.pick?.(this.nearest(x, y), this.scales().from(x, y), event);
      [path, pressed, isDragging] = [null, null, false];
      this.drawOver();
    });
    canvas.addEventListener("pointercancel", () => { [path, pressed, isDragging] = [null, null, false]; this.drawOver(); });
    canvas.addEventListener("pointerleave", (event) => on.hover?.(null, null, event));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  // Arrow keys go from row to row, Enter pins, Escape ends the selection.
  key(event) {
    const rows = this.places.map((place) => place[2]).filter((row) => row !== undefined).sort((a, b) => a - b);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (this.on.key?.(event)) { event.preventDefault(); return; }
    if (step && rows.length && this.on.hover) {
      const now = rows.indexOf(this.near);
      const next = rows[(now + step + rows.length) % rows.length];
      event.preventDefault();
      this.on.hover(next, null, null, this.canvas);
    } else if (event.key === "Enter" && this.near !== null) this.on.pick?.(this.near, null, event);
    else if (event.key === "Escape") this.on.lasso?.([], event);
  }

  // The rows inside a closed path.
  within(path) {
    const inside = ([x, y]) => {
      let is = false;
      for (let i = 0, j = path.length - 1; i < path.length; j = i++) {
        const [[a, b], [c, d]] = [path[i], path[j]];
        if (b > y !== d > y && x < ((c - a) * (y - b)) / (d - b) + a) is = !is;
      }
      return is;
    };
    return this.places.filter((place) => place[2] !== undefined && inside(place)).map((place) => place[2]);
  }
}

// A field of values over the plane, as a layer of a picture.
export function field(values, size, plane, colour, levels = [], isSmooth = true) {
  const image = fieldImage(values, size, colour);
  return (surface, { to }) => {
    const [left, bottom] = to(plane.x[0], plane.y[0]);
    const [right, top] = to(plane.x[1], plane.y[1]);
    surface.image(image, left, top, right - left, bottom - top, isSmooth);
    const map = (x, y) => to(plane.x[0] + (x / (size[0] - 1)) * (plane.x[1] - plane.x[0]), plane.y[0] + (y / (size[1] - 1)) * (plane.y[1] - plane.y[0]));
    for (const { value, width = 1, dash = [], opacity = 0.6 } of levels) {
      surface.lines(contour(values, size, value, map), ink("ink"), width, dash, opacity);
    }
  };
}
