// SPDX-License-Identifier: MIT
// Plans of any kind from one description.
#include <string.h>

#include "call.h"
#include "env.h"

void spec_init(plan_spec *spec, int32_t kind) {
  memset(spec, 0, sizeof *spec);
  spec->kind = kind;
  switch (kind) {
    case PLAIT_PLAN_MHC: plait_mhc_plan_desc_init(&spec->desc.mhc, sizeof spec->desc.mhc); break;
    case PLAIT_PLAN_INDEXER:
      plait_indexer_plan_desc_init(&spec->desc.indexer, sizeof spec->desc.indexer);
      break;
    default: plait_topk_plan_desc_init(&spec->desc.topk, sizeof spec->desc.topk); break;
  }
}

plait_status spec_create(plait_context *context, const plan_spec *spec, const char *implementation,
                         plait_plan **plan, plait_error *error) {
  plan_spec copy = *spec;
  switch (spec->kind) {
    case PLAIT_PLAN_MHC:
      copy.desc.mhc.implementation = implementation;
      return plait_mhc_plan_create(context, &copy.desc.mhc, plan, error);
    case PLAIT_PLAN_INDEXER:
      copy.desc.indexer.implementation = implementation;
      return plait_indexer_plan_create(context, &copy.desc.indexer, plan, error);
    default:
      copy.desc.topk.implementation = implementation;
      return plait_topk_plan_create(context, &copy.desc.topk, plan, error);
  }
}

plait_plan *spec_plan(plait_context *context, const plan_spec *spec, const char *implementation) {
  plait_error error;
  plait_plan *plan = NULL;
  plait_error_init(&error, sizeof error);
  const plait_status status = spec_create(context, spec, implementation, &plan, &error);
  CHECK(status == PLAIT_OK && plan, "plan (%s): %s: %s", implementation ? implementation : "best",
        status_text(status), error.message);
  return plan;
}

const char *usable_candidate(const plait_plan *plan, int32_t op, int index) {
  int usable = 0;
  for (int32_t i = 0;; i++) {
    plait_candidate candidate = {.struct_size = sizeof candidate};
    const plait_status status = plait_plan_candidate(plan, op, i, &candidate);
    if (plait_status_code(status) == PLAIT_ERROR_INVALID_VALUE) return NULL;
    CHECK(status == PLAIT_OK, "candidate %d of %s: %s", (int)i, plait_op_name(op),
          status_text(status));
    if (candidate.usable && usable++ == index) return candidate.name;
  }
}
