"""`memory-wire completion bash|zsh|fish`: the shell's completion, made from the command table, so that it knows every verb and option.

Prints a script; the help says where each shell wants it. Values are completed where they are files or have a fixed set of words.
"""

from __future__ import annotations

from memory_wire.cli.args import JSON, Command, Value
from memory_wire.cli.show import as_json, line

HOW = """Put it where the shell looks:
    bash  memory-wire completion bash > ~/.local/share/bash-completion/completions/memory-wire
    zsh   memory-wire completion zsh > "${fpath[1]}/_memory-wire"
    fish  memory-wire completion fish > ~/.config/fish/completions/memory-wire.fish"""


def commands() -> list[Command]:
    summary = "Print the completion script of a shell."
    shells = tuple(SCRIPTS)
    return [Command("completion", summary, completion, positional=("shell",), options=(JSON,), choices=shells, exits=HOW)]


def completion(values: dict[str, Value]) -> int:
    script = SCRIPTS[str(values["shell"])](table())
    if values.get("json"):
        as_json({"shell": values["shell"], "script": script})
    else:
        line(script.rstrip("\n"))
    return 0


def table() -> list[Command]:
    """Every verb, `help` with them."""
    from memory_wire.cli import main

    every = main.commands()
    helping = Command(
        "help", "All commands, or the options of one.", completion, optional=("command",), choices=tuple(every), options=(JSON,)
    )
    return sorted([*every.values(), helping], key=lambda command: command.name)


def further(command: Command) -> tuple[str, ...]:
    """The words that any further positional can be."""
    from memory_wire.hosts import NAMES

    return NAMES if command.rest == "hosts" else ()


def takes_files(command: Command) -> bool:
    """Whether a positional of the command is a file or folder."""
    return bool({"file", "files", "path", "folder"} & {*command.positional, *command.optional})


def bash(commands: list[Command]) -> str:
    """A function for `complete`; bash 4.2 and later."""
    cases, words = [], []
    for command in commands:
        names = [f"--{option.name}" for option in command.options] + ["--help"]
        files = " files=1" if takes_files(command) else ""
        loose = f'first="{" ".join(command.choices)}" rest="{" ".join(further(command))}"'
        words.append(f'        {command.name}) words="{" ".join(names)}" {loose}{files} ;;')
        for option in command.options:
            if option.choices:
                cases.append(f'        {command.name}:--{option.name}) words="{" ".join(option.choices)}" ;;')
            elif option.kind != "flag":
                cases.append(f"        {command.name}:--{option.name}) words= files={int(option.kind == 'path')} ;;")
    verbs = " ".join(command.name for command in commands)
    return f"""# bash completion of memory-wire
_memory_wire() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} verb=${{COMP_WORDS[1]}} words= first= rest= files=0
    [[ $cur == = ]] && cur=
    [[ $prev == = ]] && prev=${{COMP_WORDS[COMP_CWORD - 2]}}
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "{verbs}" -- "$cur")
        return
    fi
    case $verb:$prev in
{chr(10).join(cases)}
    *)
        case $verb in
{chr(10).join(words)}
        esac
        [[ $cur != -* ]] && words=$rest
        [[ $cur != -* && $COMP_CWORD -eq 2 && -n $first ]] && words=$first
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    ((files)) && [[ $cur != -* ]] && compopt -o default 2>/dev/null
    return 0
}}
complete -F _memory_wire memory-wire
"""


def zsh(commands: list[Command]) -> str:
    """A function for zsh's completion system, to be found in fpath or sourced."""

    def quoted(text: str) -> str:
        return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")

    cases = []
    for command in commands:
        given = []
        for option in command.options:
            value = "" if option.kind == "flag" else f":{option.name}:" + (f"({' '.join(option.choices)})" if option.choices else "")
            repeat = "*" if option.kind == "list" else ""
            given.append(f"'{repeat}--{option.name}[{quoted(option.help)}]{value}{'_files' if option.kind == 'path' else ''}'")
        for place, name in enumerate(command.positional + command.optional):
            first = f"({' '.join(command.choices)})" if place == 0 and command.choices else ""
            given.append(f"':{name}:{first or ('_files' if takes_files(command) else '()')}'")
        given += [f"'*:{command.rest}:({' '.join(further(command))})'"] if command.rest else []
        cases.append(f"        {command.name}) _arguments {' '.join(given)} '--help[show the options]' ;;")
    verbs = "\n".join(f"        '{command.name}:{quoted(command.summary)}'" for command in commands)
    return f"""#compdef memory-wire
_memory_wire() {{
    local -a verbs=(
{verbs}
    )
    if ((CURRENT == 2)); then
        _describe command verbs
        return
    fi
    shift words
    ((CURRENT--))
    case $words[1] in
{chr(10).join(cases)}
    esac
}}
if [[ $funcstack[1] == _memory-wire ]]; then _memory_wire "$@"; else compdef _memory_wire memory-wire; fi
"""


def fish(commands: list[Command]) -> str:
    """Lines of `complete`."""

    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ["# fish completion of memory-wire", "complete -c memory-wire -f"]
    for command in commands:
        lines.append(f"complete -c memory-wire -n __fish_use_subcommand -a {command.name} -d {quoted(command.summary)}")
        here = f"complete -c memory-wire -n {quoted(f'__fish_seen_subcommand_from {command.name}')}"
        if command.choices:
            alone = f"__fish_seen_subcommand_from {command.name}; and not __fish_seen_subcommand_from {' '.join(command.choices)}"
            lines.append(f"complete -c memory-wire -n {quoted(alone)} -a {quoted(' '.join(command.choices))}")
        if further(command):
            lines.append(f"{here} -a {quoted(' '.join(further(command)))}")
        if takes_files(command):
            lines.append(f"{here} -F")
        for option in command.options:
            value = "" if option.kind == "flag" else " -r -F" if option.kind == "path" else " -x"
            value += f" -a {quoted(' '.join(option.choices))}" if option.choices else ""
            lines.append(f"{here} -l {option.name}{value} -d {quoted(option.help)}")
        lines.append(f"{here} -l help -d 'show the options'")
    return "\n".join(lines) + "\n"


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
