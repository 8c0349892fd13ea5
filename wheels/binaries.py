"""Reads what a shared library needs and carries, from its bytes: ELF (64 bit, little endian) and Mach-O (64 bit). Used by check.py alone.

No tool has to be installed, so that a wheel for another system is read as well as one for this. Layouts: System V ABI (ELF-64 object file
format) and Apple's <mach-o/loader.h>.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import tempfile
from typing import NamedTuple

PT_LOAD, PT_DYNAMIC, PT_GNU_STACK = 1, 2, 0x6474E551
DT_NEEDED, DT_STRTAB, DT_RPATH, DT_TEXTREL, DT_RUNPATH = 1, 5, 15, 22, 29
LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, LC_RPATH = 0xC, 0x80000018, 0x8000001C
MACHINES = {62: "x86_64", 183: "aarch64"}
CPUS = {0x01000007: "x86_64", 0x0100000C: "arm64"}

PATH = re.compile(rb"(?<![\w.:/-])(?:/[A-Za-z0-9_.+-]{2,}){2,}")
PATHS_ALLOWED = (b"/proc/", b"/dev/", b"/sys/", b"/etc/")

# What x86-64 beyond SSE2 looks like in objdump's words: SSE3 to SSE4.2, bit manipulation, crypto, and everything VEX or EVEX coded.
# `tzcnt` and `pause` are left out: they are older instructions with a prefix that baseline processors ignore.
BEYOND = re.compile(
    r"^(v[a-z0-9]+|addsubp[sd]|h(add|sub)p[sd]|lddqu|mov(d|sh|sl)dup|pshufb|palignr|pabs[bwd]|ph(add|sub)s?[wd]|pmaddubsw|pmulhrsw|psign[bwd]"
    r"|p?blend\w*|dpp[sd]|extractps|insertps|mpsadbw|packusdw|pcmp(eq|gt)q|pcmp[ei]str[im]|pextr[bdq]|phminposuw|pinsr[bdq]"
    r"|p(max|min)(sb|sd|uw|ud)|pmov[sz]x\w+|pmul(dq|ld)|ptest|round[sp][sd]|movntdqa|crc32[bwlq]?|popcnt[wlq]?|lzcnt[wlq]?"
    r"|andn[lq]?|bextr[lq]?|bls(i|r|msk)[lq]?|bzhi[lq]?|mulx[lq]?|pdep[lq]?|pext[lq]?|rorx[lq]?|s(ar|hl|hr)x[lq]?|movbe[wlq]?|ad[co]x[lq]?"
    r"|aes\w+|pclmul\w+|sha(1|256)\w+|gf2p8\w+|cmpxchg16b|xsave\w*)$"
)
INSTRUCTION = re.compile(r"^ *[0-9a-f]+:\t(?:(?:rep|repz|repnz|lock|data16|bnd|notrack) )*([a-z]\w*)", re.M)
NO_VECTOR = {"verr", "verw"}


class Library(NamedTuple):
    """`needed` are the libraries it links to, `rpaths` the folders it searches, `unsafe` what its loader flags allow and shouldn't."""

    machine: str
    needed: tuple[str, ...]
    rpaths: tuple[str, ...]
    unsafe: tuple[str, ...]


def read(data: bytes) -> Library:
    """What the library says about itself. Raises ValueError for anything that is neither kind."""
    try:
        if data[:6] == b"\x7fELF\x02\x01":
            return read_elf(data)
        if data[:4] == b"\xcf\xfa\xed\xfe":
            return read_mach(data)
    except (struct.error, IndexError, StopIteration):
        raise ValueError("the file's tables lead out of it") from None
    raise ValueError("neither ELF nor Mach-O of 64 bits")


def read_elf(data: bytes) -> Library:
    (machine,) = struct.unpack_from("<H", data, 18)
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    heads = [struct.unpack_from("<IIQQQQQQ", data, start + i * size) for i in range(count)]
    loads = [(head[3], head[2], head[5]) for head in heads if head[0] == PT_LOAD]
    _, _, offset, _, _, length, _, _ = next(head for head in heads if head[0] == PT_DYNAMIC)
    entries = [struct.unpack_from("<QQ", data, at) for at in range(offset, offset + length, 16)]
    table = next(value for tag, value in entries if tag == DT_STRTAB)
    base = next(table - address + place for address, place, span in loads if address <= table < address + span)

    def names(*tags: int) -> tuple[str, ...]:
        return tuple(text_at(data, base + value) for tag, value in entries if tag in tags)

    unsafe = ("text relocations",) * any(tag == DT_TEXTREL for tag, _ in entries)
    unsafe += ("executable stack",) * any(head[0] == PT_GNU_STACK and head[1] & 1 for head in heads)
    return Library(MACHINES.get(machine, f"machine {machine}"), names(DT_NEEDED), names(DT_RPATH, DT_RUNPATH), unsafe)


def read_mach(data: bytes) -> Library:
    cpu, _, _, count = struct.unpack_from("<IIII", data, 4)
    needed: list[str] = []
    rpaths: list[str] = []
    at = 32
    for _ in range(count):
        command, size, name = struct.unpack_from("<III", data, at)
        if command in {LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB}:
            needed.append(text_at(data, at + name))
        elif command == LC_RPATH:
            rpaths.append(text_at(data, at + name))
        at += size
    return Library(CPUS.get(cpu, f"cpu {cpu:#x}"), tuple(needed), tuple(rpaths), ())


def text_at(data: bytes, at: int) -> str:
    return data[at : data.index(0, at)].decode()


def paths(data: bytes) -> list[str]:
    """Absolute paths of folders or files among the library's strings, less those that every system has."""
    found = {match[0] for match in PATH.finditer(data) if len(match[0]) >= 10}
    return sorted(path.decode() for path in found if not path.startswith(PATHS_ALLOWED))


def beyond_baseline(data: bytes, machine: str) -> set[str] | None:
    """Names of the x86-64 instructions that a first-generation processor lacks. None where no objdump here reads the machine's code."""
    tool = shutil.which("objdump")
    if tool is None or machine != "x86_64" or data[:4] != b"\x7fELF":
        return None
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(data)
        file.flush()
        done = subprocess.run([tool, "-d", "-w", "--no-show-raw-insn", file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    names = {match[1] for match in INSTRUCTION.finditer(done.stdout)}
    return {name for name in names if BEYOND.match(name) and name not in NO_VECTOR}
