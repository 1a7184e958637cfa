"use strict";
// Accepts and refuses edits by buttons, and updates the text to copy. Offsets count characters, not UTF-16 units.
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  document.addEventListener("click", ({ target }) => {
    const decision = target.closest(".decision");
    if (!decision) return;
    const pressed = decision.getAttribute("aria-pressed") !== "true";
    for (const each of decision.parentElement.children) each.setAttribute("aria-pressed", String(pressed && each === decision));
    const button = document.querySelector("#text .copy");
    button.dataset.written ??= button.dataset.text;
    const characters = [...JSON.parse(button.dataset.written)];
    const changed = all(".decision:first-child[aria-pressed=true]").map((each) => each.parentElement.dataset);
    for (const { start, end, new: words } of changed.sort((a, b) => b.start - a.start))
      characters.splice(start, end - start, ...JSON.parse(words));
    button.dataset.text = JSON.stringify(characters.join(""));
    // If two edits change the same words, the text can have only one of them.
    for (const other of all(".decision:first-child")) {
      const { edit, start, end } = other.parentElement.dataset;
      other.disabled = changed.some((it) => it.edit !== edit && +it.start < +end && +start < +it.end);
    }
    const counted = changed.length === 1 ? "1 change" : `${changed.length} changes`;
    button.textContent = button.dataset.label = changed.length ? `Copy the text with ${counted}` : "Copy the text";
  });
})();
