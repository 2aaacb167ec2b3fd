// SPDX-License-Identifier: MIT
// How pre is spread over the threads. The sums of a token have one order, whichever way is taken:
// chunk by chunk, a chunk being columns of one stream (see products.h), column block after column
// block and within it stream after stream.
//
//     many tokens   tiles of tokens; a thread does all chunks of its tile, then mixes and collapse
//     few tokens    fn is most of the traffic, so each thread takes some of the chunks for all
//                   tokens and leaves their partial sums; then tokens over the threads
#include "src/cpu/mhc/pre.h"

#include "src/cpu/mhc/post.h"
#include "src/cpu/mhc/products.h"

namespace plait::cpu::mhc {
namespace {

constexpr int64_t kFewTokens = 16;

constexpr int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// Carves scratch, and measures it when the base is nullptr.
class Arena {
 public:
  explicit Arena(void *base) : base_(static_cast<char *>(base)) {}
  template <class T>
  T *take(int64_t count) {
    char *at = base_ ? base_ + used_ : nullptr;
    used_ += aligned(count * static_cast<int64_t>(sizeof(T)));
    return static_cast<T *>(static_cast<void *>(at));
  }
  int64_t used() const { return used_; }

 private:
  char *base_;
  int64_t used_ = 0;
};

// Of one thread.
struct Scratch {
  Scratch(Arena &arena, int32_t rows)
      : product(arena.take<float>(kProductScratch)),
        partial(arena.take<float>(kTileTokens * rows * kParts)),
        chunk_squares(arena.take<double>(kTileTokens)),
        sums(arena.take<double>(kTileTokens * rows * kParts)),
        squares(arena.take<double>(kTileTokens)) {}
  float *product, *partial;
  double *chunk_squares, *sums, *squares;
};

// Of the call, where tokens are few.
struct ChunkSums {
  ChunkSums(Arena &arena, int64_t chunks, int64_t tokens, int32_t rows)
      : partial(arena.take<float>(chunks * tokens * rows * kParts)),
        squares(arena.take<double>(chunks * tokens)) {}
  float *partial;   // [chunk, token, row, part]
  double *squares;  // [chunk, token]
};

int64_t chunk_count(const plait_mhc_plan_desc &p) {
  return ((p.hidden - 1) / kChunk + 1) * p.hc_mult;
}

int64_t scratch_bytes(int32_t rows) {
  Arena arena(nullptr);
  const Scratch scratch(arena, rows);
  return arena.used();
}

ProductChunk product_of(const plait_mhc_plan_desc &p, const PreJob &job, int64_t chunk,
                        int64_t first_token, int64_t tokens) {
  const int64_t stream = chunk % p.hc_mult, column = chunk / p.hc_mult * kChunk;
  ProductChunk c{};
  c.dtype = p.dtype;
  c.fn_dtype = p.fn_dtype;
  c.rows = job.rows;
  c.fn = element(p.fn_dtype, job.fn, stream * p.hidden + column);
  c.fn_stride = p.hc_mult * p.hidden;
  c.residual = element(p.dtype, job.residual,
                       first_token * job.residual_stride + stream * job.stream_stride + column);
  c.residual_stride = job.residual_stride;
  c.tokens = tokens;
  c.columns = p.hidden - column < kChunk ? p.hidden - column : kChunk;
  return c;
}

// Mixes and collapse of up to kMixLanes tokens; sums == nullptr: the collapse alone.
void finish(const plait_mhc_plan_desc &p, const PreJob &job, int64_t first, int64_t tokens,
            const double *sums, const double *squares) {
  const int32_t n = p.hc_mult;
  float pre[kMixLanes * PLAIT_MHC_MAX_STREAMS];
  const auto at = [first](const MixOutput &out) {
    return MixOutput{out.data ? out.data + first * out.stride : nullptr, out.stride};
  };
  if (sums) {
    MixBatch batch{&p,   job.base, job.scale, job.rows,     tokens,
                   sums, squares,  {pre, n},  at(job.post), at(job.comb)};
    mix_batch(batch);
    const MixOutput out = at(job.pre);
    for (int64_t t = 0; out.data && t < tokens; ++t)
      for (int32_t i = 0; i < n; ++i) out.data[t * out.stride + i] = pre[t * n + i];
  }
  for (int64_t t = 0; t < tokens; ++t) {
    CollapseRow row{};
    row.dtype = p.dtype;
    row.n = n;
    row.hidden = p.hidden;
    row.residual = element(p.dtype, job.residual, (first + t) * job.residual_stride);
    row.residual_stride = job.stream_stride;
    row.pre = !job.delayed   ? pre + t * n
              : job.prev_pre ? job.prev_pre + (first + t) * job.prev_pre_stride
                             : nullptr;
    row.weight_dtype = p.norm_weight_dtype;
    row.weight = job.norm_weight;
    row.norm_eps = p.norm_eps;
    row.out = element(p.dtype, job.out, (first + t) * job.out_stride);
    collapse_row(row);
  }
}

void few_tokens(const Device &device, const plait_mhc_plan_desc &p, const PreJob &job) {
  const int64_t chunks = chunk_count(p), tokens = job.tokens, per_token = job.rows * kParts;
  Arena arena(job.workspace);
  const ChunkSums parts(arena, chunks, tokens, job.rows);
  char *const scratches = arena.take<char>(device.info.threads * scratch_bytes(job.rows));
  if (job.post_args) run_post(device, p, *job.post_args);
  parallel_for_workers(device, chunks, 1, [&](int64_t worker, int64_t begin, int64_t end) {
    Arena own(scratches + worker * scratch_bytes(job.rows));
    const Scratch scratch(own, job.rows);
    for (int64_t chunk = begin; chunk < end; ++chunk)
      product_chunk(product_of(p, job, chunk, 0, tokens), scratch.product,
                    parts.partial + chunk * tokens * per_token, parts.squares + chunk * tokens);
  });
  parallel_for_workers(device, tokens, 1, [&](int64_t worker, int64_t begin, int64_t end) {
    Arena own(scratches + worker * scratch_bytes(job.rows));
    const Scratch scratch(own, job.rows);
    for (int64_t t = begin; t < end; ++t) {
      double squares = 0;
      for (int64_t k = 0; k < per_token; ++k) scratch.sums[k] = 0;
      for (int64_t chunk = 0; chunk < chunks; ++chunk) {
        add_partial(parts.partial + (chunk * tokens + t) * per_token, per_token, scratch.sums);
        squares += parts.squares[chunk * tokens + t];
      }
      finish(p, job, t, 1, scratch.sums, &squares);
    }
  });
}

void tile(const plait_mhc_plan_desc &p, const PreJob &job, const Scratch &scratch, int64_t first,
          int64_t tokens) {
  const int64_t chunks = chunk_count(p), per_token = job.rows * kParts;
  for (int64_t k = 0; k < tokens * per_token; ++k) scratch.sums[k] = 0;
  for (int64_t t = 0; t < tokens; ++t) scratch.squares[t] = 0;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const ProductChunk product = product_of(p, job, chunk, first, tokens);
    if (job.post_args && chunk % p.hc_mult == 0) {
      // The columns that the next n chunks read, while they are in the caches.
      const int64_t column = chunk / p.hc_mult * kChunk;
      for (int64_t t = first; t < first + tokens; ++t)
        post_row(post_token(p, *job.post_args, t), column, column + product.columns);
    }
    product_chunk(product, scratch.product, scratch.partial, scratch.chunk_squares);
    add_partial(scratch.partial, tokens * per_token, scratch.sums);
    for (int64_t t = 0; t < tokens; ++t) scratch.squares[t] += scratch.chunk_squares[t];
  }
  for (int64_t t = 0; t < tokens; t += kMixLanes)
    finish(p, job, first + t, tokens - t < kMixLanes ? tokens - t : kMixLanes,
           scratch.sums + t * per_token, scratch.squares + t);
}

}  // namespace

