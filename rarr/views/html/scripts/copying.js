"use strict";
// Shows the buttons that copy a text. Without this script, the page has no such buttons.
(() => {
  document.documentElement.classList.add("scripted");
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest(".copy");
    if (!button) return;
    button.dataset.label ??= button.textContent;
    try {
      await navigator.clipboard.writeText(JSON.parse(button.dataset.text));
      button.textContent = "Copied";
    } catch {
      button.textContent = "The browser does not allow it";
    }
    setTimeout(() => { button.textContent = button.dataset.label; }, 2000);
  });
})();
