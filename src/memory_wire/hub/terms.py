"""Which words of a text may name something: headings, capitalised phrases, words of scripts without capitals. Used by gist.py.

No model and no dictionary beyond how common an English stem is; what is too common, too long or only structure is no name.
"""

from __future__ import annotations

from memory_wire.kernels import text as kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

WORDS = 4  # of a name
CHARS = 48
WIDE = 16  # characters of a name in a script without spaces
GRAM = 6  # letters of a piece of a Chinese clause
COMMON = 2e-4  # share among all English words from which a single one says too little; `memory` has 1.3e-4
KATAKANA, HAN, HANGUL = "katakana", "han", "hangul"
GENERIC = frozenset(
    "about abstract acknowledgements api appendix authors background basics bugs building caveats changelog changes chapter checklist"
    " compatibility conclusion conclusions configuration content contents contributing contributors credits data day decision default"
    " definition definitions description design detail details development discussion docs documentation example examples faq faqs"
    " feature features figure file files final first fix fixed following further general getting goal goals guide help history home"
    " how idea ideas implementation important index info information install installation introduction intro issue issues item items"
    " known last license limitations link links list log main method methods misc miscellaneous more motivation name new next nice"
    " note notes now objective old open option options other outline output overview parameters part people plan point points preface"
    " problem problems process purpose question questions quick quickstart readme reason recent reference references related release"
    " releases remarks requirements result results return returns roadmap rule rules run running sample second section see setup"
    " simple solution some source start status step steps structure summary support table tag tags task tasks template term terms test"
    " testing tests thing things third tip tips title todo todos tools topic topics tutorial type types update updates usage use user"
    " users using value values version versions warning week what when where which who why work year yes no true false none null ok".split()
)
TIMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october"
    " november december jan feb mar apr jun jul aug sep sept oct nov dec today yesterday tomorrow".split()
)
VERBS = frozenset(
    "add adding adjust adjusting apply applying ask asking avoid avoiding build building call calling change changing check checking"
    " choose choosing clean cleaning combine combining compare comparing compile compiling compute computing configure configuring"
    " connect connecting convert converting copy copying create creating customize customizing debug debugging declare declaring"
    " define defining delete deleting deploy deploying disable disabling download downloading enable enabling ensure explain"
    " explaining extend extending find finding fix fixing generate generating get getting handle handling implement implementing"
    " import importing improve improving inspect inspecting install installing keep keeping learn learning list listing load loading"
    " make making manage managing measure measuring migrate migrating move moving open opening override overriding parse parsing pick"
    " picking prepare preparing prevent preventing print printing provide providing publish publishing read reading reduce reducing"
    " remove removing rename renaming replace replacing restore restoring return returning review reviewing run running save saving"
    " search searching send sending set setting share sharing show showing skip skipping specify specifying start starting stop"
    " stopping store storing submit submitting switch switching test testing track tracking tune tuning understand understanding"
    " update updating upgrade upgrading use using validate validating verify verifying view viewing wait waiting watch watching work"
    " working write writing".split()
)
JOINERS = frozenset(("of", "for", "the", "and", "de", "la", "von", "van", "der"))
ARTICLES = frozenset(("a", "an", "the", "your", "our"))
DROPPED = "的了是在和与也不有我你他她它这那就都而及其于之对为被把从到个们会能可以上下中大小更最很没说要让使如果因此但或并所这些那些一"
PARTICLES = "은는이가을를의에로과와도만"  # behind a Korean noun
ENDINGS = ".!?:;。！？…|•"


def clean(label: str) -> str:
    """A name as it is shown: on one line, without what stands around it."""
    return " ".join(label.split()).strip(" .,:;!?\"'“”‘’()[]{}<>|/\\-–—*_~#`…、。，：；！？（）")


def names(label: str, single: bool = False) -> bool:
    """Whether a cleaned label can name something; `single`: one word that is written like a name may be common."""
    if not label or len(label) > CHARS or not any(letter.isalpha() for letter in label):
        return False
    words = label.split()
    if not label.isascii() and any(is_wide(letter) for letter in label):
        return 1 < len(label) <= WIDE or any(letter.isascii() and letter.isalpha() for letter in label)
    if len(words) > WORDS or len(label) < 2:
        return False
    said = [word for word, _, _ in kernel.words(label)]
    if not said or all(word in GENERIC or word in TIMES or kernel.is_stop(word) or word.isdigit() for word in said):
        return False
    if kernel.is_stop(said[0]) or kernel.is_stop(said[-1]):
        return False
    return single or len(said) > 1 or kernel.prior(kernel.stem(said[0].encode())) < COMMON


def is_wide(letter: str) -> bool:
    return script(letter) != ""