PreJob pre_job(const plait_mhc_plan_desc &problem, const plait_mhc_pre_args &a) {
  PreJob job{};
  job.tokens = a.tokens;
  job.residual = a.residual.data;
  job.residual_stride = a.residual_stride;
  job.stream_stride = a.broadcast ? 0 : problem.hidden;
  job.rows = problem.hc_mult * (problem.hc_mult + 2);
  job.fn = a.fn.data;
  job.base = static_cast<const float *>(a.base.data);
  job.scale = static_cast<const float *>(a.scale.data);
  job.pre = {static_cast<float *>(a.pre_mix.data), a.pre_mix_stride};
  job.post = {static_cast<float *>(a.post_mix.data), a.post_mix_stride};
  job.comb = {static_cast<float *>(a.comb_mix.data), a.comb_mix_stride};
  job.delayed = problem.collapse == PLAIT_MHC_COLLAPSE_DELAYED;
  job.prev_pre = static_cast<const float *>(a.prev_pre.data);
  job.prev_pre_stride = a.prev_pre_stride;
  job.norm_weight = a.norm_weight.data;
  job.out = a.layer_input.data;
  job.out_stride = a.layer_input_stride;
  job.workspace = a.workspace.data;
  return job;
}

int64_t pre_workspace(const Device &device, const plait_mhc_plan_desc &problem, int32_t rows,
                      int64_t tokens) {
  if (rows == 0 || tokens == 0) return 0;
  Arena arena(nullptr);
  const ChunkSums parts(arena, chunk_count(problem), tokens < kFewTokens ? tokens : kFewTokens,
                        rows);
  return arena.used() + device.info.threads * scratch_bytes(rows);
}

void run_pre(const Device &device, const plait_mhc_plan_desc &p, const PreJob &job) {
  if (!job.fn) {
    parallel_for(device, job.tokens, kMixLanes, [&](int64_t begin, int64_t end) {
      finish(p, job, begin, end - begin, nullptr, nullptr);
    });
    return;
  }
  if (job.tokens <= kFewTokens) return few_tokens(device, p, job);
  // Whole pairs of tokens, and about as many tiles for each thread.
  const int64_t share = (job.tokens - 1) / device.info.threads + 1, even = (share + 1) / 2 * 2;
  const int64_t grain = even < kTileTokens ? even : kTileTokens;
  char *const scratches = static_cast<char *>(job.workspace);
  parallel_for_workers(device, job.tokens, grain, [&](int64_t worker, int64_t begin, int64_t end) {
    Arena own(scratches + worker * scratch_bytes(job.rows));
    tile(p, job, Scratch(own, job.rows), begin, end - begin);
  });
}

}  // namespace plait::cpu::mhc
