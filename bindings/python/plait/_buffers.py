# SPDX-License-Identifier: MIT
"""Pointers of other libraries' arrays, without a copy.

`describe(value, writes)` gives (pointer, bytes, element size or 0, row stride in elements or 0 when
contiguous, where). How to ask an object is decided once for its type:

    data_ptr()                  torch
    __cuda_array_interface__    CuPy, Numba, JAX on a GPU
    the buffer protocol         numpy (ml_dtypes too), JAX on the CPU, array, bytearray, mmap
    __dlpack__                  everything else
    (pointer, bytes)            a tuple of two integers: taken as it is
"""
from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint64, \
    c_ssize_t, c_void_p, py_object, pythonapi
from typing import Any, Callable, Optional, Protocol, Tuple, Union

from ._status import ArrayError

HOST, DEVICE, ANYWHERE = 0, 1, 2
Description = Tuple[int, int, int, int, int]


class _HasDataPtr(Protocol):
    def data_ptr(self) -> int: ...


Buffer = Union[None, _HasDataPtr, Tuple[int, int], Any]
StreamLike = Union[None, int, Any]


class _PyBuffer(Structure):
    _fields_ = [("buf", c_void_p), ("obj", c_void_p), ("len", c_ssize_t),
                ("itemsize", c_ssize_t), ("readonly", c_int), ("ndim", c_int),
                ("format", c_void_p), ("shape", POINTER(c_ssize_t)),
                ("strides", POINTER(c_ssize_t)), ("suboffsets", c_void_p), ("internal", c_void_p)]


class _DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32),
                ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


_get_buffer = pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [py_object, c_void_p, c_int]
_release_buffer = pythonapi.PyBuffer_Release
_release_buffer.argtypes = [c_void_p]
_check_buffer = pythonapi.PyObject_CheckBuffer
_check_buffer.argtypes = [py_object]
_capsule_pointer = pythonapi.PyCapsule_GetPointer
_capsule_pointer.argtypes = [py_object, ctypes.c_char_p]
_capsule_pointer.restype = c_void_p
_WRITABLE, _STRIDES = 0x1, 0x18
_from_buffer = c_char.from_buffer
_addressof = ctypes.addressof
_HOST_DEVICES = {1, 3, 11}  # kDLCPU, kDLCUDAHost, kDLROCMHost


def _rows(shape: Any, strides: Any, itemsize: int) -> Tuple[int, int]:
    """(bytes, stride of the first dimension in elements or 0) of strides given in bytes."""
    row = itemsize
    for extent, stride in zip(reversed(shape[1:]), reversed(strides[1:])):
        if extent != 1 and stride != row:
            raise ArrayError("only the first dimension may have a stride of its own")
        row *= extent
    if not shape:
        return itemsize, 0
    if 0 in shape:
        return 0, 0
    if strides[0] == row or shape[0] == 1:
        return shape[0] * row, 0
    if strides[0] < row or strides[0] % itemsize:
        raise ArrayError("the first dimension's stride is negative, too short or no whole element")
    return (shape[0] - 1) * strides[0] + row, strides[0] // itemsize


def _torch(value: Any, keep: list[Any], writes: bool) -> Description:
    item, where = value.element_size(), HOST if value.is_cpu else DEVICE
    if value.is_contiguous():
        return value.data_ptr(), value.numel() * item, item, 0, where
    size, stride = _rows(value.shape, [s * item for s in value.stride()], item)
    return value.data_ptr(), size, item, stride, where


class _Export:
    """Holds a buffer export open; the exporter may not move its memory meanwhile."""

    def __init__(self, value: Any, writes: bool) -> None:
        self.view: Optional[_PyBuffer] = None
        view = _PyBuffer()
        try:
            _get_buffer(value, ctypes.byref(view), _STRIDES | (_WRITABLE if writes else 0))
        except (BufferError, ValueError) as error:
            raise ArrayError(f"{type(value).__name__}: {error}") from None
        self.view = view

    def __del__(self) -> None:
        if self.view is not None:
            _release_buffer(ctypes.byref(self.view))


