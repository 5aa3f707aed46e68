"use strict";
// Painting the strategy of a node: choose an action and its probability, draw over cells. Nothing is asked of the
// server while painting; the changed hands are written into a field of the form.

const lockForm = document.getElementById("lock-form");
const lockWeight = document.getElementById("weight");
const lockSlider = document.getElementById("weight-slider");
const singleHands = document.getElementById("by-suit");
const WHOLE = 10000;

class StrategyGrid {
  constructor(grid) {
    this.grid = grid;
    const node = JSON.parse(grid.dataset.node);
    this.actions = node.actions;
    this.colours = node.colours;
    this.groups = new Map(); // hands that differ by suits only: number → hands
    this.hands = new Map(); // class → hands
    for (const [label, rows] of Object.entries(node.cells)) {
      this.hands.set(label, rows.map(([name, group, mass, solved]) => this.hand(label, name, group, mass, solved)));
    }
    this.cells = new Map();
    for (const label of grid.dataset.labels.split(" ")) this.cells.set(label, this.makeCell(label));
    this.stroke = null;
    this.read(lockForm.elements.namedItem("painted").value);
    this.listen();
    for (const label of this.cells.keys()) this.draw(label);
    this.tell();
  }

  hand(label, name, group, mass, solved) {
    const made = { label, name, group, mass, solved, now: solved.slice(), painted: false };
    if (!this.groups.has(group)) this.groups.set(group, []);
    this.groups.get(group).push(made);
    return made;
  }

  // What was painted before the page was shown again.
  read(text) {
    for (const part of text.split(".").filter(Boolean)) {
      const [name, ...numbers] = part.split("-");
      const found = [...this.groups.values()].flat().find((hand) => hand.name === name);
      if (!found || numbers.length !== this.actions.length) continue;
      for (const hand of this.groups.get(found.group)) {
        hand.now = numbers.map((number) => Number(number) / WHOLE);
        hand.painted = true;
      }
    }
  }

  makeCell(label) {
    const cell = document.createElement("button");
    cell.type = "button";
    cell.tabIndex = this.cells.size ? -1 : 0;
    cell.dataset.label = label;
    cell.disabled = !this.hands.has(label);
    const bars = document.createElement("u");
    for (const colour of this.colours) {
      const bar = document.createElement("i");
      bar.className = colour;
      bars.append(bar);
    }
    const name = document.createElement("span");
    name.textContent = label;
    cell.append(bars, name);
    this.grid.append(cell);
    return cell;
  }

  // The mean over the hands of a class at the node; equal weights if none of them comes there.
  mean(hands) {
    const total = hands.reduce((sum, hand) => sum + hand.mass, 0);
    return this.actions.map((_, at) =>
      hands.reduce((sum, hand) => sum + hand.now[at] * (total > 0 ? hand.mass / total : 1 / hands.length), 0));
  }

  draw(label) {
    const cell = this.cells.get(label);
    const hands = this.hands.get(label);
    if (!cell || !hands) return;
    const shares = this.mean(hands);
    [...cell.firstChild.children].forEach((bar, at) => (bar.style.width = `${100 * shares[at]}%`));
    cell.classList.toggle("changed", hands.some((hand) => hand.painted));
    const words = this.actions.map((action, at) => `${action} ${Math.round(100 * shares[at])}%`).join(", ");
    cell.setAttribute("aria-label", `${label}: ${words}`);
    cell.title = `${label}: ${words}`;
  }

