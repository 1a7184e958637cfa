"use strict";
// Shows one item at a time, keeps the answers in this browser, and exports them. Nothing is sent anywhere.
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const app = byId("app"), main = document.querySelector("main"), bar = document.querySelector(".bar");
  const rater = byId("rater"), advance = byId("advance"), notice = byId("notice");
  const { format, digest } = app.dataset;
  const items = JSON.parse(byId("items").textContent);
  const KEPT = `${format}:${digest}`;
  const parts = Object.fromEntries(all("[data-part]").map((part) => [part.dataset.part, part]));
  const buttons = all("[data-question] button").map((button) => ({
    button, question: button.closest("[data-question]").dataset.question, value: button.dataset.value,
    key: button.getAttribute("aria-keyshortcuts"),
  }));
  // The object has no prototype, because an item may have any id, such as __proto__.
  const answersFrom = (kept) => Object.assign(Object.create(null), kept);
  let state = { rater: "", at: 0, advance: true, answers: answersFrom({}) };

  // A character that is invisible or changes the direction of a line is shown as its code point.
  const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff\u{e0000}-\u{e0fff}]/gu;
  const seen = (text) =>
    text.replace(UNSEEN, (one) => `⟨U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);

  // --- The answers so far, and the next question.

  const answersOf = (item) => new Map(Object.entries(state.answers[item.id] ?? {}));
  const questionsAbout = (item, answers) => [
    ...(item.claim === undefined ? [] : ["understandable"]),
    ...(answers.get("understandable") === "yes" ? ["attribution"] : []),
    ...(item.original === undefined ? [] : ["intent"]),
  ];
  const openQuestion = (item) => {
    const answers = answersOf(item);
    return questionsAbout(item, answers).find((question) => !answers.has(question));
  };
  const isRated = (item) => openQuestion(item) === undefined;
  const rated = () => items.filter(isRated).length;

  // --- Storing. If the browser refuses, the page says so, and warns the person who leaves it.

  let refused = false;
  const keep = () => {
    try {
      localStorage.setItem(KEPT, JSON.stringify(state));
      refused = false;
    } catch {
      refused = true;
    }
  };
  const read = (text) => {
    const kept = JSON.parse(text);
    state = { rater: kept.rater, at: Math.min(kept.at, items.length - 1), advance: kept.advance, answers: answersFrom(kept.answers) };
    rater.value = state.rater;
    advance.checked = state.advance;
  };
  const restore = () => {
    try {
      const text = localStorage.getItem(KEPT);
      if (text) read(text);
    } catch {
      refused = true;
    }
  };

  // --- Showing.

  const passage = ({ text, title = "", source = "" }) => {
    const entry = document.createElement("li");
    if (title || source) {
      const head = document.createElement(/^https?:\/\//i.test(source) ? "a" : "b");
      head.textContent = seen(title || source);
      head.dir = "auto";
      if (head.matches("a")) Object.assign(head, { href: source, rel: "noopener noreferrer", target: "_blank" });
      entry.append(head);
    }
    const words = document.createElement("p");
    Object.assign(words, { className: "text", dir: "auto", textContent: seen(text) });
    entry.append(words);
    return entry;
  };

  const showAnswers = () => {
    const item = items[state.at], answers = answersOf(item), open = openQuestion(item);
    const asked = questionsAbout(item, answers);
    const until = open === undefined ? asked.length : asked.indexOf(open) + 1;
    for (const question of ["understandable", "attribution", "intent"])
      parts[question].hidden = !asked.slice(0, until).includes(question);
    for (const { button, question, value } of buttons)
      button.setAttribute("aria-pressed", String(answers.get(question) === value));
    const done = rated();
    byId("progress").value = done;
    byId("count").textContent =
      `${done} of ${items.length} rated` + (done === items.length ? ": download the ratings" : "");
    byId("unrated").disabled = done === items.length;
    byId("clear").disabled = answers.size === 0;
    notice.textContent = refused ? "This browser does not keep your answers: download them before you leave." : "";
  };

  const show = () => {
    const item = items[state.at];
    byId("place").textContent = `Item ${state.at + 1} of ${items.length}`;
    byId("back").disabled = state.at === 0;
    byId("forth").disabled = state.at === items.length - 1;
    byId("go").value = state.at + 1;
    parts.question.hidden = !item.question;
    parts.question.querySelector("p").textContent = seen(item.question ?? "");
    parts.understandable.querySelector("p").textContent = seen(item.claim ?? "");
    byId("evidence").replaceChildren(...(item.evidence ?? []).map(passage));
    const [original, revised] = all("p", parts.intent);
    original.textContent = seen(item.original ?? "");
    revised.textContent = seen(item.revised ?? "");
    showAnswers();
  };

  const goTo = (at) => {
    if (!(at >= 0 && at < items.length) || at === state.at) return;
    state.at = at;
    keep();
    show();
    scroll(0, Math.min(scrollY, main.offsetTop - bar.offsetHeight));
    byId("place").focus({ preventScroll: true });
  };
  const goToUnrated = () => {
    const order = items.map((_, i) => (state.at + 1 + i) % items.length);
    const next = order.find((i) => !isRated(items[i]));
    if (next !== undefined) goTo(next);
  };

  // --- Answering.

  const answer = (question, value) => {
    const item = items[state.at], before = isRated(item), answers = answersOf(item);
    if (parts[question].hidden) {
      notice.textContent = "This question is not asked, or not yet.";
      return;
    }
    if (Object.keys(state.answers).length === 0) byId("how").open = false;
    answers.set(question, value);
    if (answers.get("understandable") === "no") answers.delete("attribution");
    state.answers[item.id] = Object.fromEntries(answers);
    keep();
    showAnswers();
    const open = openQuestion(item);
    if (open === undefined && !before && state.advance && state.at < items.length - 1) return goTo(state.at + 1);
    if (open !== undefined && open !== question) {
      parts[open].querySelector("h3").focus({ preventScroll: true });
      // A person reads the evidence beside the text.
      parts[open === "attribution" ? "understandable" : open].scrollIntoView();
    }
  };
  const clear = () => {
    delete state.answers[items[state.at].id];
    keep();
    showAnswers();
  };

  // --- Exporting.

  const exported = () => {
    state.rater = rater.value.trim();
    keep();
    if (!state.rater) {
      notice.textContent = "Enter your name first: the ratings of several people are merged by name.";
      rater.focus();
      return null;
    }
    return JSON.stringify({ format, rater: state.rater, digest, items, answers: state.answers });
  };
  const download = () => {
    const text = exported();
    if (text === null) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = `ratings-${state.rater.replace(/[^\p{L}\p{N}]+/gu, "-")}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  const copy = async () => {
    const text = exported();
    if (text === null) return;
    try {
      await navigator.clipboard.writeText(text);
      notice.textContent = "Copied: paste it into a file whose name ends in .json.";
    } catch {
      notice.textContent = "The browser does not allow to copy: download the ratings.";
    }
  };

  // --- Keys and buttons.

  const actions = {
    ArrowLeft: () => goTo(state.at - 1), ArrowRight: () => goTo(state.at + 1), u: goToUnrated, 0: clear,
    ...Object.fromEntries(buttons.map(({ key, question, value }) => [key, () => answer(question, value)])),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.matches("input:not([type=checkbox])")) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  // Without this check, the second click of a double click would answer the next item.
  const onClick = (button, action) => button.addEventListener("click", (event) => { if (event.detail < 2) action(); });
  for (const { button, question, value } of buttons) onClick(button, () => answer(question, value));
  byId("back").addEventListener("click", actions.ArrowLeft);
  byId("forth").addEventListener("click", actions.ArrowRight);
  onClick(byId("unrated"), goToUnrated);
  onClick(byId("clear"), clear);
  onClick(byId("download"), download);
  onClick(byId("copy"), copy);
  onClick(byId("clear-all"), () => {
    const count = Object.keys(state.answers).length;
    if (!confirm(`Clear the answers to all items (${count}), and the name? This cannot be undone.`)) return;
    state = { ...state, rater: "", at: 0, answers: answersFrom({}) };
    rater.value = "";
    keep();
    show();
  });
  rater.addEventListener("input", () => { state.rater = rater.value; keep(); });
  advance.addEventListener("change", () => { state.advance = advance.checked; keep(); });
  byId("go").addEventListener("change", () => {
    goTo(byId("go").valueAsNumber - 1);
    byId("go").value = state.at + 1;
  });
  // If the page is open in two tabs, both tabs show the newest answers.
  window.addEventListener("storage", (event) => {
    if (event.key !== KEPT || !event.newValue) return;
    const { at } = state;
    read(event.newValue);
    state.at = at;
    show();
  });
  window.addEventListener("beforeunload", (event) => {
    if (refused && Object.keys(state.answers).length) event.preventDefault();
  });

  restore();
  byId("unscripted").hidden = true;
  app.hidden = false;
  byId("how").open = Object.keys(state.answers).length === 0;
  show();
})();
