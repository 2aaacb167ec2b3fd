/* SPDX-License-Identifier: MIT */
/**
 * @file plait.h
 * @brief The whole of plait: include this one.
 *
 * plait computes two families of operators of DeepSeek-V4-style models as plain functions on raw
 * pointers: manifold-constrained hyper-connections (mhc.h) and the sparse indexer (indexer.h,
 * topk.h).
 *
 * The life of a program:
 *
 *     context  = plait_context_create       one device
 *     plan     = plait_…_plan_create        shape, formats, constants: checked once, choice made
 * once sizes    = plait_…_plan_sizes         bytes of every buffer and of the workspace status   =
 * plait_mhc_pre(plan, &args, stream)    as often as wanted, from any thread
 *
 * @section classes Three classes of function
 * - **setup** may allocate, lock and (plait_context_create() alone) read the environment. It takes
 *   an optional #plait_error.
 * - **query** looks at host state only and has no side effect.
 * - **execute** enqueues work on the given stream and returns: no allocation, no lock, no
 *   synchronisation, no environment, no output. On a GPU it can be captured into a graph. The CPU
 *   backend computes before it returns and may wake the context's worker threads; calls on one
 *   context that come from several threads at once take turns for those workers.
 *
 * @section threads Four values of thread safety
 * - **any**: no shared state; any thread at any time.
 * - **shared**: the handle may be in use by any number of threads at once.
 * - **exclusive**: no other thread may use the same object during the call.
 * - **buffers**: as shared, when each concurrent call has its own workspace and its own outputs.
 *
 * @section structs Structs
 * Every struct begins with `struct_size`, the size its user was compiled with. A shorter struct
 * than the library's gets the defaults for the missing tail; a longer one is refused with
 * UNKNOWN_FIELD if the unknown tail is not all zero. Descriptors have an init function. Argument
 * structs have none: zero is the default of every optional field, so
 * `plait_mhc_pre_args args = {.struct_size = sizeof args, …}` is complete.
 *
 * @section buffers Buffers, strides, workspace
 * Tensors are row-major; the last dimensions are contiguous and the first has a stride in
 * **elements**, where 0 means contiguous. A buffer must hold `(count - 1) * stride + row` elements,
 * and is checked against its size before anything is written. Outputs may overlap no other buffer
 * of the call, except where a field says so. A workspace is aligned to 256 bytes, needs no
 * clearing, may be NULL when its size is 0, and may be reused as soon as the stream has passed the
 * call. An error leaves all outputs untouched.
 *
 * @section bits Bits
 * For one kind of device and one plan, a token's output bits depend on that token's inputs alone:
 * not on the token count, its position, the stream, the number of threads, or graph replay; and
 * fused calls return the bits of the separate ones.
 */
#ifndef PLAIT_PLAIT_H
#define PLAIT_PLAIT_H

#include <plait/context.h>
#include <plait/device.h>
#include <plait/indexer.h>
#include <plait/mhc.h>
#include <plait/status.h>
#include <plait/topk.h>
#include <plait/types.h>
#include <plait/version.h>

#endif