def script(letter: str) -> str:
    """Which script without capitals a letter is of; empty for others."""
    if letter < "\u2e80":
        return ""
    if "\u4e00" <= letter <= "\u9fff" or "\u3400" <= letter <= "\u4dbf" or letter == "々" or "\U00020000" <= letter <= "\U0003ffff":
        return HAN
    if "\u30a1" <= letter <= "\u30fa" or letter == "ー":
        return KATAKANA
    return HANGUL if "\uac00" <= letter <= "\ud7a3" else ""


def head(title: str) -> str:
    """What a heading names: without its number, a leading verb and what comes after a colon, a dash or a bracket."""
    first, sign, rest = title.partition(" ")
    if sign and first.rstrip(".):").replace(".", "").isdigit():
        title = rest
    for mark in (": ", " – ", " — ", " - ", " (", "：", "（"):
        before, sign, after = title.partition(mark)
        if sign and before.strip():
            title = after if before.split()[-1].isdigit() and mark == ": " else before
    words = title.split()
    if len(words) > 1 and words[0].lower() in VERBS:
        words = words[1:]
    while words and kernel.is_stop(words[0].lower()):
        words = words[1:] if words[0].lower() in ARTICLES else []
    for at, word in enumerate(words):
        if at and kernel.is_stop(word.lower()) and word not in JOINERS:
            return " ".join(words[:at])
    return " ".join(words)


# phrases ---------------------------------------------------------------------------------------------------------------------------


def capitalised(text: str, words: list[tuple[str, int, int]]) -> Iterator[str]:
    """Runs of words that are written like names. The first word of a sentence counts only with a mark of its own, or in a run."""
    run: list[tuple[str, int, int]] = []
    for at, (word, start, end) in enumerate(words):
        letter = text[start]
        if letter.isupper() or (run and word in JOINERS and text[run[-1][2] : start] == " "):
            if run and text[run[-1][2] : start] not in (" ", "-"):
                yield from phrase(text, run)
                run = []
            if letter.isupper() or at + 1 < len(words):
                run.append((word, start, end))
        elif run:
            yield from phrase(text, run)
            run = []
    yield from phrase(text, run)


def phrase(text: str, run: list[tuple[str, int, int]]) -> Iterator[str]:
    """A run as a name, without joining words at its ends and a first word that is capital only for its place."""
    while run and not text[run[-1][1]].isupper():
        run = run[:-1]
    if run and opens(text, run[0][1]) and not marked(text[run[0][1] : run[0][2]]) and (len(run) == 1 or is_plain(run[0][0])):
        run = run[1:]
        while run and not text[run[0][1]].isupper():
            run = run[1:]
    while run and kernel.is_stop(run[0][0]) and not marked(text[run[0][1] : run[0][2]]):
        run = run[1:]
    if run and len(run) <= WORDS:
        yield text[run[0][1] : run[-1][2]]


def opens(text: str, at: int) -> bool:
    """Whether a sentence, a line or an entry of a list begins here."""
    before = text[:at].rstrip(" \t*_\"'“‘([>-+#") if at < 256 else text[at - 256 : at].rstrip(" \t*_\"'“‘([>-+#")
    return not before or before[-1] in ENDINGS or before[-1] == "\n" or (before[-1] == ")" and before[-2:-1].isdigit())


def marked(word: str) -> bool:
    """Whether a word is written like a name wherever it stands: SQLite, HTTP, BM25."""
    return any(letter.isupper() or letter.isdigit() for letter in word[1:])


def is_plain(word: str) -> bool:
    """A word that English uses often."""
    return kernel.is_stop(word) or kernel.prior(kernel.stem(word.encode())) > 0.0 or word in GENERIC


# scripts without capitals ----------------------------------------------------------------------------------------------------------


def wide_runs(text: str) -> Iterator[tuple[str, str]]:
    """(script, run) of letters of one script without capitals."""
    start, kind = 0, ""
    for at, letter in enumerate(text):
        now = script(letter)
        if now != kind:
            if kind:
                yield kind, text[start:at]
            start, kind = at, now
    if kind:
        yield kind, text[start:]


def wide_names(text: str) -> Iterator[str]:
    """What may be names in Chinese, Japanese and Korean; those that the document repeats are."""
    has_kana = any("\u3041" <= letter <= "\u3096" for letter in text)
    for kind, run in wide_runs(text):
        if kind is KATAKANA:
            if len(run) >= 3 and run.strip("ー"):
                yield run
        elif kind is HANGUL:
            bare = run[:-1] if len(run) > 2 and run[-1] in PARTICLES else run
            if 2 <= len(bare) <= 6:
                yield bare
        elif has_kana:
            if 2 <= len(run) <= 6:
                yield run
        else:
            yield from grams(run)


def grams(run: str) -> Iterator[str]:
    """Pieces of two to six letters of a Chinese clause, cut where its small words stand."""
    for letter in DROPPED:
        run = run.replace(letter, " ")
    for piece in run.split():
        for size in range(2, min(GRAM, len(piece)) + 1):
            for at in range(len(piece) - size + 1):
                yield piece[at : at + size]
