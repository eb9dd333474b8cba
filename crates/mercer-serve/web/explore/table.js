// The rows as a table, with a search.

import { state, set } from "./state.js";
import { number } from "./scatter.js";

const MOST = 200;

export class Rows {
  constructor(box, page, onNear) {
    [this.page, this.onNear] = [page, onNear];
    box.innerHTML = `<div class="row"><h2>Rows</h2></div><div class="field"><label for="search">Search values and labels</label>
      <input type="text" id="search" autocomplete="off"></div><p class="soft" id="found" role="status"></p><div class="wide"><table><thead></thead><tbody></tbody></table></div>`;
    this.search = box.querySelector("input");
    this.found = box.querySelector("#found");
    this.head = box.querySelector("thead");
    this.body = box.querySelector("tbody");
    this.search.addEventListener("input", () => this.show());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.matches.length) set({ selection: this.matches });
    });
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) this.page.pin(Number(row.dataset.row));
    });
    this.body.addEventListener("pointerover", (event) => {
      const row = event.target.closest("tr");
      this.onNear(row ? Number(row.dataset.row) : null);
    });
    this.matches = [];
  }

  // Rows that hold the words, of those selected.
  show() {
    const { page } = this;
    const key = JSON.stringify([this.search.value, state.data, state.selection, state.pinned, page.label, state.data === "drawn" && state.points]);
    if (key === this.shown) return;
    this.shown = key;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) => words.every((word) => page.cells(row).some((cell) => String(cell).toLowerCase().includes(word)));
    const among = state.selection ?? page.allRows();
    this.matches = words.length ? among.filter(fits) : among;
    const names = page.cellNames();
    const head = document.createElement("tr");
    head.append(...["row", ...names].map((name) => {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = name;
      return cell;
    }));
    this.head.replaceChildren(head);
    const pinned = new Set(state.pinned);
    const shown = [...this.matches].sort((a, b) => pinned.has(b) - pinned.has(a)).slice(0, MOST);
    this.body.replaceChildren(...shown.map((row) => this.line(row, pinned.has(row))));
    const more = this.matches.length > MOST ? `, the first ${MOST} shown` : "";
    const enter = words.length && this.matches.length ? "; Enter selects them" : "";
    this.found.textContent = `${this.matches.length} of ${page.allRows().length} rows${more}${enter}. A click pins a row.`;
  }

  line(row, isPinned) {
    const line = document.createElement("tr");
    line.dataset.row = row;
    if (isPinned) line.className = "pinned";
    line.append(...[row + 1, ...this.page.cells(row)].map((value) => {
      const cell = document.createElement("td");
      cell.textContent = typeof value === "number" ? number(value, 4) : value;
      return cell;
    }));
    const image = this.page.image(row);
    if (image) {
      image.setAttribute("aria-hidden", "true");
      line.append(document.createElement("td"));
      line.lastChild.append(image);
    }
    return line;
  }
}
