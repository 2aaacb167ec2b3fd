// SPDX-License-Identifier: MIT
// Which implementations a GPU has for each operation, best first. This table is the policy.
#include "src/gpu/lists.h"

namespace plait::gpu {
namespace {

template <int32_t n>
struct Table {
  const Implementation *entries[n];
};

constexpr Table<1> kQuantizeQ{{&quantize_q::generic}};
constexpr Table<1> kWriteK{{&write_k::generic}};
constexpr Table<1> kGatherK{{&gather_k::generic}};
constexpr Table<1> kConvertK{{&convert_k::generic}};
constexpr Table<1> kConvertCache{{&convert_cache::generic}};
constexpr Table<1> kMapSlots{{&map_slots::generic}};
constexpr Table<3> kLogitsRagged{
    {&logits_ragged::sm90, &logits_ragged::tile, &logits_ragged::generic}};
constexpr Table<3> kLogitsPaged{{&logits_paged::sm90, &logits_paged::tile, &logits_paged::generic}};
constexpr Table<3> kSelectRagged{
    {&select_ragged::sm90, &select_ragged::tile, &select_ragged::generic}};
constexpr Table<3> kSelectPaged{{&select_paged::sm90, &select_paged::tile, &select_paged::generic}};
constexpr Table<2> kTopk{{&topk::filter, &topk::passes}};
constexpr Table<1> kTopkMerge{{&topk_merge::generic}};
#if defined(PLAIT_WITH_CUDA)
constexpr Table<3> kMhcPre{{&mhc_pre::sm90, &mhc_pre::generic, &mhc_pre::reference}};
constexpr Table<3> kMhcPostPre{
    {&mhc_post_pre::sm90, &mhc_post_pre::generic, &mhc_post_pre::reference}};
#else
constexpr Table<3> kMhcPre{{&mhc_pre::matrix, &mhc_pre::generic, &mhc_pre::reference}};
constexpr Table<3> kMhcPostPre{
    {&mhc_post_pre::matrix, &mhc_post_pre::generic, &mhc_post_pre::reference}};
#endif
constexpr Table<2> kMhcPost{{&mhc_post::generic, &mhc_post::reference}};
constexpr Table<2> kMhcHead{{&mhc_head::generic, &mhc_head::reference}};
constexpr Table<1> kMhcExpand{{&mhc_expand::generic}};

template <int32_t n>
ImplementationList as_list(const Table<n> &table) {
  return {table.entries, n};
}

}  // namespace

ImplementationList list(int32_t op) {
  switch (op) {
    case PLAIT_OP_QUANTIZE_Q: return as_list(kQuantizeQ);
    case PLAIT_OP_WRITE_K: return as_list(kWriteK);
    case PLAIT_OP_GATHER_K: return as_list(kGatherK);
    case PLAIT_OP_CONVERT_K: return as_list(kConvertK);
    case PLAIT_OP_CONVERT_CACHE: return as_list(kConvertCache);
    case PLAIT_OP_MAP_SLOTS: return as_list(kMapSlots);
    case PLAIT_OP_LOGITS_RAGGED: return as_list(kLogitsRagged);
    case PLAIT_OP_LOGITS_PAGED: return as_list(kLogitsPaged);
    case PLAIT_OP_SELECT_RAGGED: return as_list(kSelectRagged);
    case PLAIT_OP_SELECT_PAGED: return as_list(kSelectPaged);
    case PLAIT_OP_TOPK: return as_list(kTopk);
    case PLAIT_OP_TOPK_MERGE: return as_list(kTopkMerge);
    case PLAIT_OP_MHC_PRE: return as_list(kMhcPre);
    case PLAIT_OP_MHC_POST: return as_list(kMhcPost);
    case PLAIT_OP_MHC_POST_PRE: return as_list(kMhcPostPre);
    case PLAIT_OP_MHC_HEAD: return as_list(kMhcHead);
    case PLAIT_OP_MHC_EXPAND: return as_list(kMhcExpand);
    default: return {nullptr, 0};
  }
}

}  // namespace plait::gpu
