// SPDX-License-Identifier: MIT
// Logits on a GPU: which kernel takes which problem, and the two logits calls.
#include "src/gpu/logits.h"

#include "src/gpu/lists.h"

namespace plait::gpu {
namespace {

// What every kernel on matrix units asks of a shape.
plait_status fits_matrix_units(const plait_indexer_plan_desc &p, Reason &reason) {
  if (p.heads > 128) {
    reason.set("%d heads are more than 128", p.heads);
    return status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_HEADS);
  }
  if (p.head_dim != 64 && p.head_dim != 128) {
    reason.set("head_dim %d is neither 64 nor 128", p.head_dim);
    return status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_HEAD_DIM);
  }
  return PLAIT_OK;
}

plait_status sm90_can_run([[maybe_unused]] const Device &device,
                          [[maybe_unused]] const plait_indexer_plan_desc &p, Reason &reason) {
#if defined(PLAIT_WITH_CUDA)
  if (device.info.arch_major != 9) {
    reason.set("%s has no wgmma", device.info.arch);
    return status_of(PLAIT_ERROR_UNSUPPORTED_DEVICE, PLAIT_ARG_DEVICE);
  }
  if (p.format != PLAIT_FORMAT_FP8_E4M3FN) {
    reason.set("the matrix units read e4m3fn only");
    return status_of(PLAIT_ERROR_UNSUPPORTED_SHAPE, PLAIT_ARG_FORMAT);
  }
  return fits_matrix_units(p, reason);
#else
  reason.set("built for AMD");
  return status_of(PLAIT_ERROR_UNSUPPORTED_DEVICE, PLAIT_ARG_DEVICE);
#endif
}

hipError_t sm90_prepare(const Device &, [[maybe_unused]] const plait_indexer_plan_desc &p) {
#if defined(PLAIT_WITH_CUDA)
  return kernels::logits_sm90_prepare(p.heads, p.head_dim);
#else
  return hipErrorNotSupported;
#endif
}

hipError_t sm90_run([[maybe_unused]] const Device &device, const plait_indexer_plan_desc &,
                    [[maybe_unused]] const kernels::Logits &args, [[maybe_unused]] void *stream) {
#if defined(PLAIT_WITH_CUDA)
  return kernels::logits_sm90(args, device.info.compute_units, stream);
#else
  return hipErrorNotSupported;
#endif
}

// The matrix units of a device that logits_tile knows; false: none.
bool unit_of(const Device &device, kernels::LogitsUnit &unit) {
  const int32_t arch = device.info.arch_major;
#if defined(PLAIT_WITH_CUDA)
  if (arch < 8) return false;
  const bool fp8 = arch > 8 || device.info.arch_minor >= 9;
  unit = fp8 && arch != 9 ? kernels::LogitsUnit::sm89 : kernels::LogitsUnit::sm80;
  return true;
#else
  const auto is = [&](int32_t low, int32_t high) { return arch >= low && arch <= high; };
  if (arch == 0x90a)
    unit = kernels::LogitsUnit::gfx90a;
  else if (arch == 0x942)
    unit = kernels::LogitsUnit::gfx942;
  else if (arch == 0x950)
    unit = kernels::LogitsUnit::gfx950;
  else if (is(0x1100, 0x1103) || is(0x1150, 0x1153))
    unit = kernels::LogitsUnit::gfx11;
  else if (is(0x1200, 0x1201))
    unit = kernels::LogitsUnit::gfx12;
  else
    return false;
  return true;
#endif
}

// Whether the units read the format's bytes as they are.
bool reads_format(kernels::LogitsUnit unit, int32_t format) {
  if (unit == kernels::LogitsUnit::gfx942) return format == PLAIT_FORMAT_FP8_E4M3FNUZ;
  return format == PLAIT_FORMAT_FP8_E4M3FN &&
         (unit == kernels::LogitsUnit::gfx950 || unit == kernels::LogitsUnit::gfx12 ||
          unit == kernels::LogitsUnit::sm89);
}

plait_status tile_can_run(const Device &device, const plait_indexer_plan_desc &p, Reason &reason) {
  kernels::LogitsUnit unit;
  if (!unit_of(device, unit)) {
    reason.set("%s has no matrix units that plait knows", device.info.arch);
    return status_of(PLAIT_ERROR_UNSUPPORTED_DEVICE, PLAIT_ARG_DEVICE);
  }
  return fits_matrix_units(p, reason);
}

