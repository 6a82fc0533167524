#!/usr/bin/env python3
"""检查中文文稿的空格与标点；跳过代码块、行内代码、网址和 YAML 头。

Usage: check_zh.py FILE [--fix]
--fix 把修改后的全文写到标准输出，不改动原文件。退出码：0 没有问题，1 有问题。
"""

import argparse
import re
import sys
from pathlib import Path

HAN = r"\u3400-\u4dbf\u4e00-\u9fff"
PROTECTED = re.compile(r"`[^`]*`|https?://\S+|\]\([^)]*\)|<[^>]+>")
FULL_WIDTH = str.maketrans({",": "，", "!": "！", "?": "？", ";": "；", ":": "："})


def widen(match):
    return match[0].rstrip().translate(FULL_WIDTH)


RULES = [
    ("半角括号", re.compile(rf"(?<=[{HAN}])\(([^()\n]*)\)"), r"（\1）"),
    ("省略号", re.compile(rf"(?<=[{HAN}）”])(?:\.{{3,}}|。{{2,}})"), "……"),
    ("破折号", re.compile(rf"(?<=[{HAN}])--+(?=[{HAN}])"), "——"),
    ("重复标点", re.compile(r"([！？，。!?])\1+"), r"\1"),
    ("半角标点", re.compile(rf"(?<=[{HAN}）”])[,!?;:](?: +(?=[{HAN}])|(?![\w/]))"), widen),
    ("半角标点", re.compile(rf"(?<=[{HAN}）”])[,!?;:](?=[{HAN}A-Za-z])"), widen),
    ("半角标点", re.compile(rf"(?<=[A-Za-z0-9])[,!?;](?=[{HAN}])"), widen),
    ("半角句号", re.compile(rf"(?<=[{HAN}）”])\.(?=\s|$)"), "。"),
    ("中英文之间缺空格", re.compile(rf"(?<=[{HAN}])(?=[A-Za-z0-9])"), " "),
    ("中英文之间缺空格", re.compile(rf"(?<=[A-Za-z0-9%])(?=[{HAN}])"), " "),
    (
        "全角标点旁有空格",
        re.compile(r" +(?=[，。！？；：、）”》])|(?<=[，。！？；：、（“《]) +"),
        "",
    ),
]


def correct(text):
    """(修改后的文字, 发现的问题)，受保护的片段保持原样。"""
    problems = []
    pieces, position = [], 0
    for protected in [*PROTECTED.finditer(text), None]:
        piece = text[position : protected.start() if protected else len(text)]
        for name, pattern, replacement in RULES:
            piece, count = pattern.subn(replacement, piece)
            problems += [name] * count
        pieces.append(piece)
        if protected:
            pieces.append(protected[0])
            position = protected.end()
    return "".join(pieces), problems


def lines_to_check(lines):
    """(行号, 文字, 要不要检查)；代码块和开头的 YAML 头不检查。"""
    in_code, in_header = False, bool(lines) and lines[0].strip() == "---"
    for number, line in enumerate(lines, 1):
        fence = line.lstrip().startswith(("```", "~~~"))
        yield number, line, not (in_code or fence or in_header)
        in_code ^= fence
        if in_header and number > 1 and line.strip() == "---":
            in_header = False


def main():
    parser = argparse.ArgumentParser(description="检查中文文稿的空格与标点")
    parser.add_argument("file", type=Path)
    parser.add_argument("--fix", action="store_true", help="输出修改后的全文")
    arguments = parser.parse_args()
    total = 0
    for number, line, wanted in lines_to_check(
        arguments.file.read_text(encoding="utf-8-sig").splitlines()
    ):
        corrected, problems = correct(line) if wanted else (line, [])
        total += len(problems)
        if arguments.fix:
            print(corrected)
        elif problems:
            print(f"{arguments.file}:{number}  {'、'.join(dict.fromkeys(problems))}")
            print(f"    {corrected.strip()}")
    print(f"共 {total} 处", file=sys.stderr)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
