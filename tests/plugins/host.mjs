// Plays a host's plugin API against one of our plugins: a command a line on standard input, an answer a line on standard output.
// What the real hosts do is kept: opencode runs every exported function, doesn't wait for event hooks, and its client answers from the
// session store; pi and omp call handlers in order and report what they return.

import { createInterface } from "node:readline"

const write = process.stdout.write.bind(process.stdout)
const noise = []
for (const stream of [process.stdout, process.stderr]) stream.write = (text) => noise.push(String(text)) // a plugin must not write
process.on("unhandledRejection", (error) => noise.push(`unhandled: ${error}`))
process.on("uncaughtException", (error) => noise.push(`uncaught: ${error}`))

const rows = {}
const parents = {}
const calls = []
let broken = false
const client = {
  session: {
    messages: async ({ path }) => {
      calls.push(`messages ${path.id}`)
      if (broken) throw new Error("the host's store is away")
      return { data: rows[path.id] ?? [] }
    },
    get: async ({ path }) => ({ data: { id: path.id, parentID: parents[path.id] } }),
  },
}

let hooks = []
const handlers = {}

const commands = {
  async load({ path, host, directory }) {
    const module = await import(path)
    if (host === "opencode") hooks = await Promise.all(Object.values(module).map((plugin) => plugin({ client, directory, worktree: directory })))
    else await module.default({ on: (name, work) => (handlers[name] ??= []).push(work) })
    return { exports: Object.keys(module), hooks: hooks.flatMap(Object.keys), events: Object.keys(handlers) }
  },
  async message({ session, id, text, parts, parent }) { // opencode: the user has sent a prompt
    if (parent) parents[session] = parent
    const shown = parts ?? [{ type: "text", text }]
    for (const hook of hooks) await hook["chat.message"]?.({ sessionID: session }, { message: { id, sessionID: session, role: "user" }, parts: shown })
    ;(rows[session] ??= []).push({ info: { id, role: "user", time: { created: 1790000000000 + (rows[session]?.length ?? 0) * 1000 } }, parts: shown })
  },
  async system({ session, system }) { // opencode: a model is about to be called
    const begun = performance.now()
    const output = { system: [...system] }
    for (const hook of hooks) await hook["experimental.chat.system.transform"]?.({ sessionID: session, model: {} }, output)
    return { system: output.system, ms: performance.now() - begun }
  },
  async answer({ session, text, parts, summary }) {
    rows[session].push({ info: { id: `a${rows[session].length}`, role: "assistant", summary }, parts: parts ?? [{ type: "tool", tool: "bash" }, { type: "text", text }] })
  },
  async event({ event, times = 1, wait = true }) {
    const begun = performance.now()
    const all = []
    for (let i = 0; i < times; i++) for (const hook of hooks) all.push(hook.event?.({ event }))
    if (wait) await Promise.all(all)
    return { ms: performance.now() - begun }
  },
  async dispose() {
    for (const hook of hooks) await hook.dispose?.()
  },
  async emit({ name, event, session, cwd }) { // pi and omp
    const begun = performance.now()
    const results = []
    const ctx = { cwd, sessionManager: session === undefined ? undefined : { getSessionId: () => session } }
    for (const work of handlers[name] ?? []) results.push((await work(event, ctx)) ?? null)
    return { results, ms: performance.now() - begun }
  },
  async env({ set }) {
    for (const [name, value] of Object.entries(set)) value === null ? delete process.env[name] : (process.env[name] = value)
  },
  async breaks({ on }) {
    broken = on
  },
  async report() {
    return { noise, calls }
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...given } = JSON.parse(line)
  let answer
  try {
    answer = { ok: (await commands[op](given)) ?? null }
  } catch (error) {
    answer = { error: String(error?.stack ?? error) }
  }
  write(`${JSON.stringify(answer)}\n`)
}
