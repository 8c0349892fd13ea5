// MEMORY_WIRE_EXTENSION_VERSION 4
const HOST = "omp"
const BANK = ""
const COMMAND: string[] = ["/stable/memory-wire"]