def _exporter(value: Any, keep: list[Any], writes: bool) -> Description:
    try:  # contiguous, writable, not empty: the common case
        view = _from_buffer(value)
    except (TypeError, ValueError, BufferError):
        export = _Export(value, writes)
        keep.append(export)
        got = export.view
        assert got is not None
        shape, strides = got.shape[:got.ndim], got.strides[:got.ndim]
        size, stride = _rows(shape, strides, got.itemsize)
        return got.buf or 0, size, got.itemsize, stride, HOST
    keep.append(view)
    try:
        return _addressof(view), value.nbytes, value.itemsize, 0, HOST
    except AttributeError:
        flat = memoryview(value)
        return _addressof(view), flat.nbytes, flat.itemsize, 0, HOST


def _cuda_interface(value: Any, keep: list[Any], writes: bool) -> Description:
    got = value.__cuda_array_interface__
    pointer, readonly = got["data"]
    if writes and readonly:
        raise ArrayError(f"{type(value).__name__} is read-only")
    item, shape, strides = int(got["typestr"][2:]), got["shape"], got.get("strides")
    if strides is None:
        size = item
        for extent in shape:
            size *= extent
        return pointer, size, item, 0, DEVICE
    size, stride = _rows(tuple(shape), tuple(strides), item)
    return pointer, size, item, stride, DEVICE


def _device_or_host(value: Any, keep: list[Any], writes: bool) -> Description:
    """Types whose arrays may live on a device or not (JAX), or export a host buffer only at times
    (CuPy with managed memory): the array itself says where it is."""
    if getattr(value, "__cuda_array_interface__", None) is not None:
        return _cuda_interface(value, keep, writes)
    if _check_buffer(value):
        return _exporter(value, keep, writes)
    return _dlpack(value, keep, writes)


def _dlpack(value: Any, keep: list[Any], writes: bool) -> Description:
    capsule = value.__dlpack__()
    keep.append(capsule)  # not renamed: its own destructor gives the tensor back
    got = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
    if got.bits * got.lanes % 8:
        raise ArrayError("elements smaller than a byte")
    item = got.bits * got.lanes // 8
    shape = got.shape[:got.ndim]
    if got.strides:
        size, stride = _rows(shape, [s * item for s in got.strides[:got.ndim]], item)
    else:
        size, stride = item, 0
        for extent in shape:
            size *= extent
    where = HOST if got.device_type in _HOST_DEVICES else DEVICE
    return (got.data or 0) + got.byte_offset, size, item, stride, where


def _pair(value: Any, keep: list[Any], writes: bool) -> Description:
    pointer, size = value
    return pointer, size, 0, 0, ANYWHERE


def _own(value: Any, keep: list[Any], writes: bool) -> Description:
    return value._plait_buffer()


def _nothing(value: Any, keep: list[Any], writes: bool) -> Description:
    return 0, 0, 0, 0, ANYWHERE


_by_type: dict[type, Callable[[Any, list[Any], bool], Description]] = {
    tuple: _pair, type(None): _nothing}


def _choose(value: Any) -> Callable[[Any, list[Any], bool], Description]:
    kind = type(value)
    if hasattr(kind, "_plait_buffer"):
        return _own
    if hasattr(kind, "data_ptr"):
        return _torch
    if hasattr(kind, "__cuda_array_interface__"):
        return _device_or_host
    if _check_buffer(value):
        return _exporter
    if hasattr(value, "__cuda_array_interface__"):
        return _cuda_interface
    if hasattr(kind, "__dlpack__"):
        return _dlpack
    raise ArrayError(f"{kind.__name__} is no array: it has no data_ptr(), buffer protocol, "
                     "__cuda_array_interface__ or __dlpack__")


def describe(value: Any, keep: list[Any], writes: bool) -> Description:
    """Where `value` lives. What must stay alive beyond `value` itself is added to `keep`."""
    try:
        extract = _by_type[type(value)]
    except KeyError:
        extract = _by_type[type(value)] = _choose(value)
    return extract(value, keep, writes)


def pinned(value: Any) -> bool:
    """Whether a host array of torch is mapped into the device."""
    ask = getattr(value, "is_pinned", None)
    return bool(ask and ask())


def pointer(value: Any) -> int:
    """The address that plait would be given for an array."""
    return describe(value, [], False)[0]


def stream_handle(stream: StreamLike) -> Optional[int]:
    """The integer of a stream of torch (cuda_stream), CuPy (ptr) or plait; integers pass."""
    if stream is None or type(stream) is int:
        return stream
    for name in ("handle", "cuda_stream", "ptr"):
        got = getattr(stream, name, None)
        if got is not None:
            return int(got)
    return None if hasattr(stream, "handle") else int(stream)
