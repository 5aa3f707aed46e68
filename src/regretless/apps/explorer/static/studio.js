"use strict";
// Setting up a spot: grids to paint, the board, and the size of the game while the form is filled in.
// The server reads and writes the notation of ranges. A painted cell changes at once; its text follows.

const TYPING_MILLISECONDS = 250;

const spotForm = document.getElementById("spot");

async function send(path, fields) {
  const answer = await request(path, { method: "POST", body: new URLSearchParams(fields) });
  return answer && answer.ok ? answer : null;
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

class RangeGrid extends PaintedGrid {
  constructor(element) {
    super(element.querySelector(".paint-grid"));
    this.text = element.querySelector("textarea");
    this.combos = element.querySelector(".combos-held");
    this.problem = element.querySelector(".range-problem");
    this.single = element.querySelector(".single-hands");
    this.pending = new Map(); // class or hand → weight that the server does not know yet
    this.busy = false;
    this.weight = 0; // the weight that the stroke in progress paints
    this.painted = new Set(); // classes that a stroke by suits has painted
    this.hand = "";
    this.makeCells();
    this.show(JSON.parse(this.grid.dataset.weights));
    this.listen(element);
  }

  furnish(cell, label) {
    cell.className = label.length === 2 ? "pair" : label.endsWith("s") ? "suited" : "offsuit";
    cell.append(document.createElement("i"));
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

  openHands(label) {
    this.hand = label;
    this.ask();
  }

  // A stroke that begins on a cell with the weight of the brush erases.
  startStroke(label) {
    const weight = brushWeight();
    this.weight = Math.abs(Number(this.cells.get(label).dataset.weight) - weight) < 0.005 ? 0 : weight;
    this.painted.clear();
  }

  paint(label) {
    const weight = this.weight;
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
bySuit.addEventListener("change", () => {
  for (const single of document.querySelectorAll(".single-hands")) single.hidden = true;
});
markBoard();
showNotes(document.getElementById("size"));
