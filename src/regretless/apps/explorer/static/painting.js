"use strict";
// Grids of starting hands that are painted with a brush, by pointer or by keys. The pages that set up ranges and lock
// nodes say what a cell looks like and what the brush does to it.

const brushField = document.getElementById("weight");
const brushSlider = document.getElementById("weight-slider");
const bySuit = document.getElementById("by-suit");

function brushWeight() {
  const given = Number(brushField.value);
  return Number.isFinite(given) ? Math.min(Math.max(given, 0), 100) / 100 : 1;
}

// A subclass has: `furnish(cell, label)`, what is inside a cell; `startStroke(label)`, before the first cell of a
// stroke is painted; `paint(label)`; `openHands(label)`, where single hands are painted.
class PaintedGrid {
  constructor(grid) {
    this.grid = grid;
    this.cells = new Map(); // class → button
    this.last = null; // the last event of the stroke in progress
  }

  makeCells() {
    for (const label of this.grid.dataset.labels.split(" ")) {
      const cell = document.createElement("button");
      cell.type = "button";
      cell.tabIndex = this.cells.size ? -1 : 0;
      cell.dataset.label = label;
      this.furnish(cell, label);
      const name = document.createElement("span");
      name.textContent = label;
      cell.append(name);
      this.grid.append(cell);
      this.cells.set(label, cell);
    }
    this.grid.addEventListener("pointerdown", (event) => this.begin(event));
    this.grid.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) this.grid.addEventListener(name, () => (this.last = null));
    this.grid.addEventListener("keydown", (event) => this.key(event));
  }

  cellAt(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("button[data-label]");
    return found && this.grid.contains(found) && !found.disabled ? found : null;
  }

  begin(event) {
    const cell = this.cellAt(event);
    if (!cell || event.button > 0) return;
    event.preventDefault();
    cell.focus({ preventScroll: true });
    if (!bySuit.checked) {
      this.grid.setPointerCapture(event.pointerId);
      this.last = event;
    }
    this.use(cell.dataset.label);
  }

  // The pointer may pass several cells between two events: all cells on the line between them are painted.
  move(event) {
    if (this.last === null) return;
    const from = this.last;
    const width = this.grid.firstChild.offsetWidth / 2;
    const steps = Math.ceil(Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) / width) || 1;
    for (let step = 1; step <= steps; step++) {
      const clientX = from.clientX + ((event.clientX - from.clientX) * step) / steps;
      const clientY = from.clientY + ((event.clientY - from.clientY) * step) / steps;
      const cell = this.cellAt({ clientX, clientY });
      if (cell) this.paint(cell.dataset.label);
    }
    this.last = event;
  }

  key(event) {
    const labels = [...this.cells.keys()];
    const at = labels.indexOf(document.activeElement?.dataset?.label);
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 };
    if (at >= 0 && event.key in steps) {
      let next = at + steps[event.key];
      while (labels[next] && this.cells.get(labels[next]).disabled) next += steps[event.key];
      this.cells.get(labels[next])?.focus();
      event.preventDefault();
    } else if (at >= 0 && (event.key === " " || event.key === "Enter")) {
      event.preventDefault();
      this.use(labels[at]);
    }
  }

  // A press on a cell: it is painted, or its hands are shown to be painted one by one.
  use(label) {
    if (bySuit.checked) {
      this.openHands(label);
      return;
    }
    this.startStroke(label);
    this.paint(label);
  }
}

brushField.addEventListener("input", () => (brushSlider.value = brushField.value));
brushSlider.addEventListener("input", () => (brushField.value = brushSlider.value));
