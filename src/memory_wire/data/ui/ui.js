// The viewer: banks, search with the reasons, one memory's history, what was injected where. It only reads.
// Everything on screen follows from the address (#bank/…?q=…&view=…&from=…), so links, back and reload work.

const PAGE = 50;
const HELD = "held";
const STILL = "The session still has it in its context, so it is not injected there again.";
const $ = (id) => document.getElementById(id);
const state = { bank: "", query: "", view: "memories", from: 0, picked: -1, turn: 0 };

// what the server says ----------------------------------------------------------------------------------------------------------

let key = sessionStorage.getItem("memory-wire-key"); // for as long as this tab is open

async function ask(path, body) {
  const used = key;
  const headers = { ...(body && { "content-type": "application/json" }), ...(used && { authorization: `Bearer ${used}` }) };
  const reply = await fetch(path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
  if (reply.status === 401) {
    if (key === used) key = window.prompt("This server asks for a key", "")?.trim() || null; // one question for all that wait
    if (key && key !== used) {
      sessionStorage.setItem("memory-wire-key", key);
      return ask(path, body);
    }
  }
  const text = await reply.text();
  if (!reply.ok) throw new Error(text.startsWith("{") ? JSON.parse(text).error.message : text || `status ${reply.status}`);
  return { data: JSON.parse(text), total: Number(reply.headers.get("x-total-count")) };
}

const at = (bank, rest = "") => `/banks/${encodeURIComponent(bank)}${rest}`;

// making elements ---------------------------------------------------------------------------------------------------------------

function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...inside.filter((one) => one !== undefined && one !== null));
  return element;
}

function facts(pairs) {
  const list = make("dl");
  for (const [name, value] of pairs) {
    if (value === undefined || value === null || value === "") continue;
    list.append(make("dt", {}, name), make("dd", {}, value instanceof Node ? value : String(value)));
  }
  return list;
}

const day = (stamp) => make("time", { datetime: stamp, title: stamp }, stamp.slice(0, 16).replace("T", " "));
const tag = (name) => make("span", { class: "tag" }, name);

function reasons(explain) {
  if (!explain) return undefined;
  const pairs = Object.entries(explain).map(([name, value]) => [name.replaceAll("_", " "), shown(value)]);
  return make("section", { "aria-label": "Why it surfaced" }, facts(pairs));
}

function shown(value) {
  if (typeof value === "number") return Number.isInteger(value) ? value : value.toFixed(3);
  if (Array.isArray(value)) return value.map(shown).join(", ");
  if (value && typeof value === "object") return Object.entries(value).map(([name, one]) => `${name} ${shown(one)}`).join("  ·  ");
  return value;
}

// one memory --------------------------------------------------------------------------------------------------------------------

function entry(item) {
  const head = make(
    "span",
    { class: "row" },
    item.created_at && day(item.created_at),
    item.relevance !== undefined
      ? make("meter", { min: 0, max: 1, value: item.relevance, title: `relevance ${item.relevance.toFixed(2)}` }, item.relevance.toFixed(2))
      : undefined,
    ...(item.tags ?? []).map(tag),
    ...(item.marks ?? []).map((text) => make("span", { class: "small", title: text === HELD ? STILL : undefined }, text)),
  );
  const text = make("span", { class: "text short" }, item.content);
  const button = make("button", { class: "open", type: "button", "aria-expanded": "false", onclick: () => toggle(line, item) }, head, text);
  const line = make("li", { "data-id": item.id }, button);
  return line;
}

async function toggle(line, item) {
  const button = line.firstElementChild;
  const opened = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!opened));
  line.querySelector(".text").classList.toggle("short", opened);
  if (opened) {
    line.querySelector(".more")?.remove();
    return;
  }
  const more = make("div", { class: "more" }, reasons(item.explain));
  line.append(more);
  if (!item.id) return;
  try {
    const { data } = await ask(`/v1${at(state.bank, `/memories/${item.id}/history`)}`);
    line.querySelector(".text").textContent = data.content ?? item.content;
    more.append(history(item.id, data));
  } catch (error) {
    more.append(make("p", { class: "small" }, String(error.message)));
  }
}

function history(id, data) {
  const { injections, content, ...rest } = data;
  const pairs = Object.entries({ id, ...rest }).map(([name, value]) => [name.replaceAll("_", " "), shown(value)]);
  const list = make("ul");
  for (const one of injections ?? []) list.append(make("li", {}, day(one.at), ` ${one.host ?? ""} ${one.event} `, make("code", {}, one.session ?? "")));
  return make(
    "section",
    { "aria-label": "History" },
    facts(pairs),
    injections?.length ? make("p", { class: "small" }, "Injected") : make("p", { class: "small" }, "Never injected."),
    list,
    make("p", { class: "small" }, "To remove it: ", make("code", {}, `memory-wire forget ${id} --bank ${state.bank}`)),
  );
}

// the three lists ---------------------------------------------------------------------------------------------------------------

async function banks() {
  const { data } = await ask("/banks");
  const rows = data.banks.map((row) =>
    make("li", {}, make("a", { href: address({ bank: row.bank }), "aria-current": row.bank === state.bank ? "page" : undefined }, row.bank, make("span", {}, row.memories.toLocaleString("en")))),
  );
  $("banks").replaceChildren(...rows);
  return data.banks;
}

