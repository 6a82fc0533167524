"""Imports two versions of one pack in turn, for ever: what the kill test kills.

Usage: python import_in_a_loop.py STORE_URL FOLDER_A FOLDER_B. Prints a line when it begins.
"""

from __future__ import annotations

import sys
from itertools import cycle
from pathlib import Path

from catalog.catalog import Catalog
from importer.importing import import_pack
from tests.written_skills import identity


def main(url: str, *folders: str) -> None:
    catalog = Catalog.open(url)
    print("ready", flush=True)
    for folder in cycle(folders):
        import_pack(catalog, identity(), Path(folder), pack_name="tools")


if __name__ == "__main__":
    main(*sys.argv[1:])
