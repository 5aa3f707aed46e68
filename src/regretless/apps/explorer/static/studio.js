"use strict";
// Setting up a spot: grids to paint, the board, and the size of the game while the form is filled in.
// The server reads and writes the notation of ranges. A painted cell changes at once; its text follows.

const TYPING_MILLISECONDS = 250;

const spotForm = document.getElementById("spot");
const weightField = document.getElementById("weight");
const weightSlider = document.getElementById("weight-slider");
const bySuit = document.getElementById("by-suit");

async function send(path, fields) {
  const answer = await request(path, { method: "POST", body: new URLSearchParams(fields) });
  return answer && answer.ok ? answer : null;
}

function brushWeight() {
  const given = Number(weightField.value);
  return Number.isFinite(given) ? Math.min(Math.max(given, 0), 100) / 100 : 1;
}

// The hands of a class whose cards all have a suit of the brush; null if the brush has all suits.
function brushHands(label) {
  const boxes = [...document.querySelectorAll(".suits input")];
  const suits = boxes.filter((box) => box.checked).map((box) => box.value);
  if (suits.length === boxes.length) return null;
  const hands = [];
  for (const [at, one] of suits.entries()) {
    for (const [place, other] of suits.entries()) {
      if (label.endsWith("s") ? one !== other : one === other) continue;
      if (label.length === 2 && place < at) continue; // both orders of a pair are one hand
      hands.push(label[0] + one + label[1] + other);
    }
  }
  return hands;
}

// -- ranges -----------------------------------------------------------------------------------------------------------

class RangeGrid {
  constructor(element) {
    this.grid = element.querySelector(".paint-grid");
    this.text = element.querySelector("textarea");
    this.combos = element.querySelector(".combos-held");
    this.problem = element.querySelector(".range-problem");
    this.single = element.querySelector(".single-hands");
    this.pending = new Map(); // class or hand → weight that the server does not know yet
    this.busy = false;
    this.last = null; // the last event of the stroke
    this.stroke = null; // the weight of the stroke in progress
    this.painted = new Set(); // classes that a stroke by suits has painted
    this.hand = "";
    this.cells = new Map();
    for (const label of this.grid.dataset.labels.split(" ")) this.cells.set(label, this.makeCell(label));
    this.show(JSON.parse(this.grid.dataset.weights));
    this.listen(element);
  }

  makeCell(label) {
    const cell = document.createElement("button");
    cell.type = "button";
    cell.tabIndex = this.cells.size ? -1 : 0;
    cell.dataset.label = label;
    cell.className = label.length === 2 ? "pair" : label.endsWith("s") ? "suited" : "offsuit";
    const fill = document.createElement("i");
    const name = document.createElement("span");
    name.textContent = label;
    cell.append(fill, name);
    this.grid.append(cell);
    return cell;
  }

  fill(label, weight) {
    const cell = this.cells.get(label);
    if (!cell) return;
    cell.dataset.weight = weight;
    cell.firstChild.style.height = `${100 * weight}%`;
    cell.setAttribute("aria-label", `${label} ${Math.round(100 * weight)}%`);
  }

  show(weights) {
    [...this.cells.keys()].forEach((label, number) => {
      if (!this.pending.has(label)) this.fill(label, weights[number]);
    });
  }

