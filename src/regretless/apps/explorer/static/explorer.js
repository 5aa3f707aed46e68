"use strict";
// The pages work without this file; with it they stay fresh, answer to keys and move on without reloading.
// What the server sends is HTML of its own making, in which everything that comes from a run is escaped.

const themes = ["system", "light", "dark"];

function setTheme(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  document.cookie = `theme=${name}; path=/; max-age=31536000; samesite=strict`;
}

function nextTheme() {
  const now = document.documentElement.dataset.theme || "system";
  setTheme(themes[(themes.indexOf(now) + 1) % themes.length]);
}

function lost(yes) {
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

async function ask(url, options = {}) {
  try {
    const answer = await fetch(url, { ...options, cache: "no-store", headers: { "X-Fragment": "1" } });
    lost(false);
    return answer;
  } catch {
    lost(true);
    return null;
  }
}

// A piece of the page that is asked for again: an element with data-refresh and data-every.
const timers = new WeakSet();

function keepFresh(element) {
  if (timers.has(element)) return;
  timers.add(element);
  setTimeout(async () => {
    if (!element.isConnected) return;
    const answer = document.hidden ? null : await ask(element.dataset.refresh);
    timers.delete(element);
    if (answer && answer.ok) swap(element, await answer.text());
    else if (element.isConnected) keepFresh(element);
  }, Number(element.dataset.every));
}

function swap(element, text) {
  const made = new DOMParser().parseFromString(text, "text/html").body.firstElementChild;
  if (!made) return;
  const same = made.outerHTML === element.dataset.last;
  if (same) {
    keepFresh(element);
    return;
  }
  const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
  const marked = [...element.querySelectorAll("input[type=checkbox]")].map((box) => [box.id, box.checked]);
  const last = made.outerHTML;
  element.replaceWith(made);
  made.dataset.last = last;
  for (const [id, checked] of marked) {
    const box = id && document.getElementById(id);
    if (box) box.checked = checked;
  }
  if (focused) document.getElementById(focused)?.focus();
  attend(made);
}

async function submitInPlace(event) {
  const form = event.target.closest("form[data-swap]");
  if (!form) return;
  event.preventDefault();
  const target = document.querySelector(form.dataset.swap);
  const fields = new URLSearchParams(new FormData(form));
  if (event.submitter?.name) fields.set(event.submitter.name, event.submitter.value);
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  const answer = await ask(form.getAttribute("action"), { method: "POST", body: fields });
  if (!answer) {
    for (const button of form.querySelectorAll("button")) button.disabled = false;
    return;
  }
  const text = await answer.text();
  if (!answer.ok) {
    location.reload();
    return;
  }
  swap(target, text);
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

function attend(root) {
  const fresh = root.matches?.("[data-refresh]") ? [root] : [];
  for (const element of [...fresh, ...root.querySelectorAll("[data-refresh]")]) keepFresh(element);
}

document.addEventListener("submit", submitInPlace);
document.addEventListener("keydown", onKey);
document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-submit]")) event.target.form.requestSubmit();
});
function hintParameters(select) {
  const field = select.form.elements.namedItem("parameters");
  const known = select.selectedOptions[0]?.dataset.parameters;
  if (field) field.placeholder = known || "it has none";
}

for (const select of document.querySelectorAll("select[name=game]")) {
  select.addEventListener("change", () => hintParameters(select));
  hintParameters(select);
}
document.getElementById("theme")?.addEventListener("click", nextTheme);
if (matchMedia("(max-width: 56rem)").matches) {
  for (const element of document.querySelectorAll("details[data-narrow=closed]")) element.open = false;
}
attend(document);
document.documentElement.dataset.ready = "yes";
