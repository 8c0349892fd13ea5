// The editor: one document at /edit/{id}, a new one at /edit. What is typed is kept in this browser until the server has it as a version.

const SAVE_AFTER = 2_500;
const EMBED_AFTER = 10_000;
const RETRY_AFTER = 3_000;
const LARGE = 100_000; // a text that isn't put away at every key, but
const KEEP_AFTER = 300;
const PAGE = 50;
const FILE_BYTES = 3_000_000; // what a request can carry in base64
const KEPT = "memory-wire-kept:";
const WORDS = {
  draft: "it is a draft",
  private: "its front matter says private",
  password: "it has a password",
  allow_list: "only listed addresses may",
  expired: "its time is over",
  hub: "its bank is no public hub",
};

const $ = (id) => document.getElementById(id);
const box = $("text");
const plain = (text) => text.replace(/\r\n?/g, "\n"); // as a text area has it
const random = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(36).padStart(2, "0")).join("");
const mine = KEPT + random(); // of this page, so that another tab can't take it away
// `was` is the text of `version`, `form` another whose line ends are to be kept; `source` tells a new document that was asked for before
const doc = {
  id: null, version: 0, form: "", bank: "default", source: `editor:${random()}`, asked: false, lost: null, exact: "", plain: "",
  get was() { return this.exact; },
  set was(text) { [this.exact, this.plain] = [text, plain(text)]; },
};
let titled = null; // a title that was typed
let conflict = null; // what stands on the server instead of `was`
let running = null;
const timers = {};

function later(name, milliseconds, action) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(action, milliseconds);
}

// what the server says ----------------------------------------------------------------------------------------------------------

