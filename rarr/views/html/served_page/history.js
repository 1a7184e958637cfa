"use strict";
// Lists the runs so far, opens one of them, and shows two side by side.
const runs = (() => {
  const { json, attempt } = server;
  const PAGE = 20;
  const list = byId("runs"), beside = byId("beside"), pair = byId("pair");
  let limit = PAGE, kept = true, chosen = []; // the ids of the runs to show side by side: the last two that were ticked

  const mark = () => {
    for (const box of list.querySelectorAll(".pick")) box.checked = chosen.includes(box.value);
    beside.disabled = chosen.length !== 2;
  };
  const show = (how) => attempt(async () => {
    if (!kept) return;
    const wanted = new URLSearchParams({ limit, text: byId("find").value, status: byId("status").value });
    if (byId("changed").value) wanted.set("changed", byId("changed").value);
    const { html, count } = await json(`/page/runs?${wanted}`);
    list.innerHTML = html; // drawn by the server, as the result is
    byId("count").textContent = count === limit ? `the newest ${count}` : `${count} in all`;
    byId("more").hidden = count < limit || limit >= 1000;
    mark();
  }, how);

  // Two results have the same names for their parts: those of the second get another beginning.
  const renamed = (pane, prefix) => {
    for (const name of ["id", "aria-describedby"])
      for (const each of pane.querySelectorAll(`[${name}]`)) each.setAttribute(name, prefix + each.getAttribute(name));
    for (const link of pane.querySelectorAll('a[href^="#"]')) {
      const to = prefix + link.getAttribute("href").slice(1);
      if (pane.querySelector(`[id="${CSS.escape(to)}"]`)) link.setAttribute("href", `#${to}`);
      else { // its part of the page is not shown here
        const plain = Object.assign(document.createElement("span"), { className: link.className, title: link.title });
        plain.append(...link.childNodes);
        link.replaceWith(plain);
      }
    }
    return pane;
  };
  const pane = async (id, prefix) => {
    const { html } = await json(`/page/runs/${encodeURIComponent(id)}`);
    const made = Object.assign(document.createElement("div"), { className: "result", innerHTML: html });
    return renamed(made, prefix);
  };
  const compare = () => attempt(async () => {
    pair.replaceChildren(...await Promise.all(chosen.map((id, n) => pane(id, `${"ab"[n]}-`))));
    byId("pair-box").hidden = false;
    byId("pair-h").focus();
  });
  const open = (id) => attempt(async () => {
    const revision = await json(`/v1/runs/${encodeURIComponent(id)}`);
    await revising.show({ revision, context: null, accept: [], refuse: [] });
    byId("answered-h").focus();
  });

  list.addEventListener("click", ({ target }) => {
    const button = target.closest(".open");
    if (button) open(button.dataset.run);
  });
  list.addEventListener("change", ({ target }) => {
    chosen = target.checked ? [...chosen, target.value].slice(-2) : chosen.filter((id) => id !== target.value);
    mark();
  });
  const afresh = () => { limit = PAGE; return show(); };
  byId("filters").addEventListener("submit", (event) => { event.preventDefault(); afresh(); });
  for (const name of ["status", "changed"]) byId(name).addEventListener("change", afresh);
  byId("more").addEventListener("click", () => { limit = Math.min(limit * 2, 1000); show(); });
  beside.addEventListener("click", compare);

  return {
    show,
    begin(keepsRuns) {
      kept = keepsRuns;
      byId("filters").hidden = beside.hidden = !kept;
      if (kept) return show({ asked: false });
      list.textContent = "This server keeps no traces, so it has no runs to show.";
      return undefined;
    },
  };
})();
server.whenKnown(revising.start);
revising.start();
