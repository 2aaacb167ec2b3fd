# SPDX-License-Identifier: MIT
"""Plans: one checked problem with its chosen implementations."""
from __future__ import annotations

from ctypes import byref, c_size_t, c_void_p, create_string_buffer, sizeof
from typing import Any, NamedTuple, Union

from . import _abi
from ._buffers import DEVICE, HOST
from ._call import ITEM_SIZES
from ._context import Closing, Context, Handle, Workspace
from ._enums import Backend, Dtype, Op, PlanKind, coerce
from ._errors import BufferTooSmallError, InvalidValueError
from ._ops import IndexerOps, MhcOps, TopkOps
from ._sizes import IndexerSizes, MhcSizes, TopkSizes
from ._status import new_error_record


class Candidate(NamedTuple):
    """One entry of an operation's ordered list of implementations."""
    name: str
    chosen: bool
    usable: bool
    reason: str


class _Plan(Closing):
    """What the three kinds of plan have in common. Immutable; any number of threads at once."""

    _stem = ""
    _sizes_type: Any = None

    def __init__(self, context: Context, **options: Any) -> None:
        owner, lib = context._open(), context._lib
        self._lib = lib
        desc = getattr(_abi, f"plait_{self._stem}_plan_desc")()
        getattr(lib, f"plait_{self._stem}_plan_desc_init")(desc, sizeof(desc))
        known = [f[0] for f in desc._fields_ if f[0] not in ("struct_size", "reserved")]
        for name, value in options.items():
            if name not in known:
                raise TypeError(f"{type(self).__name__} has no option {name!r}; it has "
                                f"{', '.join(known)}")
            if value is None:
                continue
            if name == "implementation":
                value = value.encode()
            elif isinstance(value, str):
                value = coerce(name, value)
            setattr(desc, name, value)
        made = c_void_p()
        getattr(lib, f"plait_{self._stem}_plan_create")(owner.value, desc, byref(made),
                                                        new_error_record())
        assert made.value is not None
        # The log callback lives as long as the plan: its context may be gone by then.
        self._handle = Handle(made.value, lib.plait_plan_destroy, context._callback)
        self.context = context
        self._refused_place = DEVICE if context.info.backend == Backend.CPU else HOST
        self._item_sizes = dict(ITEM_SIZES)
        for name in known:
            if name.endswith("dtype"):
                self._item_sizes[name] = 4 if getattr(desc, name) == Dtype.F32 else 2

    @property
    def kind(self) -> PlanKind:
        return PlanKind(self._lib.plait_plan_kind(self._open().value))

    def sizes(self, count: int) -> Any:
        """Bytes of every buffer and workspace for up to `count` tokens or rows."""
        got = getattr(_abi, f"plait_{self._stem}_sizes")()
        got.struct_size = sizeof(got)
        getattr(self._lib, f"plait_{self._stem}_plan_sizes")(self._open().value, count, got)
        return self._sizes_type._make(getattr(got, f[0]) for f in got._fields_[1:])

    def workspace(self, count: int) -> Workspace:
        """A workspace that serves every call of up to `count` tokens or rows."""
        return Workspace(self.context, self.sizes(count).workspace)

    def explain(self) -> str:
        """What was chosen for every operation, and why the better ones were not."""
        handle, needed, size = self._open(), c_size_t(), 4096
        while True:
            text = create_string_buffer(size)
            try:
                self._lib.plait_plan_explain(handle.value, text, size, byref(needed))
                return text.value.decode()
            except BufferTooSmallError:
                size = needed.value

    def candidates(self, op: Union[Op, str, int]) -> list[Candidate]:
        """The ordered list of implementations of an operation of this plan, best first."""
        number = int(Op[op.upper()] if isinstance(op, str) else op)
        handle = self._open()
        found: list[Candidate] = []
        got = _abi.plait_candidate()
        while True:
            got.struct_size = sizeof(got)
            try:
                self._lib.plait_plan_candidate(handle.value, number, len(found), got)
            except InvalidValueError as error:
                if error.argument == "index" and found:
                    return found
                raise
            found.append(Candidate(got.name.decode(), bool(got.chosen), bool(got.usable),
                                   got.reason.decode()))


class MhcPlan(MhcOps, _Plan):
    """Hyper-connections: pre, post, post_pre, head, expand."""
    _stem, _sizes_type = "mhc", MhcSizes


class IndexerPlan(IndexerOps, _Plan):
    """The sparse indexer: quantisation, key cache, logits, select."""
    _stem, _sizes_type = "indexer", IndexerSizes


class TopkPlan(TopkOps, _Plan):
    """Exact top-k of rows, and the merge of several shards."""
    _stem, _sizes_type = "topk", TopkSizes
