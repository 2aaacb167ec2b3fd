// SPDX-License-Identifier: MIT
// Names for any integer, and the packing of a status.
#include <string.h>

#include "../common/env.h"
#include "../common/random.h"

static void names_of_codes(void **state) {
  (void)state;
  assert_string_equal(plait_status_name(PLAIT_OK), "PLAIT_OK");
  assert_string_equal(plait_status_name(PLAIT_ERROR_BUFFER_TOO_SMALL),
                      "PLAIT_ERROR_BUFFER_TOO_SMALL");
  assert_string_equal(plait_status_name(PLAIT_ERROR_INTERNAL), "PLAIT_ERROR_INTERNAL");
  assert_string_equal(plait_status_name(make_status(PLAIT_ERROR_STRIDE, PLAIT_ARG_COMB_MIX)),
                      "PLAIT_ERROR_STRIDE");
  static const int32_t codes[] = {
      PLAIT_OK,
      PLAIT_ERROR_NULL_ARGUMENT,
      PLAIT_ERROR_STRUCT_SIZE,
      PLAIT_ERROR_UNKNOWN_FIELD,
      PLAIT_ERROR_INVALID_VALUE,
      PLAIT_ERROR_SIZE_OVERFLOW,
      PLAIT_ERROR_BUFFER_TOO_SMALL,
      PLAIT_ERROR_MISALIGNED,
      PLAIT_ERROR_STRIDE,
      PLAIT_ERROR_OVERLAP,
      PLAIT_ERROR_RANGE,
      PLAIT_ERROR_INDEX_OUT_OF_RANGE,
      PLAIT_ERROR_WRONG_PLAN,
      PLAIT_ERROR_BUDGET_TOO_SMALL,
      PLAIT_ERROR_UNSUPPORTED_SHAPE,
      PLAIT_ERROR_UNSUPPORTED_DTYPE,
      PLAIT_ERROR_UNSUPPORTED_DEVICE,
      PLAIT_ERROR_UNSUPPORTED_OPERATION,
      PLAIT_ERROR_NOT_IN_BUILD,
      PLAIT_ERROR_NO_DEVICE,
      PLAIT_ERROR_BACKEND_VERSION,
      PLAIT_ERROR_OUT_OF_MEMORY,
      PLAIT_ERROR_THREADS,
      PLAIT_ERROR_DEVICE_RUNTIME,
      PLAIT_ERROR_LAUNCH,
      PLAIT_ERROR_INTERNAL,
  };
  const int count = sizeof codes / sizeof *codes;
  const char *unknown = plait_status_name(499);
  for (int i = 0; i < count; i++) {
    const char *name = plait_status_name(codes[i]);
    CHECK(strcmp(name, unknown) != 0, "%d has no name", (int)codes[i]);
    CHECK(strlen(plait_status_description(codes[i])) > 5, "%s has no description", name);
    for (int j = 0; j < i; j++)
      CHECK(strcmp(name, plait_status_name(codes[j])) != 0, "two codes are called %s", name);
  }
}

static void any_integer(void **state) {
  (void)state;
  random_state r = {1};
  static const int32_t edges[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, 99, 65535, 65536, INT32_MAX};
  for (int i = 0; i < 100000; i++) {
    const int32_t value = i < 9      ? edges[i]
                          : i < 2000 ? i - 1000
                                     : (int32_t)(uint32_t)random_bits(&r);
    assert_non_null(plait_status_name(value));
    assert_non_null(plait_status_description(value));
    assert_non_null(plait_argument_name(value));
    assert_non_null(plait_op_name(value));
    assert_true(strlen(plait_status_name(value)) > 0);
    if (value < 0)
      assert_int_equal(plait_status_code(value), value);
    else
      assert_int_equal(plait_status_code(value), value & 0xFFFF);
  }
}

static void packing(void **state) {
  (void)state;
  for (int32_t argument = 0; argument < 200; argument++) {
    const plait_status status = make_status(PLAIT_ERROR_OVERLAP, argument);
    assert_int_equal(plait_status_code(status), PLAIT_ERROR_OVERLAP);
    assert_int_equal(plait_status_argument(status), argument);
  }
  assert_int_equal(plait_status_argument(PLAIT_OK), 0);
}

static void names_of_arguments(void **state) {
  (void)state;
  assert_string_equal(plait_argument_name(PLAIT_ARG_NONE), "");
  assert_string_equal(plait_argument_name(PLAIT_ARG_COMB_MIX), "comb_mix");
  assert_string_equal(plait_argument_name(PLAIT_ARG_NEXT_COMB_MIX), "next_comb_mix");
  assert_string_equal(plait_argument_name(PLAIT_ARG_SELECT_BUDGET), "select_budget");
  assert_string_equal(plait_argument_name(PLAIT_ARG_EVENT), "event");
  assert_string_equal(plait_op_name(PLAIT_OP_MHC_POST_PRE), "mhc_post_pre");
  assert_string_equal(plait_op_name(PLAIT_OP_TOPK_MERGE), "topk_merge");
  assert_string_equal(plait_op_name(PLAIT_OP_COUNT), "");
}

static void version(void **state) {
  char text[32];
  (void)state;
  snprintf(text, sizeof text, "%d.%d.%d", PLAIT_VERSION_MAJOR, PLAIT_VERSION_MINOR,
           PLAIT_VERSION_PATCH);
  assert_string_equal(plait_version_string(), text);
  assert_int_equal(plait_version(), PLAIT_VERSION_MAJOR * 1000000 + PLAIT_VERSION_MINOR * 1000 +
                                        PLAIT_VERSION_PATCH);
  assert_int_equal(plait_abi_version(), PLAIT_ABI_VERSION);
}

static void error_record(void **state) {
  (void)state;
  plait_error error;
  memset(&error, 0xEE, sizeof error);
  plait_error_init(&error, sizeof error);
  assert_int_equal(error.struct_size, sizeof error);
  assert_int_equal(error.status, PLAIT_OK);
  assert_int_equal(error.native_code, 0);
  assert_string_equal(error.message, "");
  plait_error_init(NULL, sizeof error);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_codes), cmocka_unit_test(any_integer),
      cmocka_unit_test(packing),        cmocka_unit_test(names_of_arguments),
      cmocka_unit_test(version),        cmocka_unit_test(error_record),
  };
  return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