hipError_t tile_prepare(const Device &device, const plait_indexer_plan_desc &p) {
  kernels::LogitsUnit unit;
  if (!unit_of(device, unit)) return hipErrorNotSupported;
  return kernels::logits_tile_prepare(unit, reads_format(unit, p.format), p.head_dim,
                                      static_cast<size_t>(device.info.shared_bytes));
}

hipError_t tile_run(const Device &device, const plait_indexer_plan_desc &p,
                    const kernels::Logits &args, void *stream) {
  kernels::LogitsUnit unit;
  if (!unit_of(device, unit)) return hipErrorNotSupported;
  return kernels::logits_tile(unit, reads_format(unit, p.format), args, device.info.compute_units,
                              static_cast<size_t>(device.info.shared_bytes), stream);
}

plait_status any_can_run(const Device &, const plait_indexer_plan_desc &, Reason &) {
  return PLAIT_OK;
}
hipError_t generic_prepare(const Device &, const plait_indexer_plan_desc &) { return hipSuccess; }
hipError_t generic_run(const Device &, const plait_indexer_plan_desc &, const kernels::Logits &args,
                       void *stream) {
  return kernels::logits_generic(args, stream);
}

template <const LogitsKernel &kernel>
plait_status prepare(Device &device, const plait_indexer_plan_desc &p, Failure &failure) {
  const CurrentDevice current(device);
  if (current.status() != hipSuccess) return runtime(current.status(), "hipSetDevice", failure);
  return runtime(kernel.prepare(device, p), "hipFuncSetAttribute", failure);
}

template <const LogitsKernel &kernel>
plait_status can_run(const Device &device, const plait_indexer_plan_desc &p, Reason &reason) {
  return kernel.can_run(device, p, reason);
}

// What both calls do once the problem is in one shape.
template <const LogitsKernel &kernel, class Args>
plait_status compute(const Device &device, const plait_indexer_plan_desc &p, const Args &a,
                     kernels::Logits l, void *stream) {
  if (l.columns == 0 || l.rows == 0) return PLAIT_OK;
  l.logits = a.logits.data;
  l.stride = a.logits_stride;
  l.bf16 = p.logits_dtype == PLAIT_DTYPE_BF16;
  return run_on(device, [&] {
    if (a.fill)
      if (const hipError_t error = kernels::logits_fill(l, stream)) return error;
    return kernel.run(device, p, l, stream);
  });
}

template <const LogitsKernel &kernel>
plait_status run_ragged(const Device &device, const plait_indexer_plan_desc &p,
                        const plait_indexer_logits_ragged_args &a, void *stream) {
  return compute<kernel>(device, p, a, ragged_logits(p, a), stream);
}

template <const LogitsKernel &kernel>
plait_status run_paged(const Device &device, const plait_indexer_plan_desc &p,
                       const plait_indexer_logits_paged_args &a, void *stream) {
  return compute<kernel>(device, p, a, paged_logits(p, a), stream);
}

}  // namespace

const LogitsKernel kLogitsSm90{sm90_can_run, sm90_prepare, sm90_run};
const LogitsKernel kLogitsTile{tile_can_run, tile_prepare, tile_run};
const LogitsKernel kLogitsGeneric{any_can_run, generic_prepare, generic_run};

namespace logits_ragged {
using Op = Define<PLAIT_OP_LOGITS_RAGGED>;
const Implementation sm90 =
    Op::make<can_run<kLogitsSm90>, nullptr, run_ragged<kLogitsSm90>, prepare<kLogitsSm90>>("wgmma");
const Implementation tile =
    Op::make<can_run<kLogitsTile>, nullptr, run_ragged<kLogitsTile>, prepare<kLogitsTile>>(
        "matrix");
const Implementation generic = Op::make<nullptr, nullptr, run_ragged<kLogitsGeneric>>("generic");
}  // namespace logits_ragged

namespace logits_paged {
using Op = Define<PLAIT_OP_LOGITS_PAGED>;
const Implementation sm90 =
    Op::make<can_run<kLogitsSm90>, nullptr, run_paged<kLogitsSm90>, prepare<kLogitsSm90>>("wgmma");
const Implementation tile =
    Op::make<can_run<kLogitsTile>, nullptr, run_paged<kLogitsTile>, prepare<kLogitsTile>>("matrix");
const Implementation generic = Op::make<nullptr, nullptr, run_paged<kLogitsGeneric>>("generic");
}  // namespace logits_paged

}  // namespace plait::gpu
