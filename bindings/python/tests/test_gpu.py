# SPDX-License-Identifier: MIT
"""Device tensors of torch, CuPy and JAX, streams and graphs. Skipped where no GPU backend works."""
import numpy as np
import plait
import pytest
from conftest import Small
from plait import _buffers

BACKEND = next((b for b in ("hip", "cuda") if plait.probe(b).available), None)
pytestmark = pytest.mark.skipif(BACKEND is None, reason="no GPU backend works here")


@pytest.fixture(scope="module")
def device():
    with plait.Context(BACKEND) as context:
        yield context


@pytest.fixture(scope="module")
def want():
    """The same inputs on the CPU."""
    with plait.Context("cpu") as context:
        small = Small(context)
        small.plan.pre(**small.pre)
        return {name: small.pre[name].copy() for name in ("post_mix", "comb_mix", "layer_input")}


def near(got, want):
    for name in ("post_mix", "comb_mix"):
        np.testing.assert_allclose(got[name], want[name], rtol=0, atol=3e-6)


def host(array):
    return np.ascontiguousarray(array.cpu().numpy() if hasattr(array, "cpu") else array.get())


def on_device(small, move):
    return {name: move(value) if isinstance(value, np.ndarray) else value
            for name, value in small.pre.items()}


def test_torch(device, want):
    torch = pytest.importorskip("torch")
    small = Small(device)
    arguments = on_device(small, lambda a: torch.from_numpy(
        a.view(np.int16) if a.dtype == np.uint16 else a).cuda())
    call = small.plan.bind_pre(**arguments)
    assert call.args.fn.data == arguments["fn"].data_ptr()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        assert plait.torch_stream() == side.cuda_stream
        small.plan.pre(**arguments, stream=plait.torch_stream())
    side.synchronize()
    got = {name: host(arguments[name]) for name in want}
    near(got, want)
    for name in want:
        arguments[name].zero_()
    call(side)  # a torch stream object
    side.synchronize()
    for name in want:
        np.testing.assert_array_equal(host(arguments[name]), got[name])


def test_torch_graph(device):
    torch = pytest.importorskip("torch")
    small = Small(device)
    arguments = on_device(small, lambda a: torch.from_numpy(
        a.view(np.int16) if a.dtype == np.uint16 else a).cuda())
    small.plan.pre(**arguments, stream=plait.torch_stream())
    torch.cuda.synchronize()
    first = host(arguments["layer_input"])
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        small.plan.pre(**arguments, stream=plait.torch_stream())
    arguments["layer_input"].zero_()
    graph.replay()
    torch.cuda.synchronize()
    np.testing.assert_array_equal(host(arguments["layer_input"]), first)


def test_cupy(device, want):
    cupy = pytest.importorskip("cupy")
    small = Small(device)
    arguments = on_device(small, cupy.asarray)
    assert _buffers.pointer(arguments["fn"]) == arguments["fn"].data.ptr
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.get_current_stream().synchronize()
    small.plan.pre(**arguments, stream=stream)
    stream.synchronize()
    near({name: host(arguments[name]) for name in want}, want)


def test_jax(device, want):
    jax = pytest.importorskip("jax")
    torch = pytest.importorskip("torch")
    if jax.default_backend() == "cpu":
        pytest.skip("this jax has no GPU")
    small = Small(device)
    arguments = on_device(small, lambda a: torch.from_numpy(
        a.view(np.int16) if a.dtype == np.uint16 else a).cuda())
    arguments["fn"] = jax.numpy.asarray(small.pre["fn"])  # an input; jax's arrays are not written
    arguments["fn"].block_until_ready()
    assert _buffers.pointer(arguments["fn"]) == arguments["fn"].unsafe_buffer_pointer()
    small.plan.pre(**arguments)
    torch.cuda.synchronize()
    near({name: host(arguments[name]) for name in want}, want)


def test_host_memory_is_refused(device):
    small = Small(device)
    with pytest.raises(plait.ArrayError, match="host memory, but the plan is on a GPU"):
        small.plan.pre(**small.pre)


def test_without_another_runtime(device, want):
    """Memory, streams, events and a graph of plait's own."""
    small = Small(device)
    memory = {name: device.memory(value.nbytes) for name, value in small.pre.items()
              if isinstance(value, np.ndarray)}
    for name, m in memory.items():
        device.copy(m, small.pre[name])
    arguments = dict(memory, tokens=small.tokens, workspace=small.workspace)
    got = {name: np.empty_like(small.pre[name]) for name in want}
    with device.stream() as stream, device.event() as start, device.event() as stop:
        start.record(stream)
        small.plan.pre(**arguments, stream=stream)
        stop.record(stream)
        assert start.elapsed(stop) > 0
        for name in want:
            device.copy(got[name], memory[name], stream=stream)
        near(got, want)
        with device.capture(stream) as graph:
            small.plan.pre(**arguments, stream=stream)
        for name in want:
            device.fill(memory[name], 0, stream=stream)
        graph.launch(stream)
        for name in want:
            again = np.empty_like(got[name])
            device.copy(again, memory[name], stream=stream)
            np.testing.assert_array_equal(again, got[name])
