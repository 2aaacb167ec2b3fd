# SPDX-License-Identifier: MIT
# Written by bindings/tools/generate.py from include/plait. Do not edit.
"""The exception of each status code."""
from __future__ import annotations

from ._status import CallerError, DeviceError, Error, ResourceError, UnsupportedError

BY_CODE: dict[int, type[Error]] = {}


class NullArgumentError(CallerError, ValueError):
    """A required pointer is NULL."""


BY_CODE[100] = NullArgumentError


class StructSizeError(CallerError):
    """struct_size is smaller than the struct's first version."""


BY_CODE[101] = StructSizeError


class UnknownFieldError(CallerError):
    """A non-zero field that this version does not know."""


BY_CODE[102] = UnknownFieldError


class InvalidValueError(CallerError, ValueError):
    """Outside the documented range: zero, negative, NaN, no such enumerator."""


BY_CODE[103] = InvalidValueError


class SizeOverflowError(CallerError, OverflowError):
    """A product of sizes does not fit 63 bits."""


BY_CODE[104] = SizeOverflowError


class BufferTooSmallError(CallerError, ValueError):
    """The buffer is smaller than the call needs."""


BY_CODE[105] = BufferTooSmallError


class MisalignedError(CallerError):
    """The pointer or stride is not aligned as documented."""


BY_CODE[106] = MisalignedError


class StrideError(CallerError, ValueError):
    """A stride is shorter than the row."""


BY_CODE[107] = StrideError


class OverlapError(CallerError):
    """An output overlaps another buffer."""


BY_CODE[108] = OverlapError


class RangeError(CallerError, ValueError):
    """row_start is above row_end, or negative."""


BY_CODE[109] = RangeError


class IndexOutOfRangeError(CallerError, IndexError):
    """A slot or position outside its table."""


BY_CODE[110] = IndexOutOfRangeError


class WrongPlanError(CallerError):
    """The plan is of another kind, or without this option."""


BY_CODE[111] = WrongPlanError


class BudgetTooSmallError(CallerError):
    """The workspace budget is below the least possible."""


BY_CODE[112] = BudgetTooSmallError


class UnsupportedShapeError(UnsupportedError):
    """No implementation covers the shape."""


BY_CODE[200] = UnsupportedShapeError


class UnsupportedDtypeError(UnsupportedError):
    """No implementation covers the number format."""


BY_CODE[201] = UnsupportedDtypeError


class UnsupportedDeviceError(UnsupportedError):
    """The device cannot run it."""


BY_CODE[202] = UnsupportedDeviceError


class UnsupportedOperationError(UnsupportedError):
    """The backend does not have this operation."""


BY_CODE[203] = UnsupportedOperationError


class NotInBuildError(UnsupportedError):
    """The backend or operation is not in this build."""


BY_CODE[204] = NotInBuildError


class NoDeviceError(UnsupportedError):
    """The backend is there, but no such device."""


BY_CODE[205] = NoDeviceError


class BackendVersionError(UnsupportedError):
    """The backend library is of another version."""


BY_CODE[206] = BackendVersionError


class OutOfMemoryError(ResourceError, MemoryError):
    """Host or device memory could not be had."""


BY_CODE[300] = OutOfMemoryError


class ThreadsError(ResourceError):
    """The worker threads could not be started."""


BY_CODE[301] = ThreadsError


class DeviceRuntimeError(DeviceError):
    """A call of the device runtime failed."""


BY_CODE[400] = DeviceRuntimeError


class LaunchError(DeviceError):
    """A kernel launch was refused."""


BY_CODE[401] = LaunchError


class InternalError(Error):
    """A state that should not occur."""


BY_CODE[500] = InternalError
