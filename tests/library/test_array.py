"""Arrays in the memory of a GPU."""

import numpy as np
import pytest

import vc4sim
from vc4sim.workload.array_type import ELEMENTS


@pytest.fixture
def gpu():
    return vc4sim.Gpu()


@pytest.mark.parametrize("name", ELEMENTS)
def test_every_type_comes_back(gpu, name):
    values = np.random.default_rng(1).integers(0, 100, (3, 5)).astype(ELEMENTS[name])
    array = gpu.array(values)
    assert (array.dtype, array.shape, array.size, array.nbytes) == (values.dtype, (3, 5), 15, values.nbytes)
    assert np.array_equal(array.numpy(), values)
    assert array.numpy().dtype == values.dtype
    assert gpu.memory.read(array.address, array.nbytes) == values.tobytes()
    assert gpu.array(values.tolist(), name).numpy().dtype == values.dtype


def test_where_they_lie(gpu):
    first, second = gpu.array(np.zeros(1, np.uint8)), gpu.empty(100)
    fixed = gpu.empty(16, address=0x40004)
    low = gpu.empty(4, address=0x8000)
    third = gpu.empty(1)
    assert [one.address for one in (first, second, fixed, low)] == [0x10000, 0x10040, 0x40004, 0x8000]
    assert third.address == 0x10040 + 448
    assert (gpu.memory.base, len(gpu.memory)) == (0x8000, 0x40080 - 0x8000)
    second[:] = 1
    gpu.empty(1, address=0x1000)
    assert second.numpy().tolist() == [1] * 100


def test_numpy_takes_them(gpu):
    array = gpu.array(np.arange(16, dtype=np.int16))
    assert np.sum(array) == 120
    assert np.asarray(array, np.float64).dtype == np.float64
    copy = array.numpy()
    copy[:] = 0
    assert np.sum(array) == 120
    assert len(array) == 16
    with pytest.raises(ValueError, match="is copied"):
        np.array(array, copy=False)


def test_parts(gpu):
    array = gpu.array(np.arange(48, dtype=np.float32).reshape(3, 16))
    assert array[1].address == array.address + 64
    assert array[1].shape == (16,)
    assert array[1, 4:8].numpy().tolist() == [20, 21, 22, 23]
    assert array[2, 3].numpy() == 35
    assert array[-1][2].address == array.address + 4 * 34
    assert array[...].shape == (3, 16)
    array[:, 0] = [7, 8, 9]
    array[0, 1::2] = 0
    assert array.numpy()[:, 0].tolist() == [7, 8, 9]
    assert array[0].numpy()[:4].tolist() == [7, 0, 2, 0]
    with pytest.raises(vc4sim.BadInput, match="what lies together"):
        array[:, 0]
    with pytest.raises(vc4sim.BadInput, match="what lies together"):
        array[[0, 1]]
    with pytest.raises(IndexError):
        array[3]
    with pytest.raises(vc4sim.BadInput, match="1 to"):
        array[3:]


def test_memory_that_grows_keeps_arrays(gpu):
    array = gpu.array(np.arange(16, dtype=np.int32))
    part = array[4:8]
    gpu.empty(100_000)
    part[:] = -1
    assert array.numpy().tolist() == [0, 1, 2, 3, -1, -1, -1, -1, *range(8, 16)]


def test_order_and_bytes(gpu):
    values = np.arange(6, dtype=">i4").reshape(2, 3)
    assert gpu.array(np.asfortranarray(values)).numpy().tolist() == values.tolist()
    assert gpu.memory.read(gpu.array(values).address + 4, 4) == b"\1\0\0\0"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda gpu: gpu.array(np.arange(4.0)), "float64 is no type of elements of the GPU: there are f32, i32"),
        (lambda gpu: gpu.array([1, 2]), "int64 is no type"),
        (lambda gpu: gpu.array([True]), "bool is no type"),
        (lambda gpu: gpu.array([None]), "object is no type"),
        (lambda gpu: gpu.array(["a"], "f32"), "no array of the GPU: could not convert"),
        (lambda gpu: gpu.array([[1], [2, 3]], "f32"), "no array of the GPU"),
        (lambda gpu: gpu.array([300], "u8"), "no array of the GPU"),
        (lambda gpu: gpu.empty(4, "f33"), "'f33' is no type of elements: there are f32"),
        (lambda gpu: gpu.empty(0), "must have 1 to"),
        (lambda gpu: gpu.empty((1 << 20, 1 << 20)), "must have 1 to"),
        (lambda gpu: gpu.empty(-4), "must have 1 to"),
        (lambda gpu: gpu.empty(4, address=0x10002), "must lie at a multiple of 4"),
        (lambda gpu: (gpu.empty(16, address=0x20000), gpu.empty(4, address=0x20020)), "both want 0x00020020"),
        (lambda gpu: (gpu.empty(16, address=0), gpu.empty(16, address=0x8000000)), "larger than"),
        (lambda gpu: gpu.empty(16, address=-64), "at an address of 32 bits"),
        (lambda gpu: gpu.memory.read(0x10000, 4), "memory has no 4 bytes at 0x00010000"),
    ],
)
def test_arrays_that_cannot_be(gpu, make, text):
    with pytest.raises(vc4sim.BadInput, match=text):
        make(gpu)
