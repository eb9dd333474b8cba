// A panel on the page: asks when what it needs has changed and it can be seen, and draws the answer.

import { state, set } from "./state.js";
import { ask } from "./api.js";
import { Plot, number } from "./scatter.js";
import { classColour, ink, isDark } from "./colours.js";
import { button, element } from "./controls.js";
import { save, savePng, svgOf } from "./exports.js";

// Other panels use these answers.
const ALWAYS = ["embedding"];
const VIEW = ["selection", "filter", "colour", "axes", "label", "embedding", "turned", "component", "outliers", "k", "turn", "preimage"];

export class Panel {
  constructor(kind, page) {
    [this.kind, this.page, this.plots, this.asked, this.drawn, this.answer] = [kind, page, [], "", "", null];
    this.caption = element("p", { class: "caption" });
    this.enlarge = button("Enlarge", () => set({ large: state.large === kind.id ? "" : kind.id }), { "aria-label": `Enlarge ${kind.title}` });
    const files = element("div", { class: "row files" }, "Save as",
      button("PNG", () => savePng(this, `${kind.id}.png`), { "aria-label": `Save ${kind.title} as PNG` }),
      button("SVG", () => save(`${kind.id}.svg`, svgOf(this), "image/svg+xml"), { "aria-label": `Save ${kind.title} as SVG` }));
    this.place = element("div", { class: "plots" });
    this.toolbox = element("div", { class: "controls" });
    this.box = element("article", { class: "panel", id: `panel-${kind.id}`, "aria-label": kind.title },
      element("header", {}, element("h2", {}, kind.title), this.enlarge), this.place, this.caption, this.toolbox, files);
    kind.make(this, page);
    this.box.classList.toggle("pair", this.plots.length > 1);
    this.isSeen = false;
    new IntersectionObserver(([entry]) => {
      this.isSeen = entry.isIntersecting;
      if (this.isSeen) this.update();
    }, { rootMargin: "200px" }).observe(this.box);
  }

  plot(name, on) {
    const box = element("div", { class: "plot" });
    this.place.append(box);
    this.plots.push(new Plot(box, name, on));
  }

  // Controls, made anew where `key` changes other than by themselves.
  tools(make, key) { this.makeTools = { make, key, shown: null }; }

  // No picture, for a reason.
  clear(reason) {
    this.plots.forEach((plot) => plot.show(null));
    this.say(reason);
  }

  say(text) {
    this.caption.classList.remove("failed");
    if (this.caption.textContent !== text) this.caption.textContent = text;
    this.plots.forEach((plot) => plot.describe(text));
  }

  // What says which rows an answer is about.
  identity() {
    const { data, points, columns, rows, scale } = this.page.query();
    return JSON.stringify([data, points?.length, columns, rows, scale, state.data === "drawn" ? points : 0]);
  }

  update() {
    const { kind, page } = this;
    this.fits = (kind.fits?.(page) ?? true) && (!this.wanted || this.wanted.includes(kind.id));
    this.box.hidden = !this.fits;
    this.box.classList.toggle("large", state.large === kind.id);
    const word = state.large === kind.id ? "Reduce" : "Enlarge";
    if (this.enlarge.textContent !== word) {
      this.enlarge.textContent = word;
      this.enlarge.setAttribute("aria-label", `${word} ${kind.title}`);
    }
    const isOn = ALWAYS.includes(kind.id) || (this.fits && this.isSeen);
    if (!isOn || !page.set) return;
    this.updateTools();
    if (kind.follows) { this.follow(page.components); return; }
    if (page.n < 2 && kind.id !== "check") {
      if (kind.id === "data") kind.draw(this, page);
      else this.say("There are fewer than two points.");
      return;
    }
    if (!kind.needs) { this.redraw(); return; }
    const needs = kind.needs(page);
    if (!needs) {
      const reason = kind.without?.(page);
      if (reason) { this.asked = ""; this.clear(reason); }
      return;
    }
    const body = { ...page.query(), ...needs };
    const key = JSON.stringify(kind.id === "check" ? needs : body);
    if (key === this.asked) { this.redraw(true); return; }
    this.asked = key;
    this.send(body, needs);
  }

