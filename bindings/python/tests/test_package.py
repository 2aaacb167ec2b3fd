# SPDX-License-Identifier: MIT
"""Importing, arrays, errors, lifetimes, threads."""
import array
import ctypes
import gc
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import plait
import pytest
from conftest import Small
from plait import _abi, _buffers

PACKAGE = str(Path(plait.__file__).resolve().parents[1])


def run_python(code, **environment):
    env = dict(os.environ, **dict(dict(PYTHONPATH=PACKAGE), **environment))
    env = {name: value for name, value in env.items() if value is not None}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True,
                          timeout=120)


def test_import_loads_nothing():
    done = run_python("import plait, sys\n"
                      "maps = open('/proc/self/maps').read()\n"
                      "assert 'libplait' not in maps and 'cuda' not in maps, maps\n"
                      "assert not {'torch', 'numpy', 'cupy'} & set(sys.modules)\n")
    assert done.returncode == 0, done.stderr


def test_missing_library_says_what_was_tried():
    done = run_python("import plait\n"
                      "try: plait.Context('cpu')\n"
                      "except plait.LibraryNotFoundError as e: print(e)\n",
                      PLAIT_LIBRARY="/nowhere/libplait.so.1")
    assert "/nowhere/libplait.so.1" in done.stdout, done.stderr


def test_installed_library(tmp_path):
    """Without PLAIT_LIBRARY, away from the source tree: by the system's rules."""
    shutil.copytree(Path(PACKAGE, "plait"), tmp_path / "plait")
    folder = str(Path(plait.library()._name).resolve().parent)
    done = run_python("import plait; print(plait.Context('cpu').info.architecture)",
                      PYTHONPATH=str(tmp_path), PLAIT_LIBRARY=None, LD_LIBRARY_PATH=folder)
    assert done.returncode == 0, done.stderr


def test_build_tree(tmp_path):
    """In a source tree the package finds the build beside it."""
    shutil.copytree(Path(PACKAGE, "plait"), tmp_path / "bindings/python/plait")
    (tmp_path / "meson.build").touch()
    (tmp_path / "build/src").mkdir(parents=True)
    library = tmp_path / "build/src/libplait.so.1"
    library.symlink_to(Path(plait.library()._name).resolve())
    done = run_python("import plait; print(plait.library()._name)", PLAIT_LIBRARY=None,
                      PYTHONPATH=str(tmp_path / "bindings/python"), LD_LIBRARY_PATH=None)
    assert done.stdout.strip() == str(library), done.stderr


def test_every_function_is_declared():
    lib = plait.library()
    for name, (result, parameters) in _abi.FUNCTIONS.items():
        function = getattr(lib, name)
        assert function.restype is result
        assert tuple(function.argtypes) == tuple(parameters)
    # Each function that gives a status raises on a bad one.
    for name in _abi.CHECKED:
        parameters = _abi.FUNCTIONS[name][1]
        zeros = [0 if p in (ctypes.c_int32, ctypes.c_int64, ctypes.c_size_t) else None
                 for p in parameters]
        with pytest.raises(plait.CallerError):
            getattr(lib, name)(*zeros)


def test_context_info(context):
    info = context.info
    assert info.backend == plait.Backend.CPU and info.threads == 2 and not info.fallback_reason
    assert plait.version() == plait.__version__
    assert plait.probe("cpu").available


def test_log_lines_reach_python():
    lines = []
    with plait.Context("cpu", log=lambda level, line: lines.append((level, line))) as context:
        plait.MhcPlan(context, hidden=64).close()
    assert lines and all(isinstance(level, plait.LogLevel) for level, _ in lines)


# --- arrays: the pointer that C gets is the array's own ---------------------------------------

def test_no_copy(small):
    call = small.plan.bind_pre(**small.pre)
    for name, value in small.pre.items():
        if isinstance(value, np.ndarray):
            field = getattr(call.args, name)
            assert field.data == value.ctypes.data and field.size == value.nbytes, name
    assert (call.args.workspace.data or 0) == small.workspace.data


@pytest.mark.parametrize("make", [
    lambda: np.arange(8, dtype=np.float32), lambda: array.array("f", range(8)),
    lambda: bytearray(32), lambda: (ctypes.c_float * 8)(), lambda: memoryview(bytearray(32))])
