// SPDX-License-Identifier: MIT
// The GPU's implementations, by operation. Each is defined in src/gpu/<op>.cpp.
#ifndef PLAIT_SRC_GPU_LISTS_H
#define PLAIT_SRC_GPU_LISTS_H

#include "src/backend.h"

namespace plait::gpu {

ImplementationList list(int32_t op);

namespace quantize_q {
extern const Implementation generic;
}
namespace write_k {
extern const Implementation generic;
}
namespace gather_k {
extern const Implementation generic;
}
namespace convert_k {
extern const Implementation generic;
}
namespace convert_cache {
extern const Implementation generic;
}
namespace map_slots {
extern const Implementation generic;
}
namespace logits_ragged {
extern const Implementation sm90, tile, generic;
}
namespace logits_paged {
extern const Implementation sm90, tile, generic;
}
namespace select_ragged {
extern const Implementation sm90, tile, generic;
}
namespace select_paged {
extern const Implementation sm90, tile, generic;
}
namespace topk {
extern const Implementation filter, passes;
}
namespace topk_merge {
extern const Implementation generic;
}
namespace mhc_pre {
// sm90 is in the CUDA build only, matrix in the HIP build only.
extern const Implementation sm90, matrix, generic, reference;
}  // namespace mhc_pre
namespace mhc_post {
extern const Implementation generic, reference;
}
namespace mhc_post_pre {
extern const Implementation sm90, matrix, generic, reference;
}
namespace mhc_head {
extern const Implementation generic, reference;
}
namespace mhc_expand {
extern const Implementation generic;
}

}  // namespace plait::gpu

#endif
