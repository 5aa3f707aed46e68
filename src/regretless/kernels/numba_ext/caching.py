"""Machine code on disk, keyed by the content of everything it was compiled from.

Numba caches the machine code of a function beside its file and compares the content of that one file. Kernels are
compiled into each other, so a change in one must also invalidate those that call it. `key_by_content` adds a digest of
all kernel files that a file imports, directly or not, to what Numba compares. Nothing is deleted: old code is
overwritten when its function is compiled again.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, IndexDataCacheFile

__all__ = ["KERNELS", "is_kernel_cache", "kernel_file", "kernels_imported_by", "key_by_content"]

KERNELS = Path(__file__).resolve().parent.parent

IMPORT = re.compile(r"^\s*from regretless\.kernels(?:\.([\w.]+))? import (\([^)]*\)|[^\n]*)", re.MULTILINE)


def kernel_file(name: str) -> Path:
    """The file of a kernel module by its dotted name below `regretless.kernels`."""
    return KERNELS.joinpath(*name.split(".")).with_suffix(".py")


def kernels_imported_by(text: str) -> set[str]:
    """Dotted names of the kernel modules that a source text imports, directly or not."""
    found: set[str] = set()
    pending = _named_in(text)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending |= _named_in(kernel_file(name).read_text(encoding="utf-8")) - found
    return found


def _named_in(text: str) -> set[str]:
    names: set[str] = set()
    for package, imported in IMPORT.findall(text):
        if package and kernel_file(package).exists():
            names.add(package)
            continue
        for item in re.findall(r"\w+(?: as \w+)?", imported):  # modules imported from a package
            name = ".".join(filter(None, (package, item.split(" ")[0])))
            if kernel_file(name).exists():
                names.add(name)
    return names


@cache
def _digest(file: str) -> str:
    """A digest of a kernel file and of all kernel files that it imports."""
    text = Path(file).read_text(encoding="utf-8")
    digest = hashlib.sha256(text.encode())
    for name in sorted(kernels_imported_by(text)):
        digest.update(kernel_file(name).read_bytes())
    return digest.hexdigest()


def _keyed(locator: type[Any]) -> type[Any]:
    """One of Numba's cache locators, for files of kernels only, with their digest as the source stamp."""

    class KeyedByContent(locator):  # type: ignore[misc]
        """Stores machine code where `locator` would."""

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            """A locator for a function of a kernel file; None for all others, which Numba then handles as usual."""
            if not Path(py_file).resolve().is_relative_to(KERNELS):
                return None
            found = super().from_function(py_func, py_file)
            if found is not None:
                found.stamp = _digest(str(Path(py_file).resolve()))
            return found

        def get_source_stamp(self) -> str:
            """What the stored machine code must agree with."""
            stamp: str = self.stamp
            return stamp

    return KeyedByContent


def _tolerant(load_index: Any) -> Any:
    """Numba's reader of a cache's index, for indices of older versions of this package too.

    Numba unpickles an index before it compares the stamp, so an index that names a class which has been renamed since
    would raise; it is treated as an old one.
    """

    def load(self: Any) -> Any:
        try:
            return load_index(self)
        except (AttributeError, ImportError):
            return {}

    return load


def key_by_content() -> None:
    """Make Numba compare the digest; called before the first kernel is defined, and without effect after that."""
    usual = CompileResultCacheImpl._locator_classes
    if not any(locator.__name__ == "KeyedByContent" for locator in usual):
        CompileResultCacheImpl._locator_classes = [*map(_keyed, usual), *usual]
        index: Any = IndexDataCacheFile
        index._load_index = _tolerant(index._load_index)


def is_kernel_cache(cache: Any) -> bool:
    """Whether one of Numba's caches holds the machine code of a kernel."""
    return type(cache._impl.locator).__name__ == "KeyedByContent"
