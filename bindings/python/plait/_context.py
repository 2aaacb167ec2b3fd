# SPDX-License-Identifier: MIT
"""Contexts, and the memory, streams, events and graphs that belong to one."""
from __future__ import annotations

import contextlib
import os
from ctypes import byref, c_double, c_void_p, sizeof
from typing import Any, Callable, Iterator, NamedTuple, Optional, TypeVar, Union

from . import _abi
from ._buffers import DEVICE, HOST, Buffer, Description, StreamLike, describe, stream_handle
from ._enums import Backend, LogLevel, Policy, coerce
from ._library import library
from ._status import ArrayError, ClosedError, new_error_record


class ContextInfo(NamedTuple):
    """What a context turned out to be."""
    backend: Backend
    asked_backend: Backend
    device: int
    threads: int
    compute_units: int
    wave_size: int
    memory_bytes: int
    device_name: str
    architecture: str
    fallback_reason: str


class BackendInfo(NamedTuple):
    """What is known of a backend before a context is made."""
    available: bool
    device_count: int
    path: str
    reason: str


class Handle:
    """A C handle, destroyed with the last reference: a call that runs keeps it alive."""

    __slots__ = ("value", "_destroy", "_keep")

    def __init__(self, value: int, destroy: Callable[[int], None], keep: Any = None) -> None:
        self.value, self._destroy, self._keep = value, destroy, keep

    def __del__(self) -> None:
        self._destroy(self.value)


Self = TypeVar("Self", bound="Closing")