def test_buffer_protocol(make):
    value, keep = make(), []
    pointer, size, _, stride, where = _buffers.describe(value, keep, True)
    assert (size, stride, where) == (32, 0, _buffers.HOST)
    # Written through the address, seen in the object.
    ctypes.memset(pointer, 0x41, 4)
    assert bytes(memoryview(value).cast("B"))[:5] == b"AAAA" + bytes(memoryview(value).cast("B"))[4:5]


def test_read_only_arrays_are_inputs_only(small):
    fixed = small.pre["base"].copy()
    fixed.flags.writeable = False
    assert _buffers.pointer(fixed) == fixed.ctypes.data
    small.plan.pre(**dict(small.pre, base=fixed))
    out = small.pre["post_mix"].copy()
    out.flags.writeable = False
    with pytest.raises(plait.ArrayError, match="post_mix"):
        small.plan.pre(**dict(small.pre, post_mix=out))


def test_rows_of_a_record(small):
    """Mixes kept in one [T, M] record: the stride is taken from the view."""
    record = np.zeros((small.tokens, 24), np.float32)
    small.plan.pre(**small.pre)
    views = dict(post_mix=record[:, 4:8], comb_mix=record[:, 8:24])
    call = small.plan.bind_pre(**dict(small.pre, **views))
    assert call.args.post_mix_stride == 24
    assert call.args.post_mix.data == record.ctypes.data + 16
    assert call.args.post_mix.size == ((small.tokens - 1) * 24 + 4) * 4
    call()
    np.testing.assert_array_equal(record[:, 4:8], small.pre["post_mix"])
    np.testing.assert_array_equal(record[:, 8:], small.pre["comb_mix"].reshape(-1, 16))


def test_strides_that_plait_cannot_take(small):
    with pytest.raises(plait.ArrayError, match="layer_input"):
        small.plan.pre(**dict(small.pre, layer_input=np.zeros((64, 5), np.uint16).T))
    with pytest.raises(plait.ArrayError, match="base.*contiguous"):
        small.plan.pre(**dict(small.pre, base=np.zeros((24, 2), np.float32)[:, 0]))


def test_wrong_element_size(small):
    with pytest.raises(plait.ArrayError, match="base.*8 bytes, not 4"):
        small.plan.pre(**dict(small.pre, base=np.zeros(24)))
    with pytest.raises(plait.ArrayError, match="residual"):
        small.plan.pre(**dict(small.pre, residual=small.residual.astype(np.float32)))


def test_no_array_at_all(small):
    with pytest.raises(plait.ArrayError, match="object is no array"):
        small.plan.pre(**dict(small.pre, base=object()))


class DlpackOnly:
    """An array that only speaks DLPack."""

    def __init__(self, value):
        self.value = value

    def __dlpack__(self):
        return self.value.__dlpack__()


def test_dlpack(small):
    small.plan.pre(**small.pre)
    want = small.pre["post_mix"].copy()
    call = small.plan.bind_pre(**dict(small.pre, fn=DlpackOnly(small.pre["fn"]),
                                      post_mix=DlpackOnly(small.pre["post_mix"])))
    assert call.args.fn.data == small.pre["fn"].ctypes.data
    assert call.args.fn.size == small.pre["fn"].nbytes
    small.pre["post_mix"][:] = 0
    call()
    np.testing.assert_array_equal(small.pre["post_mix"], want)


class FakeDevice:
    """What a device tensor says of itself: __cuda_array_interface__."""

    def __init__(self, shape, strides=None, read_only=False):
        self.__cuda_array_interface__ = dict(shape=shape, strides=strides, typestr="<f4",
                                             data=(0x1000, read_only), version=3)


def test_cuda_array_interface():
    keep = []
    assert _buffers.describe(FakeDevice((3, 4)), keep, True) == (0x1000, 48, 4, 0,
                                                                 _buffers.DEVICE)
    assert _buffers.describe(FakeDevice((3, 4), (32, 4)), keep, True) == (
        0x1000, 80, 4, 8, _buffers.DEVICE)
    with pytest.raises(plait.ArrayError, match="read-only"):
        _buffers.describe(FakeDevice((3,), read_only=True), keep, True)


class Roaming(np.ndarray):
    """One type for device and host arrays, which always has a buffer protocol: as CuPy and JAX."""
    where = None

    @property
    def __cuda_array_interface__(self):
        if self.where is None:
            raise AttributeError("on the host")
        return dict(shape=self.shape, typestr="<f4", data=(self.where, False), version=3)


