// MEMORY_WIRE_OPENCODE_PLUGIN_VERSION 4
const BANK = ""
const COMMAND: string[] = ["/stable/memory-wire"]
const HOST = "opencode"
