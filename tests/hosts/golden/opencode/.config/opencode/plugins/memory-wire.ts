// MEMORY_WIRE_OPENCODE_PLUGIN_VERSION 3
const BANK = ""
const COMMAND: string[] = ["/stable/memory-wire"]
const ADDR = "127.0.0.1:8888"
const HOST = "opencode"