def test_one_type_on_device_and_host():
    value = np.zeros(6, np.float32).view(Roaming)
    assert _buffers.describe(value, [], True) == (value.ctypes.data, 24, 4, 0, _buffers.HOST)
    value.where = 0x2000
    assert _buffers.describe(value, [], True) == (0x2000, 24, 4, 0, _buffers.DEVICE)


def test_device_memory_is_refused_on_the_cpu(small):
    with pytest.raises(plait.ArrayError, match="base.*device memory"):
        small.plan.pre(**dict(small.pre, base=FakeDevice((24,))))


def test_ml_dtypes(small):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    value = small.residual.view(ml_dtypes.bfloat16)
    assert _buffers.pointer(value) == small.residual.ctypes.data
    small.plan.pre(**dict(small.pre, residual=value))


def test_torch(small):
    torch = pytest.importorskip("torch")
    value = torch.from_numpy(small.pre["base"])
    assert _buffers.pointer(value) == value.data_ptr() == small.pre["base"].ctypes.data
    small.plan.pre(**dict(small.pre, base=value))


def test_jax(small):
    jax = pytest.importorskip("jax")
    value = jax.numpy.asarray(small.pre["base"])
    assert _buffers.pointer(value) == value.unsafe_buffer_pointer()


# --- errors --------------------------------------------------------------------------------------

def test_error_has_name_argument_message(small):
    with pytest.raises(plait.BufferTooSmallError) as got:
        small.plan.pre(**dict(small.pre, comb_mix=np.zeros((1, 16), np.float32)))
    error = got.value
    assert error.name == "PLAIT_ERROR_BUFFER_TOO_SMALL" and error.argument == "comb_mix"
    assert error.code == _abi.PLAIT_ERROR_BUFFER_TOO_SMALL and error.message
    assert isinstance(error, (plait.CallerError, plait.Error)) and isinstance(error, ValueError)


def test_an_error_leaves_outputs_untouched(small):
    small.pre["post_mix"][:] = 9
    with pytest.raises(plait.NullArgumentError):
        small.plan.pre(**dict(small.pre, fn=None))
    assert np.all(small.pre["post_mix"] == 9)


def test_setup_errors_carry_the_record(context):
    with pytest.raises(plait.InvalidValueError) as got:
        plait.MhcPlan(context, hidden=-1)
    assert got.value.argument == "hidden" and "hidden" in str(got.value)
    with pytest.raises(plait.Error):
        plait.Context("cuda", backend_dir="/nowhere")
    assert plait.Context("cuda", backend_dir="/nowhere", policy="fallback").info.fallback_reason


def test_bad_keywords(context, small):
    with pytest.raises(TypeError, match="no option 'hiden'"):
        plait.MhcPlan(context, hiden=64)
    with pytest.raises(ValueError, match="bf17"):
        plait.MhcPlan(context, hidden=64, dtype="bf17")
    with pytest.raises(TypeError, match="no argument 'token'"):
        small.plan.pre(token=1)
    with pytest.raises(plait.CallerError):
        small.plan.pre(tokens=1 << 70)
    with pytest.raises(plait.InvalidValueError, match="tokens"):
        small.plan.pre(**dict(small.pre, tokens=-1))


def test_wrong_plan(context, small):
    with plait.TopkPlan(context, max_columns=8, k=2) as other:
        with pytest.raises(plait.WrongPlanError):
            plait.library().plait_mhc_pre(other._handle.value,
                                          small.plan.bind_pre(**small.pre).args, None)


def test_every_status_has_its_class():
    from plait._errors import BY_CODE
    codes = {int(s) for s in plait.Status if s}
    assert set(BY_CODE) == codes and len(set(BY_CODE.values())) == len(codes)


def test_explain_and_candidates(small):
    assert "mhc_pre" in small.plan.explain()
    listed = small.plan.candidates("mhc_pre")
    assert [c.chosen for c in listed].count(True) == 1 and listed[-1].name == "reference"
    with pytest.raises(plait.InvalidValueError):
        small.plan.candidates(plait.Op.TOPK)
    assert small.plan.kind == plait.PlanKind.MHC


# --- lifetimes -----------------------------------------------------------------------------------

