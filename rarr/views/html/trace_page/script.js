"use strict";
// Adds search, filters and keys. Without this script, rows still open, and links still lead into them.
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const find = byId("find"), node = byId("node"), wrong = byId("wrong");
  const entries = all(".entry"), sentences = all(".s");
  const texts = new Map();
  const opened = new Set(); // entries that a search opened; the next search closes them again
  let current = null;

  const text = (element) => {
    if (!texts.has(element)) texts.set(element, element.textContent.toLowerCase());
    return texts.get(element);
  };
  // The text of an entry, without the text of the entries within it.
  const ownText = (entry) => {
    if (!entry.querySelector(".entry")) return text(entry);
    if (!texts.has(entry)) {
      const own = entry.cloneNode(true);
      all(".entry", own).forEach((inner) => inner.remove());
      texts.set(entry, own.textContent.toLowerCase());
    }
    return texts.get(entry);
  };
  const fits = (entry, words) =>
    !entry.dataset.group &&
    words.every((word) => ownText(entry).includes(word)) &&
    (!node.value || entry.dataset.node === node.value) &&
    (!wrong.checked || entry.dataset.error === "1");

  const filter = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const active = words.length > 0 || node.value || wrong.checked;
    for (const entry of opened) entry.open = false;
    opened.clear();
    const good = new Set(entries.filter((entry) => fits(entry, words)));
    for (const entry of entries) {
      const inner = all(".entry", entry).some((each) => good.has(each));
      entry.classList.toggle("gone", Boolean(active) && !good.has(entry) && !inner);
      if (active && inner && !entry.open && entry.matches("details")) {
        entry.open = true;
        opened.add(entry);
      }
    }
    for (const sentence of sentences)
      sentence.classList.toggle("dim", words.length > 0 && !words.every((word) => text(sentence).includes(word)));
    const total = entries.filter((entry) => !entry.dataset.group).length;
    byId("count").textContent = active ? `${good.size} of ${total}` : "";
  };

  const head = (entry) => entry.querySelector(":scope > summary") ?? entry;
  const move = (by) => {
    const seen = entries.filter((entry) => head(entry).checkVisibility());
    const from = document.activeElement?.closest(".entry") ?? current;
    const at = seen.indexOf(from);
    current = seen[at < 0 ? (by > 0 ? 0 : seen.length - 1) : Math.min(Math.max(at + by, 0), seen.length - 1)];
    if (!current) return;
    head(current).focus({ preventScroll: true, focusVisible: true });
    current.scrollIntoView({ block: "nearest" });
  };

  const escape = () => {
    const focused = document.activeElement;
    if (focused === find && find.value) {
      find.value = "";
      filter();
    } else if (!focused?.closest(".s")) {
      const open = focused?.closest("details[open]");
      if (open) {
        open.open = false;
        head(open).focus();
      } else focused?.blur();
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return escape();
    if (event.target.matches("input, select")) return;
    const moves = { j: 1, k: -1 };
    if (event.key === "/") find.focus();
    else if (event.key in moves) move(moves[event.key]);
    else return;
    event.preventDefault();
  });
  for (const control of [node, wrong]) control.addEventListener("change", filter);
  find.addEventListener("input", filter);

  // A link may lead to a row that a search hides. The row is shown, opened and focused.
  const arrive = () => {
    const target = byId(decodeURIComponent(location.hash.slice(1)));
    const entry = target?.closest(".entry");
    if (!entry) return;
    if (entry.closest(".gone")) {
      find.value = node.value = "";
      wrong.checked = false;
      filter();
    }
    for (let each = entry; each; each = each.parentElement?.closest("details")) if (each.matches("details")) each.open = true;
    current = entry;
    head(entry).focus({ preventScroll: true });
    target.scrollIntoView({ block: target === entry || target.matches(".evidence") ? "center" : "nearest" });
    if (target.matches(".body")) head(entry).scrollIntoView({ block: "start" });
  };
  window.addEventListener("hashchange", arrive);

  // The page has each system message once. This copies the message to each place that shows it.
  document.addEventListener("toggle", (event) => {
    const name = event.target.dataset?.copy;
    if (!name || !event.target.open) return;
    const copy = byId(name).firstElementChild.cloneNode(true);
    delete event.target.dataset.copy;
    event.target.querySelector("p").replaceWith(copy);
  }, true);

  document.querySelector(".find").hidden = false;
  if (location.hash) arrive();
})();
