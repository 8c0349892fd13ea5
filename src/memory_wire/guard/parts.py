"""The parts that words play in an order to a model, and which of them a text must have to hold an order at all.

Which words play which part is the grammar of csrc/tables/orders.txt, compiled into kernels/text (order_bits, order_parts). The bits are in
the order of its parts.
"""

from __future__ import annotations

(
    DROP,  # ignore, forget, override
    FOLLOW,  # obey, follow: drops what it has when negated
    PRIOR,  # previous, above, original
    ALL,
    YOUR,
    RULES,  # instructions, prompts
    TERMS,  # rules, guidelines, context: what else than a model's may be dropped as well
    VOID,  # no longer apply
    NEW,
    YOU,
    NOW,
    PERSONA,  # assistant, AI
    ROGUE,  # DAN, hacker, unfiltered
    WITHOUT,
    LIMITS,  # restrictions, filters
    ACT,  # act, pretend
    SHOW,  # print, reveal
    PROMPT,  # system prompt
    EXACTLY,  # verbatim, word for word
    MODE,  # developer mode, god mode
    ON,  # enabled
    SEND,
    SECRET,  # passwords, keys
    PRIVATE,  # conversation, environment variables: telling in themselves
    TELL,  # mention, inform, ask
    USER,
    WHENEVER,
    RUN,
    SILENT,
    NOT,
    REPORT,  # attack, phrase, says: what follows is told, not ordered
    LAST,  # verbs that stand behind what they govern
    COMMAND,  # curl, rm
    CIPHERED,  # a word of English orders, rotated by thirteen letters or backwards
) = (1 << place for place in range(34))
OBJECT = RULES | TERMS | PROMPT
NEEDS = (  # of each group one part must be there
    (DROP, OBJECT, PRIOR | YOUR | ALL | PROMPT),
    (FOLLOW, NOT, OBJECT, YOUR | PRIOR | PROMPT),
    (VOID, OBJECT, NEW, PRIOR),
    (NOW | ACT | YOU, PERSONA, ROGUE | WITHOUT, ROGUE | LIMITS),
    (PROMPT, SHOW | NEW, YOUR | EXACTLY | NEW),
    (MODE, ON, LIMITS),
    (SEND | TELL, PRIVATE | SECRET | SILENT),
    (DROP, PRIOR, SHOW | SEND | RUN),
    (COMMAND, RUN),
    (CIPHERED,),
)


def may_order(part: int) -> bool:
    """Whether a text of these parts could hold an order."""
    for need in NEEDS:
        for group in need:
            if not part & group:
                break
        else:
            return True
    return False
