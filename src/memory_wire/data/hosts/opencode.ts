const HOST = "opencode"

type Row = { info?: { id?: string; role?: string; summary?: unknown; time?: { created?: number } }; parts?: unknown }

/** The turns that the prompts began, as the messages tell them; only those with an answer. */
function turnsOf(rows: Row[], prompts: string[]): Turn[] {
  return prompts.flatMap((id) => {
    const at = rows.findIndex((row) => row.info?.id === id)
    if (at < 0) return []
    const end = rows.findIndex((row, index) => index > at && row.info?.role === "user" && prose(row.parts))
    const answers = rows.slice(at + 1, end < 0 ? undefined : end).filter((row) => row.info?.role === "assistant" && row.info.summary !== true)
    const assistant = answers.map((row) => prose(row.parts)).filter(Boolean).join("\n\n")
    const user = prose(rows[at].parts)
    return user && assistant ? [{ user, assistant, at: when(rows[at].info?.time?.created) }] : []
  })
}

/** The one export: opencode takes every exported function for a plugin. */
export const MemoryWire = async ({ client, directory }: any) => {
  if (!active()) return {}
  const prompts = new Map<string, string[]>() // of each session, message ids whose turn isn't stored
  const children = new Map<string, boolean>() // sessions that an agent opened for itself
  const find = (id: string) => session(HOST, id, directory)
  const data = async (call: () => Promise<any>): Promise<any> => {
    try {
      return (await before(WRITE_MS, call()))?.data
    } catch {
      return undefined
    }
  }

  const ofAgent = async (id: string): Promise<boolean> => {
    if (!children.has(id)) children.set(id, Boolean((await data(() => client.session.get({ path: { id } })))?.parentID))
    if (children.size > SESSIONS) children.delete(children.keys().next().value!)
    return children.get(id) ?? false
  }

  const idle = async (id: string): Promise<void> => {
    const waiting = prompts.get(id)
    if (!waiting) return
    prompts.delete(id) // an idle event that comes twice finds nothing
    if (await ofAgent(id)) return
    const rows = await data(() => client.session.messages({ path: { id } }))
    if (Array.isArray(rows)) await find(id).store(turnsOf(rows, waiting))
    else prompts.set(id, [...waiting, ...(prompts.get(id) ?? [])].slice(-TURNS))
  }

  const running = new Set<Promise<void>>()
  const run = (work: Promise<void>): Promise<void> => {
    const quiet = work.catch(() => undefined).finally(() => running.delete(quiet))
    running.add(quiet)
    return quiet
  }

  bankOf(directory) // asked early: the first prompt then needn't wait for it
  return {
    "chat.message": async (input: any, output: any) => {
      const text = prose(output?.parts)
      const id = input?.sessionID ?? output?.message?.sessionID
      if (!text || !id) return
      const waiting = prompts.get(id) ?? []
      if (output.message?.id) prompts.set(id, [...waiting, output.message.id].slice(-TURNS))
      if (prompts.size > SESSIONS) prompts.delete(prompts.keys().next().value!)
      find(id).ask(text) // not awaited: the answer is needed when the system prompt is made
    },
    "experimental.chat.system.transform": async (input: any, output: any) => {
      const block = input?.sessionID && sessions.has(input.sessionID) ? await find(input.sessionID).current() : ""
      if (block && Array.isArray(output?.system)) output.system.push(block)
    },
    event: async ({ event }: any) => {
      const id = event?.properties?.sessionID ?? event?.properties?.info?.id
      if (!id) return
      if (event.type === "session.idle") await run(idle(id))
      else if (event.type === "session.compacted") sessions.get(id)?.compacted()
      else if (event.type === "session.deleted") for (const kept of [prompts, children, sessions]) kept.delete(id)
    },
    dispose: async () => {
      await Promise.all(running) // a run without a terminal ends right after its last turn
    },
  }
}
