"""What of a text is quoted: told, not said. Loaded for texts that could hold an order."""

from __future__ import annotations

import re

FEW = 3  # words beside a quotation that tell about it
QUOTED = re.compile(
    r"```.{0,20000}?(?:```|\Z)|~~~.{0,20000}?(?:~~~|\Z)|`[^`\n]{1,2000}`|\"[^\"\n]{1,2000}\"|“[^”]{1,2000}”|„[^“”\n]{1,2000}[“”]|«[^»]{1,2000}»"
    r"|「[^」]{1,2000}」|『[^』]{1,2000}』|(?<!\w)'[^'\n]{1,2000}'(?!\w)|‘[^’\n]{1,2000}’(?!\w)|(?m:^>[^\n]*)",
    re.DOTALL,
)
# what makes a quotation an order all the same
OBEY = re.compile(
    r"\b(?:do|obey|follow|execute|perform|apply|run|decode|act (?:up)?on|comply with|carry out)\b[^.\n]{0,30}"
    r"\b(?:this|these|following|it|that|what|below)\b"
    r"|\b(?:run|execute|invoke|call|do|say)\s{0,3}◌|(?:执行|照做|遵照|服从)|\b(?:выполни|befolge|führe|ejecuta|sigue|exécute|suis|esegui|execute)\b",
    re.IGNORECASE,
)


def said(text: str) -> str:
    """The text without its quotations where it speaks about them; the whole text where it is little else, or says to obey them."""
    if not QUOTED.search(text):
        return text
    rest = QUOTED.sub(" ◌ ", text)
    beside = re.findall(r"[^\W_]+", rest)
    if sum(len(word) // 2 if word > "\u2e80" else 1 for word in beside) < FEW or OBEY.search(rest):
        return text
    return rest
