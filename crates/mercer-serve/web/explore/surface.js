// A drawing, on a canvas or as SVG: panels draw once and are shown and exported alike.

import { SHAPES } from "./colours.js";

// Texts of pictures grow with those of the page, as on a projector.
export const unit = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;

// The outline of a mark of a shape around a point.
function outline(shape, x, y, r) {
  switch (shape) {
    case "square": return [[x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r]];
    case "triangle": return [[x, y - 1.2 * r], [x + 1.1 * r, y + r], [x - 1.1 * r, y + r]];
    case "down": return [[x, y + 1.2 * r], [x + 1.1 * r, y - r], [x - 1.1 * r, y - r]];
    case "diamond": return [[x, y - 1.3 * r], [x + 1.3 * r, y], [x, y + 1.3 * r], [x - 1.3 * r, y]];
    case "cross": {
      const w = 0.45 * r, l = 1.2 * r;
      return [[-w, -l], [w, -l], [w, -w], [l, -w], [l, w], [w, w], [w, l], [-w, l], [-w, w], [-l, w], [-l, -w], [-w, -w]].map(([a, b]) => [x + a, y + b]);
    }
    default: return null;
  }
}

// Values on a grid (from below) as an image.
export function fieldImage(values, [nx, ny], colour) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [nx, ny];
  const context = canvas.getContext("2d");
  const image = context.createImageData(nx, ny);
  for (let y = 0; y < ny; y++) {
    for (let x = 0; x < nx; x++) {
      const place = 4 * ((ny - 1 - y) * nx + x);
      const [r, g, b, a = 255] = colour(values[y * nx + x], y * nx + x);
      image.data.set([r, g, b, a], place);
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// Marks that were drawn before, by what they look like.
const sprites = new Map();

export class CanvasSurface {
  constructor(canvas, width, height, ratio) {
    const size = [Math.round(width * ratio), Math.round(height * ratio)];
    this.context = canvas.getContext("2d");
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    else { this.context.setTransform(1, 0, 0, 1, 0, 0); this.context.clearRect(0, 0, size[0], size[1]); }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    [this.width, this.height, this.ratio, this.unit] = [width, height, ratio, unit()];
  }

  rect(x, y, width, height, fill, opacity = 1) {
    this.context.globalAlpha = opacity;
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
    this.context.globalAlpha = 1;
  }

  clip(x, y, width, height, draw) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }

  lines(pieces, colour, width = 1, dash = [], opacity = 1, fill = null) {
    const { context } = this;
    context.globalAlpha = opacity;
    context.beginPath();
    for (const piece of pieces) piece.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    if (fill) { context.fillStyle = fill; context.fill(); }
    [context.strokeStyle, context.lineWidth] = [colour, width];
    context.setLineDash(dash);
    if (width) context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  ring(x, y, r, colour, width = 2) {
    const { context } = this;
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
    [context.strokeStyle, context.lineWidth] = [colour, width];
    context.stroke();
  }

  // A mark is drawn once and copied: thousands take a few milliseconds.
  mark(x, y, r, shape, colour, edge, opacity = 1) {
    const key = `${this.ratio} ${shape} ${colour} ${r} ${edge}`;
    let sprite = sprites.get(key);
    if (!sprite) {
      if (sprites.size > 1000) sprites.clear();
      const size = Math.ceil(4 * r + 4);
      sprite = document.createElement("canvas");
      sprite.width = sprite.height = size * this.ratio;
      const context = sprite.getContext("2d");
      context.scale(this.ratio, this.ratio);
      context.beginPath();
      const points = outline(SHAPES[shape % SHAPES.length], size / 2, size / 2, r);
      if (points) points.forEach(([a, b], i) => (i ? context.lineTo(a, b) : context.moveTo(a, b)));
      else context.arc(size / 2, size / 2, r, 0, 2 * Math.PI);
      context.closePath();
      context.fillStyle = colour;
      context.fill();
      if (edge) { [context.strokeStyle, context.lineWidth] = [edge, 0.8]; context.stroke(); }
      sprite.half = size / 2;
      sprites.set(key, sprite);
    }
    this.context.globalAlpha = opacity;
    this.context.drawImage(sprite, x - sprite.half, y - sprite.half, 2 * sprite.half, 2 * sprite.half);
    this.context.globalAlpha = 1;
  }

  text(text, x, y, colour, { align = "left", size = 11, turn = 0, baseline = "middle", halo = null } = {}) {
    const { context } = this;
    context.save();
    context.translate(x, y);
    context.rotate(turn);
    context.font = `${size * this.unit}px system-ui, sans-serif`;
    [context.textAlign, context.textBaseline, context.fillStyle] = [align, baseline, colour];
    if (halo) { [context.strokeStyle, context.lineWidth] = [halo, 3]; context.strokeText(text, 0, 0); }
    context.fillText(text, 0, 0);
    context.restore();
  }

  image(canvas, x, y, width, height, isSmooth = true) {
    this.context.imageSmoothingEnabled = isSmooth;
    this.context.drawImage(canvas, x, y, width, height);
  }
}

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const digits = (value) => Number(value.toFixed(2));

export class SvgSurface {
  constructor(width, height, title) {
    [this.width, this.height, this.parts, this.clips, this.unit] = [width, height, [`<title>${escaped(title)}</title>`], 0, unit()];
  }

  add(text) { this.parts.push(text); }
  rect(x, y, width, height, fill, opacity = 1) {
    this.add(`<rect x="${digits(x)}" y="${digits(y)}" width="${digits(width)}" height="${digits(height)}" fill="${fill}" opacity="${opacity}"/>`);
  }
  clip(x, y, width, height, draw) {
    const id = `c${++this.clips}-${Math.random().toString(36).slice(2, 8)}`;
    this.add(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${width}" height="${height}"/></clipPath><g clip-path="url(#${id})">`);
    draw();
    this.add("</g>");
  }
  lines(pieces, colour, width = 1, dash = [], opacity = 1, fill = null) {
    const d = pieces.map((piece) => piece.map(([x, y], i) => `${i ? "L" : "M"}${digits(x)} ${digits(y)}`).join("")).join("");
    this.add(`<path d="${d}" fill="${fill ?? "none"}" stroke="${width ? colour : "none"}" stroke-width="${width}" stroke-dasharray="${dash.join(" ")}" opacity="${opacity}"/>`);
  }
  ring(x, y, r, colour, width = 2) {
    this.add(`<circle cx="${digits(x)}" cy="${digits(y)}" r="${r}" fill="none" stroke="${colour}" stroke-width="${width}"/>`);
  }
  mark(x, y, r, shape, colour, edge, opacity = 1) {
    const points = outline(SHAPES[shape % SHAPES.length], x, y, r);
    const style = `fill="${colour}" stroke="${edge ?? "none"}" stroke-width="0.8" opacity="${opacity}"`;
    this.add(points ? `<path d="M${points.map((p) => p.map(digits).join(" ")).join("L")}Z" ${style}/>`
      : `<circle cx="${digits(x)}" cy="${digits(y)}" r="${r}" ${style}/>`);
  }
  text(text, x, y, colour, { align = "left", size = 11, turn = 0 } = {}) {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    const rotate = turn ? ` transform="rotate(${(turn * 180) / Math.PI} ${digits(x)} ${digits(y)})"` : "";
    this.add(`<text x="${digits(x)}" y="${digits(y)}" font-size="${digits(size * this.unit)}" font-family="sans-serif" text-anchor="${anchor}" dominant-baseline="central" fill="${colour}"${rotate}>${escaped(text)}</text>`);
  }
  image(canvas, x, y, width, height, isSmooth = true) {
    const way = isSmooth ? "auto" : "pixelated";
    this.add(`<image x="${x}" y="${y}" width="${width}" height="${height}" preserveAspectRatio="none" style="image-rendering:${way}" href="${canvas.toDataURL("image/png")}"/>`);
  }
  markup() {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}">${this.parts.join("")}</svg>`;
  }
}
