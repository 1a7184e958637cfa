"use strict";
// Sends the form to the server of this page, and shows the result, which the server renders with escaped texts.
(() => {
  const byId = (id) => document.getElementById(id);
  const form = byId("form"), start = form.querySelector(".main"), stop = byId("stop"), result = byId("result");
  let running = null; // the AbortController of the running request

  const asked = () => {
    const passages = byId("sources").value.split(/^[ \t]*-{3,}[ \t]*$/m).map((text) => text.trim()).filter(Boolean);
    const body = { text: byId("answer").value };
    if (byId("question").value.trim()) body.context = byId("question").value;
    if (passages.length) body.sources = passages;
    return JSON.stringify(body);
  };
  const UNKNOWN = "This server does not know the token: correct it above.";
  const headers = () => {
    const sent = { Accept: "text/html", "Content-Type": "application/json" };
    const token = byId("token")?.value.trim();
    if (/[^!-~]/.test(token ?? "")) throw new Error(UNKNOWN); // such characters are in no token, and a header cannot hold them
    return token ? { ...sent, Authorization: `Bearer ${token}` } : sent;
  };
  // Returns the result as HTML. Throws an error whose message is for the reader.
  const revised = async (signal) => {
    const sent = { method: "POST", headers: headers(), body: asked(), signal, cache: "no-store" };
    let response;
    try {
      response = await fetch("/v1/revise", sent);
      if (response.ok) return await response.text();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error("The server does not answer: see whether it runs, and try again.");
    }
    if (response.status === 401) throw new Error(UNKNOWN);
    const told = await response.json().catch(() => null);
    throw new Error(told?.error?.message ?? `The server answered with status ${response.status}: try again.`);
  };
  const show = (state, failure = "") => {
    byId("state").textContent = state;
    byId("failure").textContent = failure;
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (running) return;
    running = new AbortController();
    start.disabled = true;
    stop.hidden = false;
    result.replaceChildren();
    const begun = Date.now();
    const wait = () => show(`Reading, ${Math.round((Date.now() - begun) / 1000)} s`);
    const clock = setInterval(wait, 1000);
    wait();
    try {
      result.innerHTML = await revised(running.signal);
      const wrong = result.querySelector("#notice.wrong");
      show(wrong ? "" : "Done: the result is below.", wrong?.textContent ?? "");
      result.focus();
    } catch (error) {
      show("", error.name === "AbortError" ? "Stopped: nothing was changed." : error.message);
    } finally {
      clearInterval(clock);
      running = null;
      start.disabled = false;
      stop.hidden = true;
    }
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  stop.addEventListener("click", () => running?.abort());
})();
