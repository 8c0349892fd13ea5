// What the plugins of all hosts share: where the server is, which bank a folder has, one request with a deadline, and the block of a
// session. Nothing here throws: a memory that can't be reached is no memory, never an error of the host.

import { execFile } from "node:child_process"
import { lstatSync, readFileSync, statSync } from "node:fs"
import { request } from "node:http"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

const BANK = ""
const COMMAND: string[] = ["memory-wire"]

const RECALL_MS = 1500
const LEAST_MS = 300 // that the second request of a prompt gets, also when a host that starts up was busy itself
const WRITE_MS = 2000
const REFUSED = [400, 413, 422] // the same request would be refused again
const ANSWER_BYTES = 1024 * 1024
const TEXT_CHARS = 100_000 // of one side of a turn; the server has its own, smaller limit
const PREVIOUS_CHARS = 2000 // of the last answer, its end
const SESSIONS = 64 // remembered at once
const TURNS = 16 // kept for the next capture while the server is away

type Bank = { bank: string; former?: string }
type Turn = { user?: string; assistant?: string; at?: string }
type Target = { host?: string; port?: string; socketPath?: string; prefix: string; local: boolean }

/** Whether the memory works here: not switched off, not inside a process that one of our own hooks started. */
function active(): boolean {
  return ["", "0"].includes(process.env.MEMORY_WIRE_DISABLE ?? "") && !process.env.MEMORY_WIRE_HOOK
}

function dataFolder(): string {
  const base = process.env.XDG_DATA_HOME ?? ""
  return join(isAbsolute(base) ? base : join(homedir(), ".local", "share"), "memory-wire")
}

function contents(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** What a file in the data folder says, if it is this user's and nobody else can write it. */
function told(name: string): Record<string, unknown> {
  const path = join(dataFolder(), name)
  try {
    const seen = statSync(path)
    if (!seen.isFile() || seen.uid !== process.geteuid?.() || seen.mode & 0o022) return {}
    return JSON.parse(readFileSync(path, "utf8")) ?? {}
  } catch {
    return {}
  }
}

/** Whether the process that a state file names runs, began when the file says, and is this user's. */
function proved(said: Record<string, unknown>): boolean {
  const { pid, start_ticks: ticks } = said
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    if (process.platform !== "linux") return true
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) /s, "").split(" ")
    return !"ZX".includes(fields[0]) && Number(fields[19]) === ticks && statSync(`/proc/${pid}`).uid === process.geteuid?.()
  } catch {
    return false
  }
}

/** Whether the socket that listens at an address is this user's: a service manager holds it while no server runs. */
function held(addr: string): boolean {
  try {
    const user = process.geteuid?.()
    if (addr.startsWith("unix://")) {
      const seen = lstatSync(addr.slice("unix://".length))
      return seen.isSocket() && seen.uid === user
    }
    const port = Number(addr.split(":").at(-1))
    const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => (contents(table) ?? "").split("\n").slice(1))
    const fields = rows.map((row) => row.trim().split(/\s+/)).filter((row) => row[3] === "0A")
    const owners = fields.filter((row) => parseInt(row[1].split(":").at(-1)!, 16) === port).map((row) => Number(row[7]))
    return owners.length > 0 && owners.every((owner) => owner === user)
  } catch {
    return false
  }
}

/**
 * The server's URL: the environment's, else that of this user's own server; undefined when none runs. Whoever else listens at the default
 * address is never asked: it could be another user's server, or no server at all. Nor are a project's files.
 */
function endpoint(): string | undefined {
  if (process.env.MEMORY_WIRE_URL) return process.env.MEMORY_WIRE_URL
  const state = told("serve.json")
  const runs = proved(state)
  const named = runs ? state.addr : told("service.json").addr
  if (typeof named !== "string" || !named || !(runs || held(named))) return undefined
  return named.startsWith("unix:") ? named : `http://${named.replace(/^0\.0\.0\.0:/, "127.0.0.1:").replace(/^\[::\]:/, "[::1]:")}`
}

