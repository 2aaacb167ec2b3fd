/* SPDX-License-Identifier: MIT */
/* A small embedder in C99: one plan, one call, one value that is known beforehand. */
#include <math.h>
#include <plait/plait.h>
#include <stdio.h>
#include <string.h>

/* Through dlopen every function comes by its name; otherwise from the linked library. */
#ifdef CONSUMER_DLOPEN
#include <dlfcn.h>
static void *library;
static void get(const char *name, void *function) {
  void *symbol = dlsym(library, name);
  if (!symbol) printf("missing: %s\n", name);
  memcpy(function, &symbol, sizeof symbol);
}
#define GET(type, name, arguments) \
  type(*name) arguments;           \
  get("plait_" #name, &name)
#else
static void get(const char *name, const void *function) {
  if (!function) printf("missing: %s\n", name);
}
#define GET(type, name, arguments)      \
  type(*name) arguments = plait_##name; \
  get("plait_" #name, (const void *)&name)
#endif

enum { TOKENS = 3, N = 4, H = 8 };

int main(int argc, char **argv) {
  float x[TOKENS * H], residual[TOKENS * N * H], post_mix[TOKENS * N], out[TOKENS * N * H];
  plait_context *context = NULL;
  plait_plan *plan = NULL;
  plait_mhc_plan_desc desc;
  plait_mhc_post_args args;
  plait_error error;
  int32_t status;
  int i, wrong = 0;
#ifdef CONSUMER_DLOPEN
  if (argc != 2) return 2;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("%s\n", dlerror());
    return 2;
  }
#else
  (void)argc;
  (void)argv;
#endif
  {
    GET(int32_t, abi_version, (void));
    GET(const char *, version_string, (void));
    GET(void, error_init, (plait_error *, size_t));
    GET(plait_status, context_create,
        (const plait_context_desc *, plait_context **, plait_error *));
    GET(void, context_destroy, (plait_context *));
    GET(void, mhc_plan_desc_init, (plait_mhc_plan_desc *, size_t));
    GET(plait_status, mhc_plan_create,
        (plait_context *, const plait_mhc_plan_desc *, plait_plan **, plait_error *));
    GET(void, plan_destroy, (plait_plan *));
    GET(plait_status, mhc_post, (const plait_plan *, const plait_mhc_post_args *, void *));

    if (abi_version() != PLAIT_ABI_VERSION) return 3;
    printf("plait %s\n", version_string());
    error_init(&error, sizeof error);
    status = context_create(NULL, &context, &error);
    if (status) {
      printf("context: %s\n", error.message);
      return 4;
    }
    mhc_plan_desc_init(&desc, sizeof desc);
    desc.hidden = H;
    desc.dtype = PLAIT_DTYPE_F32;
    status = mhc_plan_create(context, &desc, &plan, &error);
    if (status) {
      printf("plan: %s\n", error.message);
      return 5;
    }
    for (i = 0; i < TOKENS * H; i++) x[i] = (float)i;
    for (i = 0; i < TOKENS * N * H; i++) residual[i] = 100.0f;
    for (i = 0; i < TOKENS * N; i++) post_mix[i] = 0.5f;
    memset(&args, 0, sizeof args);
    args.struct_size = sizeof args;
    args.tokens = TOKENS;
    args.x.data = x;
    args.x.size = sizeof x;
    args.residual.data = residual;
    args.residual.size = sizeof residual;
    args.post_mix.data = post_mix;
    args.post_mix.size = sizeof post_mix;
    args.residual_out.data = out;
    args.residual_out.size = sizeof out;
    status = mhc_post(plan, &args, NULL);
    plan_destroy(plan);
    context_destroy(context);
  }
  if (status) return 6;
  for (i = 0; i < TOKENS * N * H; i++)
    wrong += out[i] != 100.0f + 0.5f * x[i / (N * H) * H + i % H];
  printf("%d wrong of %d\n", wrong, TOKENS * N * H);
  return wrong != 0;
}
