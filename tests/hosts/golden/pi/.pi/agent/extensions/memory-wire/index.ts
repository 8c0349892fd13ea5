// MEMORY_WIRE_EXTENSION_VERSION 3
const HOST = "pi"
const BANK = ""
const COMMAND: string[] = ["/stable/memory-wire"]
const ADDR = "127.0.0.1:8888"