  listen(element) {
    this.grid.addEventListener("pointerdown", (event) => this.begin(event));
    this.grid.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) this.grid.addEventListener(name, () => (this.stroke = null));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    let timer = 0;
    this.text.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.ask(), TYPING_MILLISECONDS);
    });
    element.querySelector(".preset").addEventListener("change", (event) => {
      const name = event.target.selectedOptions[0];
      if (event.target.selectedIndex === 0) return;
      this.text.value = name.value;
      event.target.selectedIndex = 0;
      this.ask();
    });
  }

  cellAt(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("button[data-label]");
    return found && this.grid.contains(found) ? found : null;
  }

  begin(event) {
    const cell = this.cellAt(event);
    if (!cell || event.button > 0) return;
    event.preventDefault();
    if (bySuit.checked) {
      this.hand = cell.dataset.label;
      this.ask();
      return;
    }
    this.grid.setPointerCapture(event.pointerId);
    // A stroke that begins on a cell with the weight of the brush erases.
    const weight = brushWeight();
    this.stroke = Math.abs(Number(cell.dataset.weight) - weight) < 0.005 ? 0 : weight;
    this.painted.clear();
    this.last = event;
    this.paint(cell.dataset.label, this.stroke);
  }

  // The pointer may pass several cells between two events: all cells on the line between them are painted.
  move(event) {
    if (this.stroke === null) return;
    const from = this.last || event;
    const width = this.grid.firstChild.offsetWidth / 2;
    const steps = Math.ceil(Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) / width) || 1;
    for (let step = 1; step <= steps; step++) {
      const clientX = from.clientX + ((event.clientX - from.clientX) * step) / steps;
      const clientY = from.clientY + ((event.clientY - from.clientY) * step) / steps;
      const cell = this.cellAt({ clientX, clientY });
      if (cell) this.paint(cell.dataset.label, this.stroke);
    }
    this.last = event;
  }

  key(event) {
    const labels = [...this.cells.keys()];
    const at = labels.indexOf(document.activeElement?.dataset?.label);
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13 };
    if (at >= 0 && event.key in steps) {
      const next = this.cells.get(labels[at + steps[event.key]]);
      if (next) next.focus();
      event.preventDefault();
    } else if (at >= 0 && (event.key === " " || event.key === "Enter")) {
      event.preventDefault();
      const weight = brushWeight();
      this.painted.clear();
      this.paint(labels[at], Math.abs(Number(this.cells.get(labels[at]).dataset.weight) - weight) < 0.005 ? 0 : weight);
    }
  }

  paint(label, weight) {
    const hands = brushHands(label);
    if (hands) {
      if (this.painted.has(label)) return; // once a stroke
      this.painted.add(label);
      for (const hand of hands) this.pending.set(hand, weight);
      if (hands.length) this.ask();
      return;
    }
    if (this.cells.has(label)) {
      if (Number(this.cells.get(label).dataset.weight) === weight) return;
      this.fill(label, weight);
    }
    this.pending.set(label, weight);
    this.ask();
  }

  // One request at a time: what is painted meanwhile goes with the next one.
  async ask() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    do {
      this.again = false;
      const sent = new Map(this.pending);
      const paint = [...sent].map(([label, weight]) => `${label}:${weight}`).join(",");
      const before = this.text.value;
      const answer = await send("/spot/range", { text: before, paint, hand: this.hand });
      if (!answer) break;
      const found = await answer.json();
      for (const [label, weight] of sent) if (this.pending.get(label) === weight) this.pending.delete(label);
      this.answered(found, before);
    } while (this.again || this.pending.size);
    this.busy = false;
    sizeLater();
  }

  answered(found, before) {
    this.problem.hidden = !found.problem;
    this.problem.textContent = found.problem || "";
    if (found.problem) return;
    if (this.text.value === before) this.text.value = found.text; // not if it was typed in meanwhile
    this.combos.textContent = found.combos;
    this.show(found.weights);
    this.showHands(found.hands);
  }

  showHands(hands) {
    this.single.hidden = !hands.length;
    this.single.replaceChildren();
    for (const [name, weight] of hands) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${name} ${Math.round(100 * weight)}%`;
      button.className = weight > 0 ? "held-hand" : "";
      button.addEventListener("click", () => {
        const brush = brushWeight();
        this.pending.set(name, Math.abs(weight - brush) < 0.005 ? 0 : brush);
        this.ask();
      });
      this.single.append(button);
    }
  }
}

// -- the board --------------------------------------------------------------------------------------------------------

const boardField = spotForm.elements.namedItem("board");
const boardBoxes = [...spotForm.querySelectorAll(".board-picker input")];

function boardCards() {
  return (boardField.value.match(/(?:10|[2-9tjqka])[cdhs]/gi) || []).map((card) => {
    const plain = card.replace("10", "T");
    return plain[0].toUpperCase() + plain[1].toLowerCase();
  });
}

function markBoard() {
  const cards = boardCards();
  for (const box of boardBoxes) box.checked = cards.includes(box.value);
  const first = { 4: 1, 5: 2 }[cards.length] || 0;
  [...spotForm.querySelectorAll("fieldset.sizes")].forEach((street, number) => (street.hidden = number < first));
}

function pickCard(box) {
  const cards = boardCards().filter((card) => card !== box.value);
  if (box.checked && cards.length < 5) cards.push(box.value);
  boardField.value = cards.join(" ");
  markBoard();
  sizeLater();
}

// -- the size ---------------------------------------------------------------------------------------------------------

let sizeTimer = 0;
let sizeNumber = 0;

function sizeLater() {
  clearTimeout(sizeTimer);
  sizeTimer = setTimeout(showSize, TYPING_MILLISECONDS);
}

function showNotes(size) {
  document.getElementById("stack-note").textContent = size.dataset.stacks || "";
  document.getElementById("size-brief").textContent = size.dataset.brief || "";
}

async function showSize() {
  const number = ++sizeNumber;
  const old = document.getElementById("size");
  old.setAttribute("aria-busy", "true");
  const answer = await send("/spot/size", new FormData(spotForm));
  if (!answer || number !== sizeNumber) return; // a later request is on its way
  const open = document.querySelector("#size details")?.open;
  const made = new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild;
  const details = made.querySelector("details");
  if (details && open !== undefined) details.open = open;
  const streets = [...document.querySelectorAll(".drawn-tree details")].map((street) => street.open);
  [...made.querySelectorAll(".drawn-tree details")].forEach((street, at) => (street.open = Boolean(streets[at])));
  document.getElementById("size").replaceWith(made);
  showNotes(made);
}

// -- the form ---------------------------------------------------------------------------------------------------------

for (const element of document.querySelectorAll(".range")) new RangeGrid(element);
for (const box of boardBoxes) box.addEventListener("change", () => pickCard(box));
boardField.addEventListener("input", markBoard);
spotForm.addEventListener("input", (event) => {
  if (event.target.name && !event.target.closest(".range")) sizeLater();
});
weightField.addEventListener("input", () => (weightSlider.value = weightField.value));
weightSlider.addEventListener("input", () => (weightField.value = weightSlider.value));
bySuit.addEventListener("change", () => {
  for (const single of document.querySelectorAll(".single-hands")) single.hidden = true;
});
markBoard();
showNotes(document.getElementById("size"));