class Failed extends Error {
  constructor(message, status, code) {
    super(message);
    this.status = status;
    this.code = code;
  }
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

let key = sessionStorage.getItem("memory-wire-key"); // for as long as this tab is open

async function ask(path, body, verb = body === undefined ? "GET" : "POST") {
  const used = key;
  const headers = { ...(body !== undefined && { "content-type": "application/json" }), ...(used && { authorization: `Bearer ${used}` }) };
  let reply, text;
  try {
    reply = await fetch(path, { method: verb, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    text = await reply.text();
  } catch {
    throw new Failed("the server did not answer", 0);
  }
  if (reply.status === 401) {
    if (key === used) key = window.prompt("This server asks for a key", "")?.trim() || null; // one question for all that wait
    if (key && key !== used) {
      sessionStorage.setItem("memory-wire-key", key);
      return ask(path, body, verb);
    }
  }
  const said = text.startsWith("{") ? JSON.parse(text) : null;
  if (!reply.ok) throw new Failed(said?.error?.message ?? (text || `status ${reply.status}`), reply.status, said?.error?.code);
  return said;
}

const at = (id, rest = "") => `/v1/docs/${encodeURIComponent(id)}${rest}`;

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

const button = (words, onclick) => make("button", { type: "button", onclick }, words);
const small = (words) => make("span", { class: "small" }, words);
const time = (stamp) => make("time", { datetime: stamp }, new Date(stamp).toLocaleString());

function say(words, where = "status") {
  $(where).textContent = words;
  if (where === "notice") $(where).hidden = !words;
}

// the text ----------------------------------------------------------------------------------------------------------------------

const typed = () => box.value.toWellFormed?.() ?? box.value;
const dirty = () => titled !== null || typed() !== doc.plain;

function common(old, lines) {
  const most = Math.min(old.length, lines.length);
  let head = 0;
  let tail = 0;
  while (head < most && old[head] === lines[head]) head++;
  while (tail < most - head && old.at(-1 - tail) === lines.at(-1 - tail)) tail++;
  return [head, tail];
}

function exact(text) {
  const was = doc.form || doc.was;
  if (!was.includes("\r")) return text;
  const old = was.split(/\r\n|\r|\n/);
  const ends = was.match(/\r\n|\r|\n/g);
  const lines = text.split("\n");
  const [head, tail] = common(old, lines);
  const last = lines.length - 1;
  const end = (place) => ends[place < head ? place : place > last - tail ? place - lines.length + old.length : 0] ?? ends[0];
  return lines.map((line, place) => (place === last ? line : line + end(place))).join("");
}

function named(unsaved = dirty()) {
  document.title = `${unsaved ? "• " : ""}${$("title").value || "New document"} · memory-wire`;
}

function adopt(found) {
  Object.assign(doc, { id: found.id, version: found.version, was: found.markdown, form: "", bank: found.bank, lost: null });
  [titled, conflict] = [null, null];
  box.value = found.markdown;
  shown(found.title, found.public);
  keep();
}

function shown(title, isPublic) {
  if (titled === null) $("title").value = title;
  named();
  $("access").hidden = $("history").hidden = doc.id === null;
  if (isPublic !== undefined) $("page").hidden = !isPublic;
  if (doc.id) $("page").href = `/${doc.id}`;
  drawConflict();
}

// what isn't saved yet ----------------------------------------------------------------------------------------------------------

function keep() {
  if (dirty()) return write(mine, {});
  localStorage.removeItem(mine);
  return true;
}

function write(name, more) {
  const { id, version, bank, source, asked } = doc;
  const one = { id, version, bank, source, asked, text: typed(), title: titled, at: new Date().toISOString(), ...more };
  try {
    localStorage.setItem(name, JSON.stringify(one));
    return true;
  } catch {
    say("This browser has no room to keep the text until it is saved.", "notice");
    return false;
  }
}

const setAside = () => !dirty() || write(KEPT + random(), { aside: true });

function kept() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(KEPT) && name !== mine);
  return names.map((name) => ({ name, ...JSON.parse(localStorage.getItem(name)) })).sort((a, b) => (a.at < b.at ? 1 : -1));
}

function drawKept() {
  const rows = kept().map((one) => {
    const name = one.title || one.text.trim().split("\n")[0].replace(/^#+ /, "").slice(0, 60) || "empty";
    return make("li", {}, name, " ", time(one.at), " ", button("Open", () => reopen(one)), " ", button("Discard", () => discard(one)));
  });
  $("kept-list").replaceChildren(...rows);
  $("kept").hidden = !rows.length;
}

function discard(one) {
  if (!window.confirm("Discard this text for good?")) return;
  localStorage.removeItem(one.name);
  drawKept();
}

async function reopen(one) {
  if (dirty()) await save();
  if (one.id !== doc.id || (doc.id === null && box.value)) return leave(`${one.id ? `/edit/${one.id}` : "/edit"}#${one.name}`);
  if (setAside()) put(one);
}

function put(one) {
  if (one.id === null) Object.assign(doc, { source: one.source, asked: one.asked, bank: one.bank });
  [box.value, titled] = [one.text, one.title];
  if (titled !== null) $("title").value = titled;
  if (keep()) localStorage.removeItem(one.name);
  drawKept();
  shown($("title").value);
  say(`This text was typed on ${new Date(one.at).toLocaleString()} and not saved; it was restored from this browser.`, "notice");
  if (one.aside || !doc.id || one.version === doc.version) later("save", SAVE_AFTER, save);
  else collide({ id: doc.id, version: doc.version, markdown: doc.was, title: $("title").value, bank: doc.bank });
}

function restore() {
  const wanted = location.hash.startsWith(`#${KEPT}`) && location.hash.slice(1);
  const one = kept().find(({ name, id, aside }) => (wanted ? name === wanted : id === doc.id && !aside));
  if (wanted) history.replaceState(null, "", location.pathname + location.search);
  if (one && one.title === null && one.text === doc.plain) localStorage.removeItem(one.name);
  else if (one) put(one);
}

// saving ------------------------------------------------------------------------------------------------------------------------

async function save() {
  while (running) await running;
  if (conflict || box.readOnly || !dirty() || (!doc.id && !typed().trim())) return;
  clearTimeout(timers.save);
  running = saving();
  await running;
}

async function saving() {
  const [text, title, version] = [typed(), titled, doc.version];
  const markdown = exact(text);
  say("Saving…");
  try {
    const isNew = !doc.id;
    const saved = isNew ? await create(markdown, title) : await change(markdown, title);
    if (!saved) return;
    Object.assign(doc, { id: saved.id, version: saved.version, was: markdown, form: "", lost: null });
    if (titled === title) titled = null;
    say(saved.version === version ? "Saved" : `Saved as version ${saved.version}${isNew ? ", a draft: only you see it" : ""}`);
    saidOf(saved.title, isNew);
  } catch (error) {
    if (error.status === 0 || error.status >= 500) doc.lost = markdown; // it may have come through
    say(`Not saved: ${error.message}. ${keep() ? "Your text is kept in this browser" : "Copy your text elsewhere"}${error.passing ? ", and saving is tried again" : ""}.`);
    if (error.passing) later("save", RETRY_AFTER, save);
  } finally {
    running = null;
    keep();
  }
}

function saidOf(title, isNew) {
  if (isNew) history.replaceState(null, "", `/edit/${doc.id}`);
  shown(title);
  if (isNew || $("documents").querySelector("[aria-current] .name")?.textContent !== title) list();
  if ($("history").open) versions();
  later("embed", EMBED_AFTER, embed);
  if (dirty()) later("save", SAVE_AFTER, save);
}

async function create(markdown, title) {
  if (doc.asked) {
    const { docs } = await ask(`/v1/docs?limit=${PAGE}&bank=${encodeURIComponent(doc.bank)}`);
    const there = docs.find((row) => row.source === doc.source);
    if (there) {
      Object.assign(doc, { id: there.id, version: there.version });
      return change(markdown, title);
    }
  }
  doc.asked = true;
  keep();
  return ask("/v1/docs", { markdown, title: title || undefined, source: doc.source, is_draft: true, bank: doc.bank });
}

async function change(markdown, title) {
  try {
    return await ask(at(doc.id), { replace: markdown, title: title ?? undefined, if_version: doc.version }, "PATCH");
  } catch (error) {
    if (error.code === "unknown_document") return gone();
    if (error.code !== "version_mismatch") throw error;
    const theirs = await ask(at(doc.id));
    if (theirs.markdown === markdown && title === null) return theirs; // it was saved, only nobody said so
    if (theirs.markdown !== doc.lost && theirs.markdown !== doc.was) return collide(theirs);
    doc.version = theirs.version;
    return change(markdown, title);
  }
}

function gone() {
  clearTimeout(timers.save);
  Object.assign(doc, { id: null, version: 0, was: "", source: `editor:${random()}`, asked: false });
  history.replaceState(null, "", "/edit");
  say("This document isn't there any more. Your text is kept; saving makes a new document of it.", "notice");
  say("Not saved.");
  shown($("title").value, false);
  keep();
}

function collide(theirs) {
  conflict = theirs;
  say("Not saved: somebody else changed this document. Your text is kept in this browser until you choose.");
  drawConflict();
}

function drawConflict() {
  $("conflict").hidden = conflict === null;
  if (conflict === null) return;
  say(`Version ${conflict.version} was made elsewhere while you wrote. Both texts are here, and both stay in the versions if you keep yours.`, "conflict-says");
  const [ours, others] = [typed().split("\n"), plain(conflict.markdown).split("\n")];
  const [head, tail] = common(ours, others);
  for (const [id, lines] of [["mine", ours], ["theirs", others]]) {
    const [first, last] = [head, lines.length - tail];
    const part = (from, to) => lines.slice(from, to).join("\n");
    $(id).replaceChildren(first ? `${part(0, first)}\n` : "", make("mark", {}, part(first, last)), part(last));
  }
}

function keepMine() {
  Object.assign(doc, { version: conflict.version, was: conflict.markdown });
  conflict = null;
  drawConflict();
  box.focus();
  if (dirty()) save();
  else shown($("title").value);
}

function takeTheirs() {
  if (!setAside()) return;
  adopt(conflict);
  drawKept();
  say(`This is version ${doc.version} now`);
  say("Your own text is in the list “Kept in this browser”.", "notice");
  box.focus();
}

async function embed() {
  try {
    const { docEmbedded, chunks, skipped, degraded } = await ask(`/api/embed/${encodeURIComponent(doc.id)}`, undefined, "POST");
    if (degraded) say(`Vectors: degraded, ${degraded}`, "vectors");
    else if (docEmbedded) say(`Vectors: embedded, ${chunks.embedded} of ${chunks.total} parts, ${chunks.reused} as before`, "vectors");
    else say(`Vectors: ${skipped ?? "unchanged"}`, "vectors");
  } catch (error) {
    say(`Vectors: degraded, ${error.message}`, "vectors");
  }
}

async function look() {
  if (!doc.id || dirty() || running) return;
  const newest = await ask(at(doc.id, "?limit=0")).catch(() => null);
  if (!newest || newest.version <= doc.version) return;
  const found = await ask(at(doc.id)).catch(() => null);
  if (!found || dirty() || running) return;
  adopt(found);
  say(`Changed elsewhere: this is version ${found.version} now`);
}

// preview -----------------------------------------------------------------------------------------------------------------------

const SANDBOX = "allow-same-origin allow-popups allow-popups-to-escape-sandbox"; // no script; a style sheet of ours, links in new tabs

async function preview() {
  const pane = $("preview");
  if (pane.hidden) {
    try {
      const { title, html } = await ask("/v1/docs/preview", { markdown: typed(), title: titled || undefined });
      const head = `<meta charset="utf-8"><title>Preview</title><base target="_blank"><link rel="stylesheet" href="/hub.css">`;
      const frame = make("iframe", { title: "Preview", sandbox: SANDBOX });
      frame.srcdoc = `<!doctype html><html lang="en"><head>${head}</head><body><main>${make("h1", {}, title).outerHTML}${html}</main></body></html>`;
      pane.replaceChildren(frame);
    } catch (error) {
      say(`No preview: ${error.message}`);
      return;
    }
  }
  pane.hidden = !pane.hidden;
  box.hidden = !pane.hidden;
  $("show").setAttribute("aria-pressed", String(box.hidden));
  (box.hidden ? $("show") : box).focus();
}

// gates and versions ------------------------------------------------------------------------------------------------------------

let expires = "";

async function gates(change = {}) {
  try {
    const found = await ask(at(doc.id, "/access"), change, "PATCH");
    $("draft").checked = found.is_draft;
    $("password").value = "";
    $("password").placeholder = found.has_password ? "unchanged" : "none";
    $("no-password").checked = false;
    $("no-password").parentElement.hidden = !found.has_password;
    $("password-page").checked = found.password_page;
    $("allowed").value = found.allowed_emails.join("\n");
    $("expires").value = expires = found.expires_at ? local(new Date(found.expires_at)) : "";
    const reasons = found.gates.map((gate) => WORDS[gate] ?? gate).join(", ");
    $("link").hidden = !found.gates.includes("allow_list") && !found.gates.includes("password");
    say("", "link-says");
    say(found.public ? "Everybody may read it." : `Nobody else may read it as a page: ${reasons}.`, "gates-say");
    shown($("title").value, found.public);
    list();
  } catch (error) {
    say(`Not possible: ${error.message}`, "gates-say");
  }
}

const local = (date) => new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

function apply(event) {
  event.preventDefault();
  const until = $("expires").value;
  gates({
    is_draft: $("draft").checked,
    ...($("no-password").checked ? { password: null } : $("password").value && { password: $("password").value }),
    password_page: $("password-page").checked,
    allowed_emails: $("allowed").value.split(/[\s,;]+/).filter(Boolean),
    ...(until !== expires && { expires_at: until ? new Date(until).toISOString() : null }),
  });
}

async function link() {
  try {
    const { url, expires_at } = await ask(at(doc.id, "/links"), {});
    say(`${new URL(url, location.href)} opens its page once, until ${new Date(expires_at).toLocaleString()}; it is shown only now`, "link-says");
  } catch (error) {
    say(`No link: ${error.message}`, "link-says");
  }
}

async function versions(cursor) {
  try {
    const found = await ask(at(doc.id, `/versions?limit=20${cursor ? `&cursor=${cursor}` : ""}`));
    const rows = found.versions.map(({ version, at, made, bytes }) => {
      const changes = version > 1 ? button("Changes", () => differences(version - 1, version)) : undefined;
      const others = version === doc.version ? [] : [button("Against newest", () => differences(version, doc.version)), " ", button("Bring back", () => revert(version))];
      return make("li", {}, `Version ${version} `, time(at), small(` ${made ?? ""}, ${bytes.toLocaleString("en")} bytes `), changes, " ", ...others);
    });
    $("versions").replaceChildren(...(cursor ? $("versions").children : []), ...rows);
    $("older").hidden = !found.cursor;
    $("older").onclick = () => versions(found.cursor);
  } catch (error) {
    say(`No versions: ${error.message}`);
  }
}

async function differences(old, newer) {
  try {
    const found = await ask(at(doc.id, `/diff?old=${old}&new=${newer}`));
    const kinds = { "+": "ins", "-": "del", "@": "b" };
    const lines = found.diff.trimEnd().split("\n").map((line) => (line[0] in kinds ? make(kinds[line[0]], {}, line) : `${line}\n`));
    $("diff").replaceChildren(...(found.diff ? lines : ["no difference"]), found.truncated ? "…" : "");
    say(`From version ${old} to ${newer}: ${found.added} lines added, ${found.deleted} deleted`, "diff-title");
    $("diff").hidden = $("diff-title").hidden = false;
    $("diff").focus();
  } catch (error) {
    say(`No difference: ${error.message}`);
  }
}

async function revert(version) {
  await save();
  if (dirty()) return;
  try {
    const saved = await ask(at(doc.id, "/versions"), { version, if_version: doc.version });
    adopt(await ask(at(doc.id)));
    say(`Version ${version} is back as version ${saved.version}`);
    saidOf(saved.title, false);
  } catch (error) {
    say(`Not brought back: ${error.message}`);
    if (error.code === "version_mismatch") look();
  }
}

// files -------------------------------------------------------------------------------------------------------------------------

async function textOf(file) {
  if (!/\.(md|markdown|txt|text)$/i.test(file.name) && !/^text\/(markdown|plain)/.test(file.type)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}

const base64 = (file) =>
  new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });

async function take(files) {
  const text = files.length === 1 ? await textOf(files[0]) : null;
  if (text === null) return importing(files);
  if (box.readOnly) return;
  if (!doc.id && !box.value) doc.form = text;
  box.setRangeText(plain(text), box.selectionStart, box.selectionEnd, "end");
  changed();
  say(`${files[0].name} was put into the text.`);
}

async function importing(files) {
  const rows = [];
  for (const file of files) {
    say(`Importing ${file.name}…`);
    try {
      if (file.size > FILE_BYTES) throw new Error("too large for this page; `memory-wire hub import` takes it");
      const found = await ask("/v1/import", { files: [{ name: file.name, data: await base64(file) }], is_draft: true, bank: $("bank").value });
      for (const { id, title, state, version } of found.docs) rows.push([make("a", { href: `/edit/${id}` }, title), ` ${state}, version ${version}`]);
      for (const { name, reason } of found.warnings) rows.push([`${name}: ${reason}`]);
    } catch (error) {
      rows.push([`${file.name}: ${error.message}`]);
    }
  }
  say(`${files.length} ${files.length === 1 ? "file" : "files"} done`);
  $("filed-list").replaceChildren(...rows.map((row) => make("li", {}, ...row)));
  $("filed").hidden = false;
  list();
}

// the documents of a bank -------------------------------------------------------------------------------------------------------

let turn = 0;

function entry(id, title, ...rest) {
  const current = id === doc.id ? "page" : undefined;
  return make("li", {}, make("a", { href: `/edit/${id}`, "aria-current": current }, make("span", { class: "name" }, title || "Untitled")), ...rest);
}

async function list(cursor) {
  const [query, bank, mine] = [$("query").value.trim(), $("bank").value, ++turn];
  $("new").href = `/edit?bank=${encodeURIComponent(bank)}`;
  try {
    const found = query
      ? await ask("/v1/docs/search", { query, bank, limit: 20 })
      : await ask(`/v1/docs?limit=${PAGE}&bank=${encodeURIComponent(bank)}${cursor ? `&cursor=${cursor}` : ""}`);
    if (mine !== turn) return;
    const rows = query
      ? found.results.map((hit) => entry(hit.document, hit.title, small(`${hit.breadcrumb}: ${hit.content.slice(0, 160)}`)))
      : found.docs.map((row) => entry(row.id, row.title, time(row.updated_at), small(row.public ? " public" : ` ${row.gates.filter((gate) => gate !== "hub").join(", ")}`)));
    $("documents").replaceChildren(...(cursor ? $("documents").children : []), ...rows);
    say(query ? `${rows.length} found` : `${found.total} ${found.total === 1 ? "document" : "documents"}`, "found");
    $("more").hidden = query !== "" || !found.cursor;
    $("more").onclick = () => list(found.cursor);
  } catch (error) {
    if (mine === turn) say(`No list: ${error.message}`, "found");
  }
}

async function banks() {
  const [known, hubs] = await Promise.all([ask("/banks"), ask("/v1/hubs")]).catch(() => [{ banks: [] }, { hubs: [] }]);
  const of = Object.fromEntries(hubs.hubs.map((hub) => [hub.bank, `${hub.bank}: ${hub.public ? "public hub" : "hub"} ${hub.slug}`]));
  const names = new Set([...known.banks.map((row) => row.bank), "default", doc.bank]);
  $("bank").replaceChildren(...[...names].sort().map((name) => make("option", { value: name }, of[name] ?? name)));
  $("bank").value = doc.bank;
}

// the page ----------------------------------------------------------------------------------------------------------------------

function changed() {
  const unsaved = dirty();
  say("", "notice");
  if (box.textLength < LARGE) keep();
  else later("keep", KEEP_AFTER, keep);
  named(unsaved);
  if (conflict) later("draw", 400, drawConflict);
  else later("save", SAVE_AFTER, save);
  if (!running && !conflict) say(unsaved ? "Not saved yet" : "");
}

async function leave(address) {
  if (dirty()) await save();
  location.assign(address); // what is still unsaved is asked about
}

async function open() {
  const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
  box.readOnly = true;
  try {
    doc.bank = new URLSearchParams(location.search).get("bank") || "default";
    if (id) adopt(await ask(at(id)));
  } catch (error) {
    if (error.code !== "unknown_document") {
      say(`Not read: ${error.message}`);
      if (error.passing) later("open", RETRY_AFTER, open);
      return;
    }
    doc.id = id; // as it was kept
    const one = kept().find((other) => other.id === id && !other.aside);
    if (one) put({ ...one, aside: true });
    gone();
    if (!one) say("There is no such document. This is a new one.", "notice");
  }
  box.readOnly = false;
  if (doc.id || !id) restore();
  drawKept();
  if (!doc.id) box.focus();
  await banks();
  list();
}

box.addEventListener("input", changed);
$("title").addEventListener("input", () => {
  titled = $("title").value;
  changed();
});
$("save").addEventListener("click", save);
$("show").addEventListener("click", preview);
$("keep-mine").addEventListener("click", keepMine);
$("take-theirs").addEventListener("click", takeTheirs);
$("gates").addEventListener("submit", apply);
$("link").addEventListener("click", link);
$("access").addEventListener("toggle", () => $("access").open && gates());
$("history").addEventListener("toggle", () => $("history").open && versions());
$("files").addEventListener("change", async () => {
  await take([...$("files").files]);
  $("files").value = "";
});
$("query").addEventListener("input", () => later("search", 200, list));
$("bank").addEventListener("change", () => {
  if (!doc.id) doc.bank = $("bank").value;
  list();
});
document.addEventListener("dragover", (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  box.classList.add("over");
});
document.addEventListener("dragleave", () => box.classList.remove("over"));
document.addEventListener("drop", (event) => {
  box.classList.remove("over");
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  take([...event.dataTransfer.files]);
});
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  if (event.key !== "s" && event.key !== "Enter") return;
  event.preventDefault();
  (event.key === "s" ? save : preview)();
});
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/edit'], a[href='/ui']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !dirty()) return;
  event.preventDefault();
  leave(link.href);
});
window.addEventListener("beforeunload", (event) => {
  if (!dirty()) return;
  keep();
  event.preventDefault();
});
window.addEventListener("pagehide", keep);
window.addEventListener("focus", look);
window.addEventListener("hashchange", () => location.hash.startsWith(`#${KEPT}`) && location.reload());
window.addEventListener("storage", drawKept);
open();