class Closing:
    """close(), with statements and `closed` for an object with a Handle."""

    _handle: Optional[Handle] = None

    @property
    def closed(self) -> bool:
        return self._handle is None

    def close(self) -> None:
        """Gives the object up. Calls that still run elsewhere finish first. Twice is no error."""
        self._handle = None

    def _open(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise ClosedError(f"the {type(self).__name__} is closed")
        return handle

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Context(Closing):
    """One device. Thread-safe. Plans made from it keep what they need of it alive.

    `log` is called as log(level, line) during setup calls. What is not given is taken from the
    environment (PLAIT_BACKEND, PLAIT_THREADS, …), then from the defaults.
    """

    def __init__(self, backend: Union[Backend, str, int] = Backend.AUTO, *,
                 policy: Union[Policy, str, int] = Policy.STRICT, device: int = -1,
                 threads: int = 0, log: Optional[Callable[[LogLevel, str], None]] = None,
                 log_level: Union[LogLevel, str, int, None] = None,
                 backend_dir: Union[str, "os.PathLike[str]", None] = None,
                 implementation: Optional[str] = None) -> None:
        lib = self._lib = library()
        desc = _abi.plait_context_desc()
        lib.plait_context_desc_init(desc, sizeof(desc))
        desc.backend, desc.policy = coerce("backend", backend), coerce("policy", policy)
        desc.device, desc.threads = device, threads
        if log is not None:
            def receive(_user: Any, level: int, line: bytes) -> None:
                log(LogLevel(level), line.decode("utf-8", "replace"))

            desc.log = _abi.plait_log_fn(receive)
            if log_level is None:
                log_level = LogLevel.INFO
        if log_level is not None:
            desc.log_level = coerce("log_level", log_level)
        desc.backend_dir = os.fsencode(backend_dir) if backend_dir is not None else None
        desc.implementation = implementation.encode() if implementation is not None else None
        self._callback = desc.log if log is not None else None
        made = c_void_p()
        lib.plait_context_create(desc, byref(made), new_error_record())
        assert made.value is not None
        self._handle = Handle(made.value, lib.plait_context_destroy, self._callback)

    @property
    def info(self) -> ContextInfo:
        handle = self._open()
        got = _abi.plait_context_info()
        got.struct_size = sizeof(got)
        self._lib.plait_context_get_info(handle.value, got)
        return ContextInfo(Backend(got.backend), Backend(got.asked_backend), got.device,
                           got.threads, got.compute_units, got.wave_size, got.memory_bytes,
                           got.device_name.decode(), got.architecture.decode(),
                           got.fallback_reason.decode())

    def memory(self, size: int) -> "Memory":
        """Device memory (host memory on the CPU), aligned to 256 bytes."""
        return Memory(self, size)

    def stream(self) -> "Stream":
        return Stream(self)

    def event(self) -> "Event":
        return Event(self)

    def copy(self, dst: Buffer, src: Buffer, *, stream: StreamLike = None, wait: bool = True) -> None:
        """Copies all bytes of `src` to `dst`, in stream order, and waits unless wait is False."""
        handle, keep = self._open(), []  # type: ignore[var-annotated]
        to, room, _, stride, _ = describe(dst, keep, True)
        start, size, _, other, _ = describe(src, keep, False)
        if stride or other:
            raise ArrayError("copy takes contiguous arrays")
        if size > room:
            raise ArrayError(f"{size} bytes do not fit into {room}", argument="dst", name="array")
        copy = self._lib.plait_memory_copy if wait else self._lib.plait_memory_copy_async
        copy(handle.value, to, start, size, stream_handle(stream))

    def fill(self, dst: Buffer, byte: int = 0, *, stream: StreamLike = None) -> None:
        """Sets every byte of `dst`, in stream order, without waiting."""
        handle, keep = self._open(), []  # type: ignore[var-annotated]
        to, size, _, stride, _ = describe(dst, keep, True)
        if stride:
            raise ArrayError("fill takes a contiguous array")
        self._lib.plait_memory_fill(handle.value, to, byte, size, stream_handle(stream))

    def synchronize(self, stream: StreamLike = None) -> None:
        """Waits for everything enqueued on a stream."""
        self._lib.plait_stream_synchronize(self._open().value, stream_handle(stream))

    @contextlib.contextmanager
    def capture(self, stream: "Stream") -> Iterator["Graph"]:
        """Records the calls of the with block into the graph that it gives (GPUs only)."""
        handle, at = self._open(), stream_handle(stream)
        self._lib.plait_graph_begin(handle.value, at, new_error_record())
        graph = Graph(self)
        made = c_void_p()
        try:
            yield graph
        except BaseException:
            with contextlib.suppress(Exception):
                self._lib.plait_graph_end(handle.value, at, byref(made), None)
                self._lib.plait_graph_destroy(handle.value, made.value)
            raise
        self._lib.plait_graph_end(handle.value, at, byref(made), new_error_record())
        graph._take(made)


class _Owned(Closing):
    """Something of a context, which it keeps alive."""

    def __init__(self, context: Context) -> None:
        self.context, self._lib = context, context._lib

    def _take(self, made: c_void_p) -> None:
        owner, lib = self.context._open(), self._lib
        destroy = getattr(lib, self._destroy_name)
        if made.value is not None:
            self._handle = Handle(made.value, lambda value: destroy(owner.value, value), owner)

    _destroy_name = ""


class Memory(_Owned):
    """Memory of a context. Usable as any buffer argument; `data` and `size` for everything else."""

    _destroy_name = "plait_memory_free"

    def __init__(self, context: Context, size: int) -> None:
        super().__init__(context)
        made = c_void_p()
        self._lib.plait_memory_alloc(context._open().value, size, byref(made), new_error_record())
        self.size = size
        self._take(made)
        on_cpu = context.info.backend == Backend.CPU
        self._description: Description = (made.value or 0, size, 0, 0, HOST if on_cpu else DEVICE)

    @property
    def data(self) -> int:
        if self.size:
            self._open()
        return self._description[0]

    def _plait_buffer(self) -> Description:
        if self._handle is None and self.size:
            raise ClosedError(f"the {type(self).__name__} is closed")
        return self._description


class Workspace(Memory):
    """A call's workspace: memory of the plan's size. One for each call that runs at once."""


class Stream(_Owned):
    """A stream that does not wait for the default one. On the CPU its handle is None."""

    _destroy_name = "plait_stream_destroy"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        made = c_void_p()
        self._lib.plait_stream_create(context._open().value, byref(made), new_error_record())
        self._take(made)

    @property
    def handle(self) -> Optional[int]:
        return self._handle.value if self._handle is not None else None

    def synchronize(self) -> None:
        self.context.synchronize(self.handle)


class Event(_Owned):
    """A point in time on a stream."""

    _destroy_name = "plait_event_destroy"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        made = c_void_p()
        self._lib.plait_event_create(context._open().value, byref(made), new_error_record())
        self._take(made)

    def record(self, stream: StreamLike = None) -> None:
        self._lib.plait_event_record(self.context._open().value, self._open().value,
                                     stream_handle(stream))

    def elapsed(self, stop: "Event") -> float:
        """Waits for both events; microseconds from this one to `stop`."""
        time = c_double()
        self._lib.plait_event_elapsed(self.context._open().value, self._open().value,
                                      stop._open().value, byref(time))
        return time.value


class Graph(_Owned):
    """Recorded execute calls; made by Context.capture()."""

    _destroy_name = "plait_graph_destroy"

    def launch(self, stream: StreamLike = None) -> None:
        self._lib.plait_graph_launch(self.context._open().value, self._open().value,
                                     stream_handle(stream))


def probe(backend: Union[Backend, str, int],
          backend_dir: Union[str, "os.PathLike[str]", None] = None) -> BackendInfo:
    """Looks whether a backend works here, and if not, why."""
    got = _abi.plait_backend_info()
    got.struct_size = sizeof(got)
    folder = os.fsencode(backend_dir) if backend_dir is not None else None
    library().plait_backend_probe(coerce("backend", backend), folder, got)
    return BackendInfo(bool(got.available), got.device_count, got.path.decode(),
                       got.reason.decode())


def torch_stream(device: Any = None) -> int:
    """The handle of torch's current stream (CUDA or ROCm) on `device`, to pass as `stream`.

    plait never asks for it on its own: a call without a stream uses the default stream.
    """
    import torch
    return int(torch.cuda.current_stream(device).cuda_stream)