async function found() {
  const begun = performance.now();
  const { data } = await ask(at(state.bank, "/recall"), { query: state.query, k: PAGE, explain: true });
  const time = (performance.now() - begun).toFixed(1);
  return { items: data, total: data.length, says: data.length ? `${data.length} found in ${time} ms` : "Nothing found." };
}

async function memories() {
  const { data: stats } = await ask(at(state.bank, "/stats"));
  const first = Math.max(0, stats.memories - state.from - PAGE);
  const limit = Math.min(PAGE, stats.memories - state.from);
  const { data } = limit > 0 ? await ask(at(state.bank, `/memories?limit=${limit}&offset=${first}`)) : { data: [] };
  return { items: data.reverse(), total: stats.memories, says: `${stats.memories.toLocaleString("en")} memories, newest first` };
}

async function injections() {
  const { data } = await ask(`/v1${at(state.bank, `/injections?limit=${PAGE}&offset=${state.from}`)}`);
  const items = data.injections.map((one) => ({
    id: one.id,
    created_at: one.at,
    content: one.text ?? "deleted since",
    relevance: one.relevance,
    marks: [one.host, one.event, one.session, one.held ? HELD : ""].filter(Boolean),
  }));
  return { items, total: data.total, says: data.total ? `${data.total.toLocaleString("en")} injected, newest first` : "Nothing was injected yet." };
}

// drawing -----------------------------------------------------------------------------------------------------------------------

function address(change) {
  const { bank, query, view, from } = { bank: state.bank, query: "", view: "memories", from: 0, ...change };
  const words = new URLSearchParams();
  if (query) words.set("q", query);
  if (view !== "memories") words.set("view", view);
  if (from) words.set("from", from);
  return `#${encodeURIComponent(bank)}${words.size ? `?${words}` : ""}`;
}

function read() {
  const [bank, words] = location.hash.slice(1).split("?");
  const given = new URLSearchParams(words);
  state.bank = decodeURIComponent(bank ?? "");
  state.query = given.get("q") ?? "";
  state.view = given.get("view") === "injections" ? "injections" : "memories";
  state.from = Math.max(0, Number.parseInt(given.get("from") ?? "0", 10) || 0);
  state.picked = -1;
}

async function draw() {
  read();
  const turn = ++state.turn;
  try {
    const known = await banks();
    if (turn !== state.turn) return;
    if (!state.bank) {
      const largest = [...known].sort((a, b) => b.memories - a.memories)[0];
      if (largest) location.replace(address({ bank: largest.bank }));
      return;
    }
    $("title").textContent = state.bank;
    document.title = `${state.bank} · memory-wire`;
    if (document.activeElement !== $("query")) $("query").value = state.query;
    for (const view of ["memories", "injections"]) {
      const link = $(`show-${view}`);
      link.href = address({ view });
      if (state.view === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const { items, total, says } = await (state.query ? found() : state.view === "injections" ? injections() : memories());
    if (turn !== state.turn) return;
    $("status").textContent = says;
    $("list").replaceChildren(...items.map(entry));
    $("newer").hidden = state.query !== "" || state.from === 0;
    $("older").hidden = state.query !== "" || state.from + PAGE >= total;
  } catch (error) {
    if (turn !== state.turn) return;
    $("status").textContent = `The server did not answer: ${error.message}`;
    $("list").replaceChildren();
  }
}

function page(step) {
  const button = step > 0 ? $("older") : $("newer");
  if (!button.hidden) location.hash = address({ view: state.view, from: Math.max(0, state.from + step * PAGE) });
}

// keys --------------------------------------------------------------------------------------------------------------------------

function pick(step) {
  const lines = [...$("list").children];
  if (!lines.length) return;
  lines[state.picked]?.removeAttribute("aria-current");
  state.picked = Math.min(lines.length - 1, Math.max(0, state.picked + step));
  lines[state.picked].setAttribute("aria-current", "true");
  lines[state.picked].firstElementChild.focus();
}

function back() {
  const opened = $("list").querySelector('[aria-expanded="true"]');
  if (opened) opened.click();
  else if (state.query || state.view !== "memories") location.hash = address({});
}

const KEYS = {
  "/": () => $("query").select(),
  j: () => pick(1),
  k: () => pick(-1),
  n: () => page(1),
  p: () => page(-1),
  b: () => $("banks").querySelector("a")?.focus(),
  i: () => (location.hash = address({ view: state.view === "memories" ? "injections" : "memories" })),
  "?": () => $("keys").click(),
  Escape: back,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === $("query")) {
    if (event.key === "Escape") $("query").blur();
    return;
  }
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = address({ query: $("query").value.trim() });
  $("main").focus({ preventScroll: true }); // the search stays in view
});
let waiting;
$("query").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => replaceAddress(address({ query: $("query").value.trim() })), 120);
});
function replaceAddress(hash) {
  window.history.replaceState(null, "", hash);
  draw();
}
$("keys").addEventListener("click", () => {
  $("help").hidden = !$("help").hidden;
  $("keys").setAttribute("aria-expanded", String(!$("help").hidden));
});
$("older").addEventListener("click", () => page(1));
$("newer").addEventListener("click", () => page(-1));
window.addEventListener("hashchange", draw);
draw();
