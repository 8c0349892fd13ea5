"""The front matter of a Markdown note: the part of YAML, or of TOML, that notes use for it. What is nested deeper is passed over.

Read: `name: text`, quoted or not, `name: [a, b]`, a name followed by `- entry` lines, and block texts (`|`, `>`). Names are lower case.
"""

from __future__ import annotations

FENCES = {"---": ("---", "..."), "+++": ("+++",)}
BLOCKS = frozenset(("|", ">", "|-", ">-", "|+", ">+"))
MOST = 1_000  # lines that are looked at

Values = dict[str, str | list[str]]


def split(text: str) -> tuple[Values, str]:
    """(values by name, text below). A text without front matter, or with one that doesn't end, has none."""
    lines = text.split("\n")
    found, start = read(lines)
    return found, "\n".join(lines[start:]) if start else text


def read(lines: list[str]) -> tuple[Values, int]:
    """(values by name, how many lines the front matter takes): none, when it doesn't end."""
    opener = lines[0].rstrip()
    ends = FENCES.get(opener)
    if ends is None:
        return {}, 0
    for end in range(1, len(lines)):
        if lines[end].rstrip() in ends:
            return values(lines[1:end][:MOST], ":" if opener == "---" else "="), end + 1
    return {}, 0


def values(lines: list[str], mark: str) -> Values:
    """What the lines say; `mark` is between name and value."""
    found: Values = {}
    name = ""
    for line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        if line[0] in " \t-":
            if name:
                under(found, name, bare)
            continue
        name, sign, value = bare.partition(mark)
        name = scalar(name).lower() if sign and (mark == "=" or value[:1] in ("", " ", "\t")) else ""
        value = uncommented(value.strip())
        if not name or value in BLOCKS:
            found.setdefault(name, "")
        elif value.startswith("[") and value.endswith("]") and not value.startswith("[["):
            found[name] = [entry for entry in map(scalar, entries(value[1:-1])) if entry]
        else:
            found[name] = scalar(value)
    found.pop("", None)
    return found


def under(found: Values, name: str, bare: str) -> None:
    """A line that belongs to the name above it."""
    before = found.get(name, "")
    if bare.startswith("- ") or bare == "-":
        entry = scalar(uncommented(bare[1:].strip()))
        if entry:
            found[name] = [*(before if isinstance(before, list) else []), entry]
    elif isinstance(before, str):
        found[name] = f"{before} {bare}".strip()


def entries(text: str) -> list[str]:
    """The parts between commas, quotes kept together."""
    parts, quote = [""], ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'" and not parts[-1].strip():
            quote = character
        elif character == ",":
            parts.append("")
            continue
        parts[-1] += character
    return parts


def uncommented(value: str) -> str:
    """The value without a comment behind it."""
    if value[:1] in ("'", '"'):
        end = value.find(value[0], 1)
        return value[: end + 1] if end > 0 else value
    at = value.find(" #")
    return value[:at].rstrip() if at >= 0 and not value.startswith("[") else value


def scalar(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return "" if value in ("null", "~") else value