  async send(body, needs) {
    const { kind, page } = this;
    const identity = this.identity();
    const answer = await ask(kind.question ?? kind.id, body, kind.id);
    if (!answer) return;
    if (answer.error) {
      this.fail(answer.error);
      if (answer.offline) this.asked = "";
      if (kind.id === "embedding") {
        [page.components, page.failed] = [null, answer.error];
        page.controls.failed(answer.error);
        page.answered(kind.id);
      }
      return;
    }
    // Drawn as soon as it can be seen, whatever was drawn before.
    [this.answer, this.needs, this.about, this.time, this.drawn] = [answer.value, needs, identity, answer.time, ""];
    kind.answered?.(page, answer.value);
    page.answered?.(kind.id);
    this.redraw();
  }

  fail(message) {
    this.caption.textContent = message;
    this.caption.classList.add("failed");
  }

  follow(answer) {
    if (!answer && this.page.failed) this.fail(this.page.failed);
    if (!answer || answer === this.answer) { this.redraw(true); return; }
    [this.answer, this.about, this.drawn] = [answer, this.identity(), ""];
    this.redraw();
  }

  // Draws the answer; with `isCalm` only if the view has changed.
  redraw(isCalm = false) {
    const { kind, page } = this;
    if (this.box.hidden || (!this.isSeen && !ALWAYS.includes(kind.id))) return;
    const view = JSON.stringify([VIEW.map((name) => state[name]), isDark(), page.projected, page.over && kind.id === "outliers" ? page.over.f[0] : 0]);
    if (isCalm && view === this.drawn) return;
    if (kind.id !== "data" && (!this.answer || (kind.id !== "check" && this.about !== this.identity()))) return;
    this.drawn = view;
    const started = performance.now();
    kind.draw(this, page, this.answer, this.needs);
    this.drawTime = performance.now() - started;
    this.plots.forEach((plot) => plot.mark(page.nearRow ?? null, state.pinned));
    this.updateTools();
  }

  updateTools() {
    if (!this.makeTools) return;
    const { make, key, shown } = this.makeTools;
    const now = JSON.stringify(key());
    // A slider that is held stays.
    if (now === shown || (shown !== null && this.toolbox.contains(document.activeElement) && document.activeElement.type === "range")) return;
    this.makeTools.shown = now;
    this.toolbox.replaceChildren();
    make(this.toolbox);
  }

  // Errors by class, where there is neither a plane nor one decision value.
  bars(rows, wrong, page) {
    const counts = page.classes.map((_, place) => {
      const own = rows.filter((row) => page.classOf(row) === place);
      return own.filter((row) => wrong.has(row)).length / Math.max(1, own.length);
    });
    const most = Math.max(0.05, ...counts);
    const under = (surface, { to }) => counts.forEach((share, i) => {
      const [left, top] = to(i + 0.6, share), [right, bottom] = to(i + 1.4, 0);
      surface.rect(left, top, right - left, bottom - top, classColour(i));
      surface.text(number(100 * share), (left + right) / 2, top - 7, ink("soft"), { align: "center", size: 10 });
    });
    // Many names would lie on each other: then those alone that have errors.
    const isShown = (i) => page.classes.length <= 10 || counts[i] > 0;
    const labels = new Map(page.classes.map((name, i) => [i + 1, isShown(i) ? name.slice(0, 10) : ""]));
    this.plots[0].show({ x: [0.3, counts.length + 0.7], y: [0, most * 1.15], xTitle: "class", yTitle: "share on the wrong side", under, xTicks: [...labels.keys()], xLabels: labels });
  }
}
