"use strict";
// Asks the server that the page came from. Whatever fails becomes one line on the page. What must outlive a reload,
// the token among it, is kept in this tab alone.
const byId = (id) => document.getElementById(id);
const server = (() => {
  const TOKEN = "rarr:token";
  const failure = byId("failure"), login = byId("login");
  let waiting = () => {}; // what to do once the server knows the token
  const say = (words) => { byId("said").textContent = words; };
  const fail = (words) => {
    failure.textContent = words;
    if (words) failure.scrollIntoView({ block: "nearest" });
  };

  const kept = {
    get(name) {
      try { return JSON.parse(sessionStorage.getItem(name)); } catch { return null; }
    },
    set(name, value) {
      try {
        sessionStorage.setItem(name, JSON.stringify(value));
      } catch {
        kept.remove(name); // rather nothing than something old
        fail("The browser keeps no more for this tab: a reload would lose what is on the page.");
      }
    },
    remove(name) {
      try { sessionStorage.removeItem(name); } catch { /* as above */ }
    },
  };

  const read = async (response) => {
    if (response.ok) return;
    let words = `the server answered with status ${response.status}`;
    try { words = (await response.json()).error.message; } catch { /* not in the form of this server */ }
    const after = response.headers.get("Retry-After");
    if (response.status === 401) {
      const known = kept.get(TOKEN) !== null;
      kept.remove(TOKEN);
      askForToken();
      words = known ? "This server does not know the token: enter another." : "This server needs a token: enter yours.";
    } else if (response.status === 429) words += ` (again in ${after ?? 1} s)`;
    throw new Error(words, { cause: "told" });
  };

  // Returns the response. Throws an error with the line for the reader, or what an abort throws.
  const ask = async (path, { body, accept, signal } = {}) => {
    const headers = { Accept: accept ?? "application/json" }, token = kept.get(TOKEN);
    if (token !== null) headers.Authorization = `Bearer ${token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const sent = { method: body === undefined ? "GET" : "POST", headers, signal, cache: "no-store" };
    if (body !== undefined) sent.body = JSON.stringify(body);
    let response;
    try {
      response = await fetch(path, sent);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("The server does not answer: see whether it runs, and try again.", { cause: "told" });
    }
    await read(response);
    return response;
  };
  const json = async (path, options) => (await ask(path, options)).json();

  // Does something that asks the server. Its failure becomes the line on the page. Only what the reader asks for
  // takes the line before away.
  const attempt = async (action, { asked = true } = {}) => {
    if (asked) fail("");
    try {
      return await action();
    } catch (error) {
      if (error.name === "AbortError") return undefined;
      const words = error.cause === "told" ? error.message : "The answer of the server ended too early: try again.";
      fail(words);
      say("");
      return undefined;
    }
  };

  const askForToken = () => {
    login.hidden = false;
    byId("token").focus();
  };
  login.addEventListener("submit", (event) => {
    event.preventDefault();
    // A header can hold no other characters, and a token of the server has none.
    const token = byId("token").value.replace(/[^\x21-\x7e]/g, "");
    if (!token) return fail("This is no token: enter one.");
    kept.set(TOKEN, token);
    login.hidden = true;
    byId("token").value = "";
    return waiting();
  });

  // A tab cannot send the token by itself, so the page fetches the trace for it.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.trace");
    if (!link || kept.get(TOKEN) === null) return;
    event.preventDefault();
    attempt(async () => {
      const page = await (await ask(link.getAttribute("href"), { accept: "text/html" })).text();
      const address = URL.createObjectURL(new Blob([page], { type: "text/html" }));
      const tab = window.open(address, "_blank");
      if (!tab) throw new Error("The browser opens no tab for the trace: allow it for this page.", { cause: "told" });
      tab.opener = null;
    });
  });

  return { ask, json, attempt, kept, fail, say, whenKnown: (action) => { waiting = action; } };
})();