function target(url: string): Target | undefined {
  if (url.startsWith("unix:///")) return { socketPath: url.slice("unix://".length), prefix: "", local: true }
  try {
    const { protocol, hostname, port, pathname } = new URL(url)
    if (protocol !== "http:") return undefined
    const host = hostname.replace(/^\[|\]$/g, "")
    return { host, port: port || "80", prefix: pathname.replace(/\/+$/, ""), local: ["localhost", "127.0.0.1", "::1"].includes(host) }
  } catch {
    return undefined
  }
}

/** The key to send. The one on disk is for a server on this machine only, and only when nobody else can read the file. */
function key(local: boolean): string | undefined {
  if (process.env.MEMORY_WIRE_KEY) return process.env.MEMORY_WIRE_KEY
  const path = join(dataFolder(), "memory.db.key")
  try {
    return local && (statSync(path).mode & 0o077) === 0 ? readFileSync(path, "utf8").trim() || undefined : undefined
  } catch {
    return undefined
  }
}

/** Runs when the time is up, after what has come in meanwhile: a host that was busy for long must not take an answer for a missing one. */
function late(ms: number, run: () => void): ReturnType<typeof setTimeout> {
  return setTimeout(() => setImmediate(run), ms)
}

/** The server's answer to a POST, `{}` when it refuses it for good; undefined when there is none in time, or another one. */
function post(path: string, body: object, ms: number): Promise<any> {
  return new Promise((resolve) => {
    const to = target(endpoint() ?? "")
    if (!to || ms <= 0) return resolve(undefined)
    const sent = Buffer.from(JSON.stringify(body, (_, value) => value?.toWellFormed?.() ?? value)) // a lone surrogate is no text
    const headers: Record<string, string | number> = { "content-type": "application/json", "content-length": sent.length }
    const secret = key(to.local)
    if (secret) headers.authorization = `Bearer ${secret}`
    const { host, port, socketPath } = to
    let timer: ReturnType<typeof setTimeout> | undefined
    const done = (value?: any) => {
      clearTimeout(timer)
      resolve(value)
    }
    try {
      const call = request({ host, port, socketPath, method: "POST", path: to.prefix + path, headers, agent: false }, (answer) => {
        const parts: Buffer[] = []
        let size = 0
        answer.on("error", () => done())
        answer.on("data", (part: Buffer) => {
          size += part.length
          if (size > ANSWER_BYTES) call.destroy()
          else parts.push(part)
        })
        answer.on("close", () => done())
        answer.on("end", () => {
          try {
            const status = answer.statusCode ?? 0
            done(status === 200 ? JSON.parse(Buffer.concat(parts).toString("utf8")) : REFUSED.includes(status) ? {} : undefined)
          } catch {
            done()
          }
        })
      })
      timer = late(ms, () => {
        call.destroy()
        done()
      })
      call.on("error", () => done())
      call.end(sent)
    } catch {
      done()
    }
  })
}

const banks = new Map<string, Promise<Bank | undefined>>()

/** The bank of a folder: the environment's, the one `connect --bank` wrote here, else what `memory-wire bank` says. */
function bankOf(folder: string): Promise<Bank | undefined> {
  const named = process.env.MEMORY_WIRE_BANK?.trim() ? process.env.MEMORY_WIRE_BANK : BANK
  if (named) return Promise.resolve({ bank: named })
  const known = banks.get(folder)
  if (known) return known
  const asked = new Promise<Bank | undefined>((resolve) => {
    const env = { ...process.env, MEMORY_WIRE_HOOK: "1" }
    execFile(COMMAND[0], [...COMMAND.slice(1), "bank", "--json"], { cwd: folder, env, timeout: WRITE_MS }, (error, stdout) => {
      try {
        const { bank, former } = JSON.parse(error ? "{}" : stdout)
        resolve(typeof bank === "string" && bank ? { bank, former: former ?? undefined } : undefined)
      } catch {
        resolve(undefined)
      }
    })
  }).catch(() => undefined)
  banks.set(folder, asked)
  asked.then((found) => found ?? banks.delete(folder)) // asked again at the next turn
  return asked
}

function before<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout>
  const nothing = new Promise<undefined>((resolve) => (timer = late(ms, () => resolve(undefined))))
  return Promise.race([promise, nothing]).finally(() => clearTimeout(timer))
}

