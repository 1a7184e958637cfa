"use strict";
// Buttons copy a text, or the text of their result with one edit more. Without a script they are not shown.
(() => {
  document.documentElement.classList.add("scripted");
  const shown = (button, words) => {
    button.dataset.label ??= button.textContent;
    button.textContent = words;
    setTimeout(() => { button.textContent = button.dataset.label; }, 2000);
  };
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest(".copy");
    if (!button) return;
    const { start, end, text, new: words } = button.dataset;
    const result = button.closest(".result") ?? document;
    // As code points, since the places of edits are counted in code points.
    const points = [...JSON.parse(text ?? result.querySelector("[data-text]").dataset.text)];
    if (words) points.splice(Number(start), end - start, JSON.parse(words));
    try {
      await navigator.clipboard.writeText(points.join(""));
      shown(button, "Copied");
    } catch {
      shown(button, "The browser does not allow it");
    }
  });
})();