def test_use_after_close(context, small):
    call = small.plan.bind_pre(**small.pre)
    small.plan.close()
    small.plan.close()
    for use in (call, lambda: small.plan.pre(**small.pre), lambda: small.plan.sizes(1),
                small.plan.explain, lambda: small.plan.bind_pre(**small.pre)):
        with pytest.raises(plait.ClosedError):
            use()
    other = plait.Context("cpu")
    other.close()
    with pytest.raises(plait.ClosedError):
        plait.MhcPlan(other, hidden=64)
    with pytest.raises(plait.ClosedError):
        other.info
    memory = context.memory(16)
    memory.close()
    with pytest.raises(plait.ClosedError):
        context.fill(memory)


def test_plan_outlives_its_context():
    lines = []
    context = plait.Context("cpu", log=lambda *line: lines.append(line))
    small = Small(context)
    context.close()
    del context
    gc.collect()
    small.plan.pre(**small.pre)
    assert np.any(small.pre["layer_input"])


def test_bound_call_keeps_its_arrays(context):
    def make():
        small = Small(context)
        out = np.zeros_like(small.pre["layer_input"])
        small.plan.pre(**dict(small.pre, layer_input=out))
        return small.plan.bind_pre(**small.pre), small.pre["layer_input"], out

    call, got, want = make()
    gc.collect()
    call()
    np.testing.assert_array_equal(got, want)


def test_call_takes_new_token_counts(small):
    call = small.plan.bind_pre(**small.pre)
    call.args.tokens = 2
    call()
    assert np.any(small.pre["layer_input"][1]) and not np.any(small.pre["layer_input"][2:])
    call.args.tokens = 0
    small.pre["layer_input"][:] = 5
    call()
    assert np.all(small.pre["layer_input"] == 5)


def test_in_place(small):
    small.plan.post(**small.post)
    residual = small.residual.copy()
    small.plan.post(**dict(small.post, residual=residual, residual_out=residual))
    np.testing.assert_array_equal(residual, small.post["residual_out"])


def test_two_threads_one_plan(context, small):
    small.plan.pre(**small.pre)
    failures = []

    def work():
        mine = dict(small.pre, workspace=small.plan.workspace(small.tokens),
                    **{n: np.zeros_like(small.pre[n])
                       for n in ("post_mix", "comb_mix", "layer_input")})
        for _ in range(200):
            small.plan.pre(**mine)
            for name in ("post_mix", "comb_mix", "layer_input"):
                if not np.array_equal(mine[name], small.pre[name]):
                    failures.append(name)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_close_while_another_thread_calls(context):
    """The handle is destroyed after the last call that uses it."""
    for _ in range(20):
        small = Small(context, tokens=64)
        call, calls = small.plan.bind_pre(**small.pre), []

        def work():
            try:
                while True:
                    call()
                    calls.append(1)
            except plait.ClosedError:
                pass

        thread = threading.Thread(target=work)
        thread.start()
        while not calls:
            pass
        small.plan.close()
        thread.join(timeout=30)
        assert not thread.is_alive()


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_no_leak_over_1e5_cycles():
    with plait.Context("cpu", threads=1) as context:
        def cycle(count):
            for _ in range(count):
                with plait.MhcPlan(context, hidden=64) as plan, plan.workspace(1):
                    pass

        def contexts(count):
            for _ in range(count):
                with plait.Context("cpu", threads=1):
                    pass

        cycle(2000), contexts(200)
        before = resident()
        cycle(90_000), contexts(10_000)
        gc.collect()
        assert resident() - before < 4 << 20


# --- device.h on the CPU --------------------------------------------------------------------------

def test_memory_stream_event(context):
    with context.memory(64) as memory, context.stream() as stream, context.event() as start, \
            context.event() as stop:
        start.record(stream)
        context.fill(memory, 7, stream=stream)
        stop.record(stream)
        got = np.zeros(64, np.uint8)
        context.copy(got, memory, stream=stream)
        assert np.all(got == 7) and memory.data % 256 == 0
        context.copy(memory, np.arange(64, dtype=np.uint8), wait=False)
        stream.synchronize()
        context.copy(got, memory)
        assert np.array_equal(got, np.arange(64)) and start.elapsed(stop) >= 0
        with pytest.raises(plait.ArrayError, match="do not fit"):
            context.copy(np.zeros(3, np.uint8), memory)
        with pytest.raises(plait.UnsupportedOperationError):
            with context.capture(stream):
                pass


def test_handles_in_any_order(context):
    owner = plait.Context("cpu")
    memory = owner.memory(32)
    owner.close()
    memory.close()
