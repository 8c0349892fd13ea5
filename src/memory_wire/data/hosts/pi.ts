type Message = { role?: string; content?: unknown; timestamp?: unknown; stopReason?: string }

/** The turns among the messages of one run; a prompt that isn't among them is the one given. */
function turnsOf(messages: Message[], prompt: string): Turn[] {
  const turns: Turn[] = []
  for (const { role, content, timestamp } of messages) {
    const text = prose(content)
    if (!text) continue
    if (role === "user") turns.push({ user: text, assistant: "", at: when(timestamp) })
    else if (role === "assistant") {
      if (!turns.length) turns.push({ user: prompt || undefined, assistant: "", at: when(timestamp) })
      const turn = turns[turns.length - 1]
      turn.assistant = turn.assistant ? `${turn.assistant}\n\n${text}` : text
    }
  }
  return turns.filter((turn) => turn.user && turn.assistant)
}

export default function memoryWire(pi: any): void {
  if (!active()) return
  const lone = `${HOST}-${process.pid}-${Date.now().toString(36)}` // of a host that names no session
  let prompt = ""
  let held: Message[] = [] // of a run that the host goes on with by itself

  const find = (ctx: any): Session => {
    let id: unknown
    try {
      id = ctx?.sessionManager?.getSessionId?.()
    } catch {
      id = undefined
    }
    return session(HOST, typeof id === "string" && id ? id : lone, ctx?.cwd ?? process.cwd())
  }

  const on = (name: string, work: (event: any, ctx: any) => Promise<object | void>) => {
    pi.on(name, async (event: any, ctx: any) => {
      try {
        return (await work(event, ctx)) ?? undefined
      } catch {
        return undefined
      }
    })
  }

  on("session_start", async (_event, ctx) => {
    bankOf(find(ctx).folder) // asked early: the first prompt then needn't wait for it
  })
  on("before_agent_start", async (event, ctx) => {
    const asked = prose(event?.prompt)
    const here = find(ctx)
    if (asked) {
      prompt = asked
      here.ask(asked)
    }
    const block = await here.current()
    const base = event?.systemPrompt
    if (!block || base === undefined) return
    return { systemPrompt: Array.isArray(base) ? [...base, block] : `${base}\n\n${block}` } // replaces: the original comes along
  })
  on("agent_end", async (event, ctx) => {
    const messages = [...held, ...(Array.isArray(event?.messages) ? event.messages : [])]
    held = event?.willContinue ? messages : []
    if (held.length) return
    const turns = turnsOf(messages, prompt)
    if (!turns.length) return
    prompt = ""
    await find(ctx).store(turns)
  })
  on("session_compact", async (_event, ctx) => find(ctx).compacted())
  on("session_shutdown", async (_event, ctx) => find(ctx).settled())
}
