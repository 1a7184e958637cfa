"use strict";
// Revises the text of the form, shows how far the run is, and lets the reader decide about suggested edits.
const revising = (() => {
  const DRAFT = "rarr:draft", SHOWN = "rarr:shown";
  const { ask, json, attempt, kept, fail, say } = server;
  const form = byId("form"), steps = byId("steps"), result = byId("result"), stop = byId("stop");
  const fields = ["answer", "question", "sources", "corpus"].map(byId), alone = byId("alone");
  let running = null; // the AbortController of the run under way
  let deciding = Promise.resolve();
  let shown = null; // the revision on the page, with the reader's decisions

  // --- The form, which outlives a reload.

  const keep = () => {
    const draft = Object.fromEntries(fields.map((field) => [field.id, field.value]));
    kept.set(DRAFT, { ...draft, alone: alone.checked });
  };
  const restore = () => {
    const draft = kept.get(DRAFT) ?? {};
    for (const field of fields) if (draft[field.id]) field.value = draft[field.id];
    if (byId("corpus").selectedIndex < 0) byId("corpus").selectedIndex = 0; // a corpus that is gone
    alone.checked = draft.alone ?? alone.checked;
  };
  const sources = () => byId("sources").value.split(/^[ \t]*-{3,}[ \t]*$/m).map((text) => text.trim()).filter(Boolean);
  const asked = () => {
    const body = { text: byId("answer").value };
    if (byId("question").value.trim()) body.context = byId("question").value;
    if (sources().length) body.sources = sources();
    if (alone.checked) body.search = "given";
    if (byId("corpus").value) body.corpus = byId("corpus").value;
    return body;
  };

  // --- The run, node by node.

  const step = (node) => {
    let entry = [...steps.children].find((each) => each.dataset.node === node);
    if (!entry) {
      entry = steps.lastElementChild.cloneNode(true);
      entry.dataset.node = node;
      entry.childNodes[1].data = ` ${node.replaceAll("_", " ")} `;
      steps.append(entry);
    }
    return entry;
  };
  const reset = () => {
    for (const entry of steps.children) {
      entry.className = entry.dataset.times = entry.querySelector(".facts").textContent = "";
      entry.firstElementChild.textContent = "○";
    }
    steps.hidden = false;
  };
  const advance = (node) => {
    const entry = step(node), times = Number(entry.dataset.times) + 1;
    entry.dataset.times = times;
    entry.className = "done";
    entry.firstElementChild.textContent = "✓";
    if (times > 1) entry.querySelector(".facts").textContent = `${times} times`;
    else say(`Done: ${node.replaceAll("_", " ")}`); // once a step, or a reader of the screen would never be silent
  };

  const events = async function* (response) {
    const lines = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let held = "";
    for (let piece = await lines.read(); !piece.done; piece = await lines.read()) {
      const blocks = (held + piece.value).split("\n\n");
      held = blocks.pop();
      for (const block of blocks) {
        const name = block.match(/^event: (.*)$/m), data = block.match(/^data: (.*)$/m);
        if (name && data) yield [name[1], JSON.parse(data[1])];
      }
    }
  };
  const follow = async (body) => {
    const options = { body, accept: "text/event-stream", signal: running.signal };
    for await (const [name, data] of events(await ask("/v1/revise", options))) {
      if (name === "node") advance(data.node);
      if (name === "error") throw new Error(data.error.message, { cause: "told" });
      if (name === "result") return data;
    }
    throw new Error("The server ended before the result came: try again.", { cause: "told" });
  };
  const revise = async () => {
    if (running || !form.reportValidity()) return;
    keep();
    running = new AbortController();
    stop.hidden = false;
    byId("revise").setAttribute("aria-disabled", "true");
    reset();
    say("The run has begun.");
    const body = asked(), signal = running.signal;
    let received; // what the server sent of this run
    const came = await attempt(async () => {
      received = await follow(body);
      await show({ revision: received, context: body.context ?? null, accept: [], refuse: [] });
      byId("answered-h").focus();
      await runs.show({ asked: false });
      return true;
    });
    if (!came && shown?.revision !== received) clear("The last run gave no result.");
    if (signal.aborted) say("The run was stopped.");
    running = null;
    stop.hidden = true;
    byId("revise").removeAttribute("aria-disabled");
  };

  // --- The result, and the decisions about it.

  const show = async (wanted) => {
    const { html, notice, failed } = await json("/page/result", { body: wanted });
    result.innerHTML = html; // the server draws it by templates that escape every text
    shown = wanted;
    kept.set(SHOWN, shown);
    say(failed ? "" : `Result: ${notice}`);
    if (failed) fail(`The text came back as it was: ${notice}`);
  };
  const clear = (words) => {
    result.replaceChildren(Object.assign(document.createElement("p"), { className: "facts", textContent: words }));
    shown = null;
    kept.remove(SHOWN);
  };
  const decide = (edit, choice) => async () => {
    const others = (names) => names.filter((name) => name !== edit);
    const next = { ...shown, accept: others(shown.accept), refuse: others(shown.refuse) };
    if (choice) next[choice].push(edit);
    await show(next);
    say({ accept: `${edit} is accepted.`, refuse: `${edit} is refused.`, "": `${edit} is open again.` }[choice]);
    (result.querySelector(`.decide[data-edit="${CSS.escape(edit)}"]`) ?? byId("answered-h")).focus();
  };
  result.addEventListener("click", ({ target }) => {
    const button = target.closest(".decide");
    // One after another: each decision builds on the one before.
    if (button) deciding = deciding.then(() => attempt(decide(button.dataset.edit, button.dataset.choice)));
    if (target.closest("#again")) {
      byId("answer").value = JSON.parse(result.querySelector("[data-text]").dataset.text);
      keep();
      byId("answer").focus();
    }
  });

  // --- Keys, buttons and the beginning.

  form.addEventListener("submit", (event) => { event.preventDefault(); revise(); });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) revise();
  });
  for (const name of ["input", "change"]) form.addEventListener(name, keep);
  stop.addEventListener("click", () => { running?.abort(); byId("revise").focus(); });
  byId("empty").addEventListener("click", () => {
    for (const field of fields.slice(0, 3)) field.value = "";
    alone.checked = false;
    keep();
    fail("");
    if (running) return byId("answer").focus();
    clear("Nothing was revised yet.");
    steps.hidden = true;
    say("");
    byId("answer").focus();
  });

  const start = () => attempt(async () => {
    const { corpora, keeps_runs: keepsRuns } = await json("/page/start");
    byId("corpus").replaceChildren(...corpora.map((name) => new Option(name, name)));
    byId("corpora").hidden = corpora.length === 0;
    restore();
    await runs.begin(keepsRuns);
    if (!shown && kept.get(SHOWN)) await show(kept.get(SHOWN));
  });
  restore();
  return { start, show };
})();
