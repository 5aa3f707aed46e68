"use strict";
// Painting the strategy of a node: choose an action and its probability, draw over cells. Nothing is asked of the
// server while painting; the changed hands are written into a field of the form.

const lockForm = document.getElementById("lock-form");
const WHOLE = 10000;

class StrategyGrid extends PaintedGrid {
  constructor(grid) {
    super(grid);
    const node = JSON.parse(grid.dataset.node);
    this.actions = node.actions;
    this.colours = node.colours;
    this.groups = new Map(); // hands that differ by suits only: number → hands
    this.hands = new Map(); // class → hands
    for (const [label, rows] of Object.entries(node.cells)) {
      this.hands.set(label, rows.map(([name, group, mass, solved]) => this.hand(label, name, group, mass, solved)));
    }
    this.makeCells();
    this.read(lockForm.elements.namedItem("painted").value);
    document.getElementById("restore").addEventListener("click", () => this.restore());
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

  furnish(cell, label) {
    cell.disabled = !this.hands.has(label);
    const bars = document.createElement("u");
    for (const colour of this.colours) {
      const bar = document.createElement("i");
      bar.className = colour;
      bars.append(bar);
    }
    cell.append(bars);
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

  restore() {
    for (const hands of this.hands.values()) for (const hand of hands) this.mix(hand, -1, 0);
    for (const label of this.hands.keys()) this.draw(label);
    this.openHands("");
    this.tell();
  }

  startStroke() {} // the brush does the same to every cell

  brush() {
    return [Number(lockForm.elements.namedItem("brush").value), brushWeight()];
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

  openHands(label) {
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
        this.openHands(label);
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
