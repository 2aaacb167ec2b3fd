// SPDX-License-Identifier: MIT
// The CPU's implementations, one pair an operation: `fast` (SIMD, threads) and `reference` (scalar,
// double accumulation). Each is defined in src/cpu/<op>/.
#ifndef PLAIT_SRC_CPU_LISTS_H
#define PLAIT_SRC_CPU_LISTS_H

#include "src/backend.h"

namespace plait::cpu {

ImplementationList list(int32_t op);

// Fills arch ("AVX2") and wave_size (f32 lanes) of the SIMD target that dispatch will choose.
void describe_simd(DeviceInfo &info);

namespace mhc_pre {
extern const Implementation fast, reference;
}
namespace mhc_post {
extern const Implementation fast, reference;
}
namespace mhc_post_pre {
extern const Implementation fast, reference;
}
namespace mhc_head {
extern const Implementation fast, reference;
}
namespace mhc_expand {
extern const Implementation fast, reference;
}
namespace quantize_q {
extern const Implementation fast, reference;
}
namespace write_k {
extern const Implementation fast, reference;
}
namespace gather_k {
extern const Implementation reference;
}
namespace convert_k {
extern const Implementation reference;
}
namespace convert_cache {
extern const Implementation reference;
}
namespace logits_ragged {
extern const Implementation fast, reference;
}
namespace logits_paged {
extern const Implementation fast, reference;
}
namespace select_ragged {
extern const Implementation fast, reference;
}
namespace select_paged {
extern const Implementation fast, reference;
}
namespace map_slots {
extern const Implementation reference;
}
namespace topk {
extern const Implementation fast, reference;
}
namespace topk_merge {
extern const Implementation fast, reference;
}

}  // namespace plait::cpu

#endif