/** One session of the host: the block its prompt carries, and the turns not stored yet. */
class Session {
  readonly host: string
  readonly id: string
  readonly folder: string
  block = ""
  private source = "startup"
  private previous = ""
  private asking: Promise<void> = Promise.resolve()
  private storing: Promise<void> = Promise.resolve()
  private unsent: Turn[] = []

  constructor(host: string, id: string, folder: string) {
    this.host = host
    this.id = id
    this.folder = folder
  }

  /** Has the server answer a new prompt; `block` is then what it was, or longer at its end. */
  ask(prompt: string): Promise<void> {
    this.asking = this.asking.then(() => this.inject(prompt)).catch(() => undefined)
    return this.asking
  }

  /** The block, once the prompt that was asked last has its answer. */
  async current(): Promise<string> {
    await before(RECALL_MS + LEAST_MS, this.asking)
    return this.block
  }

  /** The host has dropped what it held: the server may begin a new block. */
  compacted(): void {
    if (this.source !== "startup") this.source = "compact"
  }

  /** Stores turns, and those that failed before; resolves when the server has them or won't answer. */
  store(turns: Turn[]): Promise<void> {
    this.unsent = [...this.unsent, ...turns].slice(-TURNS)
    this.previous = turns.at(-1)?.assistant ?? this.previous
    this.storing = this.storing.then(() => this.capture()).catch(() => undefined)
    return this.storing
  }

  settled(): Promise<void> {
    return this.storing
  }

  private async inject(prompt: string): Promise<void> {
    const until = Date.now() + RECALL_MS
    const found = await before(RECALL_MS, bankOf(this.folder))
    if (!found) return
    const url = endpoint()
    const common = {
      host: this.host,
      session: this.id,
      former: found.former,
      frozen: true,
      format: process.env.MEMORY_WIRE_FORMAT || undefined,
      url: url?.startsWith("http:") ? url : undefined,
    }
    const asking = async (event: string, more: object): Promise<boolean> => {
      const path = `/v1/banks/${encodeURIComponent(found.bank)}/inject`
      const answer = await post(path, { ...common, event, ...more }, Math.max(until - Date.now(), LEAST_MS))
      if (typeof answer?.text === "string") this.block = answer.text || this.block
      return typeof answer?.text === "string"
    }
    const source = this.source
    if (source && !(await asking("session-start", { source }))) return
    if (this.source === source) this.source = ""
    await asking("prompt", { prompt: prompt.slice(0, TEXT_CHARS), previous: this.previous.slice(-PREVIOUS_CHARS) || undefined })
  }

  private async capture(): Promise<void> {
    const turns = this.unsent
    if (!turns.length) return
    const found = await before(WRITE_MS, bankOf(this.folder))
    if (!found) return
    const { host, id: session } = this
    const body = { event: "stop", host, session, former: found.former, turns }
    const answer = await post(`/v1/banks/${encodeURIComponent(found.bank)}/capture`, body, WRITE_MS)
    if (answer) this.unsent = this.unsent.filter((turn) => !turns.includes(turn))
  }
}

const sessions = new Map<string, Session>()

/** The session of that id, the least recently used one forgotten when there are too many. */
function session(host: string, id: string, folder: string): Session {
  const found = sessions.get(id) ?? new Session(host, id, folder)
  sessions.delete(id)
  sessions.set(id, found)
  if (sessions.size > SESSIONS) sessions.delete(sessions.keys().next().value!)
  return found
}

/** The text of a message: a string, or the text parts of a list. */
function prose(content: unknown): string {
  if (typeof content === "string") return content.slice(0, TEXT_CHARS)
  if (!Array.isArray(content)) return ""
  const texts = content.filter((part) => part?.type === "text" && typeof part.text === "string" && !part.synthetic && !part.ignored)
  return texts.map((part) => part.text).join("\n").slice(0, TEXT_CHARS)
}

/** The time as the server reads it; undefined when the host's isn't one. */
function when(ms: unknown): string | undefined {
  return typeof ms === "number" && ms > 0 && ms < 4e12 ? new Date(ms).toISOString() : undefined
}
