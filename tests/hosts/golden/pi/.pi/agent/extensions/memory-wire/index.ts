// MEMORY_WIRE_EXTENSION_VERSION 4
const HOST = "pi"
const BANK = ""
const COMMAND: string[] = ["/stable/memory-wire"]
