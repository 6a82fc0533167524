"""The compiled half of the tokenizer package, without its Python half.

Importing the package the usual way reads the tables of three encodings into Python
dictionaries, which counting never looks at: 0.6 seconds and 60 MB, in every process. Its
public class also refuses texts of a million characters. The compiled half has none of this.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Protocol, cast

_PACKAGE = "bpe_openai"
_COMPILED = f"{_PACKAGE}._bindings"


class NativeTokenizer(Protocol):
    def count(self, text: str) -> int: ...


def native_tokenizer(encoding: str) -> NativeTokenizer:
    """The tokenizer of that encoding, its table loaded."""
    return cast(NativeTokenizer, _compiled_half().tokenizer_for_encoding(encoding))


def _compiled_half() -> ModuleType:
    loaded = sys.modules.get(_COMPILED)
    if loaded is not None:
        return loaded
    package = find_spec(_PACKAGE)
    spec = package and PathFinder.find_spec(_COMPILED, package.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"no module named '{_COMPILED}'", name=_COMPILED)
    module = module_from_spec(spec)
    # A process may initialise it once, so an import of the whole package must find it here.
    sys.modules[_COMPILED] = module
    spec.loader.exec_module(module)
    return module
