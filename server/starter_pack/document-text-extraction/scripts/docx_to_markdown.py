#!/usr/bin/env python3
"""Print a DOCX file as Markdown: headings, lists, tables, footnotes, comments.

Usage: docx_to_markdown.py FILE.docx [--deleted]
Insertions of tracked changes are kept; deletions are left out unless --deleted shows them.
"""

import argparse
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
LARGEST_PART = 64 * 1024 * 1024


def read_part(archive, name):
    """The root element of a part, or None when the document has no such part."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        return None
    if info.file_size > LARGEST_PART:
        sys.exit(f"{name} is larger than {LARGEST_PART} bytes")
    data = archive.read(name)
    if b"<!DOCTYPE" in data[:2048]:
        sys.exit(f"{name} carries a document type, which a DOCX file never has")
    return ElementTree.fromstring(data)


def inline_text(element, show_deleted):
    """The text of a paragraph with marks for breaks, notes and deletions."""
    parts = []
    for node in element.iter():
        if node.tag == W + "t":
            parts.append(node.text or "")
        elif node.tag == W + "delText" and show_deleted:
            parts.append(f"~~{node.text or ''}~~")
        elif node.tag == W + "tab":
            parts.append(" ")
        elif node.tag in (W + "br", W + "cr"):
            parts.append("\n")
        elif node.tag == W + "noBreakHyphen":
            parts.append("-")
        elif node.tag == W + "footnoteReference":
            parts.append(f"[^{node.get(W + 'id')}]")
        elif node.tag == W + "commentReference":
            parts.append(f"[comment {node.get(W + 'id')}]")
    return "".join(parts).strip()


def heading_level(paragraph, style_names):
    """1 to 6, or 0 for a paragraph that is no heading. Style names are English inside the file."""
    style = paragraph.find(f"{W}pPr/{W}pStyle")
    if style is None:
        return 0
    name = style_names.get(style.get(W + "val"), "").lower()
    if name == "title":
        return 1
    match = re.fullmatch(r"heading (\d)", name)
    return min(int(match[1]), 6) if match else 0


def paragraph_markdown(paragraph, style_names, show_deleted):
    text = inline_text(paragraph, show_deleted)
    if not text:
        return ""
    level = heading_level(paragraph, style_names)
    if level:
        return f"{'#' * level} {text}"
    numbering = paragraph.find(f"{W}pPr/{W}numPr")
    if numbering is None:
        return text
    depth = numbering.find(W + "ilvl")
    return "  " * int(depth.get(W + "val") if depth is not None else 0) + f"- {text}"


def table_markdown(table, show_deleted):
    """A pipe table; the first row is the header. Merged cells are repeated as empty ones."""
    rows = []
    for row in table.findall(W + "tr"):
        cells = []
        for cell in row.findall(W + "tc"):
            text = " ".join(inline_text(p, show_deleted) for p in cell.iter(W + "p")).strip()
            cells.append(text.replace("|", "\\|").replace("\n", " "))
            span = cell.find(f"{W}tcPr/{W}gridSpan")
            cells += [""] * (int(span.get(W + "val")) - 1 if span is not None else 0)
        rows.append(cells)
    width = max(map(len, rows), default=0)
    lines = ["| " + " | ".join(cells + [""] * (width - len(cells))) + " |" for cells in rows]
    return "\n".join([*lines[:1], "|" + "---|" * width, *lines[1:]])


def blocks(container, style_names, show_deleted):
    """Paragraphs and tables of a body in order, content controls opened."""
    for child in container:
        if child.tag == W + "p":
            yield paragraph_markdown(child, style_names, show_deleted)
        elif child.tag == W + "tbl":
            yield table_markdown(child, show_deleted)
        elif child.tag == W + "sdt" and child.find(W + "sdtContent") is not None:
            yield from blocks(child.find(W + "sdtContent"), style_names, show_deleted)


def notes(root, tag, label, show_deleted):
    """The footnotes or comments as Markdown lines."""
    for note in root.findall(W + tag) if root is not None else ():
        if note.get(W + "type") in ("separator", "continuationSeparator"):
            continue
        text = " ".join(filter(None, (inline_text(p, show_deleted) for p in note.iter(W + "p"))))
        author = f" ({note.get(W + 'author')})" if note.get(W + "author") else ""
        yield label.format(note.get(W + "id")) + f"{author}: {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--deleted", action="store_true", help="show tracked deletions")
    arguments = parser.parse_args()
    try:
        archive = zipfile.ZipFile(arguments.file)
    except (OSError, zipfile.BadZipFile) as problem:
        sys.exit(f"{arguments.file}: not a readable DOCX file ({problem})")
    with archive:
        document = read_part(archive, "word/document.xml")
        styles = read_part(archive, "word/styles.xml")
        footnotes = read_part(archive, "word/footnotes.xml")
        comments = read_part(archive, "word/comments.xml")
    if document is None:
        sys.exit(f"{arguments.file}: no word/document.xml inside")
    style_names = {}
    for style in styles.findall(W + "style") if styles is not None else ():
        name = style.find(W + "name")
        style_names[style.get(W + "styleId")] = name.get(W + "val") if name is not None else ""
    shown = arguments.deleted
    output = [block for block in blocks(document.find(W + "body"), style_names, shown) if block]
    output += notes(footnotes, "footnote", "[^{}]", shown)
    output += notes(comments, "comment", "[comment {}]", shown)
    print("\n\n".join(output))


if __name__ == "__main__":
    main()
