# SPDX-License-Identifier: MIT
"""Finds and loads libplait.so, when first needed."""
from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path
from typing import Any, Optional

from . import _abi
from ._status import LibraryNotFoundError, raise_status

_lock = threading.Lock()
_library: Any = None


def _places() -> list[str]:
    given = os.environ.get("PLAIT_LIBRARY")
    if given:
        return [given]
    soname = f"libplait.so.{_abi.PLAIT_ABI_VERSION}"
    # In a source tree: the build folders beside bindings/.
    root = Path(__file__).resolve().parents[3]
    built = sorted(str(p) for p in root.glob(f"build*/src/{soname}")) if (
        root / "meson.build").exists() else []
    return built + [soname]


def _declare(lib: Any) -> None:
    record_type = _abi.plait_error

    def check(status: int, _function: Any, arguments: Any) -> int:
        if status:
            last = arguments[-1] if arguments else None
            raise_status(status, lib, last if isinstance(last, record_type) else None)
        return status

    for name, (result, parameters) in _abi.FUNCTIONS.items():
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = parameters
        if name in _abi.CHECKED:
            function.errcheck = check


def load(path: Optional[str] = None) -> Any:
    """Loads the library now, from `path` if given; later calls return the same one."""
    global _library
    with _lock:
        if _library is not None:
            return _library
        tried = []
        for place in [path] if path else _places():
            try:
                lib = ctypes.CDLL(place)
                _declare(lib)
            except (OSError, AttributeError) as error:
                tried.append(f"{place}: {error}")
                continue
            found = lib.plait_abi_version()
            if found != _abi.PLAIT_ABI_VERSION:
                tried.append(f"{place}: ABI version {found}, not {_abi.PLAIT_ABI_VERSION}")
                continue
            _library = lib
            return lib
    raise LibraryNotFoundError("libplait could not be loaded; set PLAIT_LIBRARY to its path. "
                               "Tried " + "; ".join(tried))


def library() -> Any:
    """The ctypes library, with every function declared; loads it on the first call."""
    return _library if _library is not None else load()
