# SPDX-License-Identifier: MIT
"""Exceptions: one class for each status code (in _errors.py) below one for each range of codes."""
from __future__ import annotations

from ctypes import sizeof
from typing import Any

from . import _abi


class Error(Exception):
    """A call of plait failed.

    status: the whole status value. name: "PLAIT_ERROR_BUFFER_TOO_SMALL". argument: the parameter
    or field at fault, "" when it is none in particular. message: one sentence. native_code: the
    device runtime's own number, or 0.
    """

    def __init__(self, message: str, name: str = "", argument: str = "", status: int = 0,
                 native_code: int = 0) -> None:
        self.message, self.name, self.argument = message, name, argument
        self.status, self.native_code = status, native_code
        head = f"{name} ({argument}): " if argument else f"{name}: " if name else ""
        super().__init__(head + message)

    @property
    def code(self) -> int:
        """The low 16 bits of the status."""
        return self.status & 0xFFFF if self.status > 0 else self.status


class CallerError(Error):
    """Codes 100 … 199: the same call fails everywhere."""


class UnsupportedError(Error):
    """Codes 200 … 299: right in itself, but not for this build, device or shape."""


class ResourceError(Error):
    """Codes 300 … 399: memory or threads could not be had."""


class DeviceError(Error):
    """Codes 400 … 499: the device runtime failed."""


class LibraryNotFoundError(Error):
    """libplait.so could not be loaded, or is of another ABI version."""


class ClosedError(Error, ValueError):
    """The object was closed, or its library call cannot be made any more."""


class ArrayError(Error, TypeError):
    """An object that is no array plait can use in this place; raised before the call."""


def new_error_record() -> Any:
    record = _abi.plait_error()
    record.struct_size = sizeof(_abi.plait_error)
    return record


def raise_status(status: int, lib: Any, record: Any = None) -> None:
    from ._errors import BY_CODE
    code = status & 0xFFFF if status > 0 else status
    name = lib.plait_status_name(status).decode()
    argument = lib.plait_argument_name(lib.plait_status_argument(status)).decode()
    message, native = "", 0
    if record is not None and record.status == status:
        message, native = record.message.decode("utf-8", "replace"), record.native_code
    if not message:
        message = lib.plait_status_description(status).decode()
    raise BY_CODE.get(code, Error)(message, name, argument, status, native)