  listen() {
    this.grid.addEventListener("pointerdown", (event) => this.begin(event));
    this.grid.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) this.grid.addEventListener(name, () => (this.stroke = null));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    document.getElementById("restore").addEventListener("click", () => {
      for (const hands of this.hands.values()) for (const hand of hands) this.mix(hand, -1, 0);
      for (const label of this.hands.keys()) this.draw(label);
      this.showHands("");
      this.tell();
    });
  }

  cellAt(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("button[data-label]");
    return found && this.grid.contains(found) && !found.disabled ? found : null;
  }

  begin(event) {
    const cell = this.cellAt(event);
    if (!cell || event.button > 0) return;
    event.preventDefault();
    cell.focus();
    if (singleHands.checked) {
      this.showHands(cell.dataset.label);
      return;
    }
    this.grid.setPointerCapture(event.pointerId);
    this.stroke = event;
    this.paint(cell.dataset.label);
  }

  // The pointer may pass several cells between two events: all cells on the line between them are painted.
  move(event) {
    if (this.stroke === null) return;
    const from = this.stroke;
    const width = this.grid.firstChild.offsetWidth / 2;
    const steps = Math.ceil(Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) / width) || 1;
    for (let step = 1; step <= steps; step++) {
      const clientX = from.clientX + ((event.clientX - from.clientX) * step) / steps;
      const clientY = from.clientY + ((event.clientY - from.clientY) * step) / steps;
      const cell = this.cellAt({ clientX, clientY });
      if (cell) this.paint(cell.dataset.label);
    }
    this.stroke = event;
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
      if (singleHands.checked) this.showHands(labels[at]);
      else this.paint(labels[at]);
    }
  }

  brush() {
    const action = Number(lockForm.elements.namedItem("brush").value);
    const given = Number(lockWeight.value);
    return [action, Number.isFinite(given) ? Math.min(Math.max(given, 0), 100) / 100 : 1];
  }

  paint(label) {
    for (const hand of this.hands.get(label)) this.mix(hand, ...this.brush());
    this.draw(label);
    this.tell();
  }

  // One action gets its probability, the others share the rest as before; an action of −1 takes the hand back.
  mix(hand, action, weight) {
    if (action < 0) {
      hand.now = hand.solved.slice();
      hand.painted = false;
      return;
    }
    const others = hand.now.reduce((sum, share, at) => sum + (at === action ? 0 : share), 0);
    const count = hand.now.length - 1;
    hand.now = hand.now.map((share, at) => {
      if (at === action) return count ? weight : 1;
      return others > 1e-9 ? (share * (1 - weight)) / others : (1 - weight) / count;
    });
    hand.painted = true;
  }

  showHands(label) {
    const box = this.grid.parentElement.querySelector(".single-hands");
    const hands = label ? this.hands.get(label) : [];
    box.hidden = !hands.length;
    box.replaceChildren();
    for (const hand of hands) {
      const button = document.createElement("button");
      button.type = "button";
      const shares = hand.now.map((share, at) => `${this.actions[at]} ${Math.round(100 * share)}%`);
      button.textContent = `${hand.name}: ${shares.filter((_, at) => hand.now[at] >= 0.005).join(", ")}`;
      button.className = hand.painted ? "held-hand" : "";
      button.addEventListener("click", () => {
        for (const same of this.groups.get(hand.group)) {
          this.mix(same, ...this.brush());
          this.draw(same.label);
        }
        this.showHands(label);
        this.tell();
      });
      box.append(button);
    }
  }

  // The field of the form, the frequencies of all actions, and how many hands were painted.
  tell() {
    const painted = [...this.groups.values()].filter((hands) => hands[0].painted);
    lockForm.elements.namedItem("painted").value = painted.map(([hand]) => this.spelled(hand)).join(".");
    this.mean([...this.hands.values()].flat()).forEach((share, at) => {
      lockForm.querySelector(`[data-total="${at}"]`).textContent = ` ${(100 * share).toFixed(1)}%`;
    });
    const note = document.getElementById("painted-note");
    const count = painted.reduce((sum, hands) => sum + hands.length, 0);
    note.firstElementChild.hidden = count > 0;
    note.lastElementChild.hidden = count === 0;
    note.querySelector("b").textContent = count;
  }

  spelled(hand) {
    const numbers = hand.now.map((share) => Math.round(WHOLE * share));
    return [hand.name, ...numbers].join("-");
  }
}

new StrategyGrid(lockForm.querySelector(".paint-actions"));
lockWeight.addEventListener("input", () => (lockSlider.value = lockWeight.value));
lockSlider.addEventListener("input", () => (lockWeight.value = lockSlider.value));
