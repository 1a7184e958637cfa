"use strict";
// The key Escape closes the card of a sentence, even under the pointer. Styles open it on hover and focus.
(() => {
  const body = document.body;
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.ctrlKey || event.metaKey || event.altKey) return;
    body.classList.add("quiet");
    document.activeElement?.closest(".s")?.blur();
  }, true);
  for (const name of ["pointermove", "focusin"])
    document.addEventListener(name, () => body.classList.remove("quiet"));
})();
