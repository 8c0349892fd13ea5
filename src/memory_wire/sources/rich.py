"""Documents of other formats as Markdown: HTML, PDF, DOCX. Their libraries are loaded when one is met: pip install 'memory-wire[import]'.

Read in the client's process or in the child program, never in a server.
"""

from __future__ import annotations

import io
import logging
import re
import warnings
from importlib import import_module
from zipfile import ZipFile

from memory_wire.errors import Invalid
from memory_wire.sources.files import most

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LEFT_OUT = ["script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "iframe", "svg", "button"]
BODIES = ("main", "article")  # what a page is about stands in one of these, if it has one
PDF_PAGES = 5_000
MARKS = ("#", ">", "- ", "+ ", "* ", "=", "`", "~", "|")
BLANKS = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}")
HYPHEN = re.compile(r"(?<=[a-z])-\n(?=[a-z])")


def library(name: str) -> Any:
    """A module of the extra `import`. Raises Invalid that says how it is had."""
    try:
        return import_module(name)
    except ImportError:
        raise Invalid("file", f"needs {name.partition('.')[0]}: pip install 'memory-wire[import]'") from None


def of_html(raw: bytes) -> tuple[str | None, str]:
    """(title, Markdown) of a page: of its main part, where it names one."""
    with warnings.catch_warnings(action="ignore"):  # that a page looks like XML
        soup = library("bs4").BeautifulSoup(raw, "html.parser")
    title = " ".join(soup.title.get_text().split()) if soup.title is not None else ""
    for tag in soup(LEFT_OUT):
        tag.decompose()
    body = next((found for name in BODIES if (found := soup.find(name)) is not None), soup.body or soup)
    return title or None, tidy(library("markdownify").markdownify(str(body), heading_style="ATX", bullets="-", code_language=""))


def of_docx(raw: bytes) -> tuple[str | None, str]:
    """(title, Markdown) of a Word document; pictures are left out."""
    mammoth = library("mammoth")
    with ZipFile(io.BytesIO(raw)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > most(len(raw)):
            raise Invalid("file", "unpacks to too much for its size")
    found = mammoth.convert_to_html(io.BytesIO(raw), convert_image=mammoth.images.img_element(lambda image: {}))
    return None, of_html(re.sub(r"<img[^>]*>", "", found.value).encode())[1]


def of_pdf(raw: bytes) -> tuple[str | None, str]:
    """(title, Markdown) of a PDF: the text of each page under a heading. Raises Invalid for one that is locked or has no text."""
    pypdf = library("pypdf")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every fault that it mends
    reader = pypdf.PdfReader(io.BytesIO(raw))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Invalid("file", "is locked with a password")
    if len(reader.pages) > PDF_PAGES:
        raise Invalid("file", f"has more than {PDF_PAGES:,} pages")
    parts = []
    for number, page in enumerate(reader.pages, 1):
        text = flowing(page.extract_text() or "")
        if text:
            parts.append(f"## Page {number}\n\n{text}")
    if not parts:
        raise Invalid("file", "has no text, only pictures")
    title = " ".join(str((reader.metadata and reader.metadata.title) or "").split())
    return title or None, "\n\n".join(parts) + "\n"


def flowing(text: str) -> str:
    """The lines of a page, words that were divided joined; what looks like Markdown at the start of a line is none."""
    lines = [" ".join(line.split()) for line in HYPHEN.sub("", text.replace("\r", "").replace("\0", "")).split("\n")]
    return BLANKS.sub("\n\n", "\n".join("\\" + line if line.startswith(MARKS) else line for line in lines)).strip("\n")


def tidy(markdown: str) -> str:
    """Without runs of blank lines and blanks at the ends."""
    return BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in markdown.split("\n"))).strip("\n") + "\n"
