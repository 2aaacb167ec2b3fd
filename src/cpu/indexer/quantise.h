// SPDX-License-Identifier: MIT
#ifndef PLAIT_SRC_CPU_INDEXER_QUANTISE_H
#define PLAIT_SRC_CPU_INDEXER_QUANTISE_H

#include <plait/indexer.h>

namespace plait::cpu {

// quantise_row() of prepare.h with vectors: the same bytes.
void fast_quantise_row(const plait_indexer_plan_desc &p, const float *angles, const uint16_t *bf16,
                       uint8_t *values, uint8_t *scales);

}  // namespace plait::cpu

#endif
