// SPDX-License-Identifier: MIT
// Which implementations the CPU has for each operation, best first. This table is the policy.
#include "src/cpu/lists.h"

namespace plait::cpu {
namespace {

template <int32_t n>
struct Table {
  const Implementation *entries[n];
};

constexpr Table<2> kMhcPre{{&mhc_pre::fast, &mhc_pre::reference}};
constexpr Table<2> kMhcPost{{&mhc_post::fast, &mhc_post::reference}};
constexpr Table<2> kMhcPostPre{{&mhc_post_pre::fast, &mhc_post_pre::reference}};
constexpr Table<2> kMhcHead{{&mhc_head::fast, &mhc_head::reference}};
constexpr Table<2> kMhcExpand{{&mhc_expand::fast, &mhc_expand::reference}};
constexpr Table<2> kQuantizeQ{{&quantize_q::fast, &quantize_q::reference}};
constexpr Table<2> kWriteK{{&write_k::fast, &write_k::reference}};
constexpr Table<1> kGatherK{{&gather_k::reference}};
constexpr Table<1> kConvertK{{&convert_k::reference}};
constexpr Table<1> kConvertCache{{&convert_cache::reference}};
constexpr Table<2> kLogitsRagged{{&logits_ragged::fast, &logits_ragged::reference}};
constexpr Table<2> kLogitsPaged{{&logits_paged::fast, &logits_paged::reference}};
constexpr Table<2> kSelectRagged{{&select_ragged::fast, &select_ragged::reference}};
constexpr Table<2> kSelectPaged{{&select_paged::fast, &select_paged::reference}};
constexpr Table<1> kMapSlots{{&map_slots::reference}};
constexpr Table<2> kTopk{{&topk::fast, &topk::reference}};
constexpr Table<2> kTopkMerge{{&topk_merge::fast, &topk_merge::reference}};

template <int32_t n>
ImplementationList as_list(const Table<n> &table) {
  return {table.entries, n};
}

}  // namespace

ImplementationList list(int32_t op) {
  switch (op) {
    case PLAIT_OP_MHC_PRE: return as_list(kMhcPre);
    case PLAIT_OP_MHC_POST: return as_list(kMhcPost);
    case PLAIT_OP_MHC_POST_PRE: return as_list(kMhcPostPre);
    case PLAIT_OP_MHC_HEAD: return as_list(kMhcHead);
    case PLAIT_OP_MHC_EXPAND: return as_list(kMhcExpand);
    case PLAIT_OP_QUANTIZE_Q: return as_list(kQuantizeQ);
    case PLAIT_OP_WRITE_K: return as_list(kWriteK);
    case PLAIT_OP_GATHER_K: return as_list(kGatherK);
    case PLAIT_OP_CONVERT_K: return as_list(kConvertK);
    case PLAIT_OP_CONVERT_CACHE: return as_list(kConvertCache);
    case PLAIT_OP_LOGITS_RAGGED: return as_list(kLogitsRagged);
    case PLAIT_OP_LOGITS_PAGED: return as_list(kLogitsPaged);
    case PLAIT_OP_SELECT_RAGGED: return as_list(kSelectRagged);
    case PLAIT_OP_SELECT_PAGED: return as_list(kSelectPaged);
    case PLAIT_OP_MAP_SLOTS: return as_list(kMapSlots);
    case PLAIT_OP_TOPK: return as_list(kTopk);
    case PLAIT_OP_TOPK_MERGE: return as_list(kTopkMerge);
    default: return {nullptr, 0};
  }
}

}  // namespace plait::cpu
