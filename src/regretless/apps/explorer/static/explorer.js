"use strict";
// The pages work without this file. With it they refresh themselves, react to keys and send forms without reloading.
// The server sends only HTML in which all text from runs is escaped.

const themes = ["system", "light", "dark"];

function setTheme(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  document.cookie = `theme=${name}; path=/; max-age=31536000; samesite=strict`;
  document.dispatchEvent(new Event("explorer:colours"));
}

function nextTheme() {
  const now = document.documentElement.dataset.theme || "system";
  setTheme(themes[(themes.indexOf(now) + 1) % themes.length]);
}

// A banner while the server does not answer.
function showLost(yes) {
  const banner = document.getElementById("lost");
  if (!banner || banner.hidden === !yes) return;
  banner.hidden = !yes;
  if (yes) waitForServer();
}

async function waitForServer() {
  for (;;) {
    await new Promise((wake) => setTimeout(wake, 1000));
    try {
      if ((await fetch("/alive", { cache: "no-store" })).ok) break;
    } catch {
      continue;
    }
  }
  location.reload();
}

async function request(url, options = {}) {
  try {
    const answer = await fetch(url, { ...options, cache: "no-store", headers: { "X-Fragment": "1" } });
    showLost(false);
    return answer;
  } catch {
    showLost(true);
    return null;
  }
}

// An element with data-refresh and data-every is requested again and again, and replaced when it has changed.
const timers = new WeakSet();
const sent = new WeakMap(); // element → its HTML as the server has sent it, without what scripts have added

function refreshLater(element) {
  if (timers.has(element)) return;
  timers.add(element);
  setTimeout(async () => {
    if (!element.isConnected) return;
    const answer = document.hidden ? null : await request(element.dataset.refresh);
    timers.delete(element);
    if (answer && answer.ok) replace(element, await answer.text());
    else if (element.isConnected) refreshLater(element);
  }, Number(element.dataset.every));
}

function replace(element, text) {
  const made = new DOMParser().parseFromString(text, "text/html").body.firstElementChild;
  if (!made) return;
  if (made.outerHTML === sent.get(element)) {
    refreshLater(element);
    return;
  }
  const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
  const marked = [...element.querySelectorAll("input[type=checkbox]")].map((box) => [box.id, box.checked]);
  const open = new Set([...element.querySelectorAll("details[open]")].map((details) => details.className));
  sent.set(made, made.outerHTML);
  keepCharts(element, made);
  element.replaceWith(made);
  for (const details of made.querySelectorAll("details.measurements")) details.open = open.has(details.className);
  for (const [id, checked] of marked) {
    const box = id && document.getElementById(id);
    if (box) box.checked = checked;
  }
  if (focused) document.getElementById(focused)?.focus();
  watch(made);
  made.dispatchEvent(new Event("explorer:replaced", { bubbles: true }));
}

// A chart that is drawn already stays in the page with its zoom and gets the new data.
function keepCharts(from, to) {
  for (const fresh of to.querySelectorAll(".chart[id]")) {
    const drawn = from.querySelector(`.chart[id="${CSS.escape(fresh.id)}"]`);
    if (!drawn) continue;
    drawn.dataset.chart = fresh.dataset.chart;
    drawn.setAttribute("aria-label", fresh.getAttribute("aria-label"));
    fresh.replaceWith(drawn);
  }
}

async function submitInPlace(event) {
  const form = event.target.closest("form[data-swap]");
  if (!form) return;
  event.preventDefault();
  const target = document.querySelector(form.dataset.swap);
  const fields = new URLSearchParams(new FormData(form));
  if (event.submitter?.name) fields.set(event.submitter.name, event.submitter.value);
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  const answer = await request(form.getAttribute("action"), { method: "POST", body: fields });
  if (!answer) {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
    return;
  }
  const text = await answer.text();
  if (!answer.ok) {
    location.reload();
    return;
  }
  replace(target, text);
  document.querySelector(`${form.dataset.swap} button`)?.focus({ preventScroll: true });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName || "");
  if (event.key === "Escape" && typing) document.activeElement.blur();
  if (typing || (event.key === "Enter" && document.activeElement?.matches("a, button, summary"))) return;
  const found = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!found) return;
  event.preventDefault();
  if (found.tagName === "INPUT") found.focus();
  else found.click();
}

function watch(root) {
  const fresh = root.matches?.("[data-refresh]") ? [root] : [];
  for (const element of [...fresh, ...root.querySelectorAll("[data-refresh]")]) {
    if (!sent.has(element)) sent.set(element, element.outerHTML);
    refreshLater(element);
  }
}

document.addEventListener("submit", submitInPlace);
document.addEventListener("keydown", onKey);
document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-submit]")) event.target.form.requestSubmit();
});

// The solve page: fields follow the choice of game and method, and the size follows the fields.
const solveForm = document.getElementById("solve-form");
let partNumber = 0;

async function replacePart(path) {
  const number = ++partNumber;
  const fields = new URLSearchParams(new FormData(solveForm));
  const answer = await request(`${path}?${fields}`);
  if (!answer || !answer.ok || number !== partNumber) return; // a later request is on its way
  const made = new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild;
  document.getElementById(made.id)?.replaceWith(made);
}

if (solveForm) {
  let timer = 0;
  const sizeLater = () => {
    clearTimeout(timer);
    timer = setTimeout(() => replacePart("/solve/size"), 400);
  };
  // Each game begins with the method that is usual for it, until another one is chosen.
  const usual = JSON.parse(solveForm.querySelector("[data-methods]").dataset.methods);
  let chosen = false;
  solveForm.addEventListener("change", async (event) => {
    if (event.target.name === "algorithm") chosen = true;
    if (event.target.name === "game" && !chosen) {
      solveForm.elements.namedItem("algorithm").value = usual[event.target.value] || "cfr+";
    }
    if (event.target.matches("select[name=game], select[name=algorithm]")) await replacePart("/solve/settings");
    sizeLater();
  });
  solveForm.addEventListener("input", (event) => {
    if (event.target.closest("#settings")) sizeLater();
  });
  sizeLater();
}

// Files are read into a field of text. Texts that the server would refuse are not sent, and the form says why.
function tooLong(input) {
  const field = input.form.elements.namedItem(input.dataset.into);
  const long = field.value.length > Number(input.dataset.most || Infinity);
  const note = input.form.querySelector(".too-long");
  if (note) note.hidden = !long;
  return long;
}

for (const input of document.querySelectorAll("input[data-into]")) {
  input.addEventListener("change", async () => {
    const files = [...input.files];
    if (!files.length) return;
    const most = Number(input.dataset.most || Infinity);
    const size = files.reduce((sum, file) => sum + file.size, 0);
    const texts = size > 4 * most ? ["\n".repeat(most + 1)] : await Promise.all(files.map((file) => file.text()));
    input.form.elements.namedItem(input.dataset.into).value = texts.join("\n\n");
    const name = input.form.querySelector("input[type=hidden][name=name]");
    if (name) name.value = files.length === 1 ? files[0].name : `${files.length} files`;
    tooLong(input);
  });
  input.form.addEventListener("submit", (event) => {
    if (tooLong(input)) event.preventDefault();
  });
}

document.getElementById("theme")?.addEventListener("click", nextTheme);
if (matchMedia("(max-width: 56rem)").matches) {
  for (const element of document.querySelectorAll("details[data-narrow=closed]")) element.open = false;
}
watch(document);
document.documentElement.dataset.ready = "yes";
