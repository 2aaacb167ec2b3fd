# SPDX-License-Identifier: MIT
"""The path of an execute call: keywords -> struct -> library."""
from __future__ import annotations

import struct
from ctypes import sizeof
from typing import Any, Callable, Tuple

from ._buffers import HOST, _by_type, describe, pinned, stream_handle
from ._enums import coerce
from ._status import ArrayError, CallerError, ClosedError

# Bytes of an element; 0 is not checked. The plan adds those that its descriptor decides.
ITEM_SIZES = {"f32": 4, "i32": 4, "i64": 8, "bf16": 2, "bytes": 0, "scale": 0}


class Operation:
    """How the keywords of one operation fill its argument struct."""

    def __init__(self, function: str, args: Any, pack: str, size: int, count: int,
                 fields: Tuple[Tuple[str, int, str, bool, int], ...], doc: str) -> None:
        assert sizeof(args) == size == struct.calcsize(pack)
        self.function, self.args, self.doc = function, args, doc
        self.pack = struct.Struct(pack).pack_into
        self.initial = [0] * count
        self.initial[0] = size
        self.fields = {f[0]: f[1:] for f in fields}

    def fill(self, plan: "PlanBase", into: Any, given: dict[str, Any], keep: list[Any]) -> None:
        values = self.initial.copy()
        fields, sizes, refused = self.fields, plan._item_sizes, plan._refused_place
        for name, value in given.items():
            try:
                at, element, writes, stride_at = fields[name]
            except KeyError:
                raise TypeError(f"{self.function} has no argument {name!r}; it has "
                                f"{', '.join(fields)}") from None
            if not element:
                values[at] = coerce(name, value) if type(value) is str else value
                continue
            if value is None:
                continue
            try:
                extract = _by_type.get(type(value), describe)
                pointer, size, item, stride, where = extract(value, keep, writes)
            except ArrayError as error:
                raise ArrayError(error.message, argument=name, name="array") from None
            want = sizes[element]
            if want and item and item != want:
                raise ArrayError(f"elements of {item} bytes, not {want} ({element})",
                                 argument=name, name="array")
            if where == refused and size and not (where == HOST and pinned(value)):
                raise ArrayError("host memory, but the plan is on a GPU" if where == HOST else
                                 "device memory, but the plan is on the CPU",
                                 argument=name, name="array")
            values[at] = pointer
            values[at + 1] = size
            if stride:
                if stride_at < 0:
                    raise ArrayError("must be contiguous", argument=name, name="array")
                if not given.get(name + "_stride"):
                    values[stride_at] = stride
        try:
            self.pack(into, 0, *values)
        except struct.error as error:
            raise CallerError(f"{self.function}: a number does not fit its field: {error}") from None


class Call:
    """An execute call with its arguments packed: `call()` or `call(stream)` runs it.

    It keeps the plan and the arrays alive. `args` is the C struct: fields such as `args.tokens` may
    be changed between calls. One Call must not run in two threads at once.
    """

    __slots__ = ("args", "_plan", "_function", "_keep")

    def __init__(self, plan: "PlanBase", function: str, args: Any, keep: Any) -> None:
        self.args, self._plan, self._keep = args, plan, keep
        self._function = getattr(plan._lib, function)

    def __call__(self, stream: Any = None) -> None:
        handle = self._plan._handle
        if handle is None:
            raise ClosedError("the plan is closed")
        if stream is not None and type(stream) is not int:
            stream = stream_handle(stream)
        self._function(handle.value, self.args, stream)


class PlanBase:
    """What all plans share. `_handle` is None once closed."""

    _handle: Any
    _lib: Any
    _item_sizes: dict[str, int]
    _refused_place: int

    def _function(self, name: str) -> Any:
        return getattr(self._lib, name)


def methods(operation: Operation) -> Tuple[Callable[..., None], Callable[..., Call]]:
    """The method that calls and the one that binds."""

    def call(self: PlanBase, *, stream: Any = None, **arguments: Any) -> None:
        handle = self._handle  # holds the plan for the length of the call
        if handle is None:
            raise ClosedError("the plan is closed")
        args, keep = operation.args(), []  # type: ignore[var-annotated]
        operation.fill(self, args, arguments, keep)
        if stream is not None:
            stream = stream_handle(stream)
        getattr(self._lib, operation.function)(handle.value, args, stream)

    def bind(self: PlanBase, **arguments: Any) -> Call:
        if self._handle is None:
            raise ClosedError("the plan is closed")
        args, keep = operation.args(), [arguments]
        operation.fill(self, args, arguments, keep)
        return Call(self, operation.function, args, keep)

    call.__doc__ = operation.doc + "\n\n" + "\n".join(operation.fields)
    bind.__doc__ = "The same with its arguments packed once; see Call."
    return call, bind
