/* SPDX-License-Identifier: MIT */
/**
 * @file version.h
 * @brief Version numbers, and the visibility macro of the exported functions.
 */
#ifndef PLAIT_VERSION_H
#define PLAIT_VERSION_H

#include <stddef.h>
#include <stdint.h>

/** Marks a function that the shared object exports. Bindings do not need it. */
#if defined(_WIN32)
#define PLAIT_API
#elif defined(__GNUC__)
#define PLAIT_API __attribute__((visibility("default")))
#else
#define PLAIT_API
#endif

#define PLAIT_VERSION_MAJOR 0 /**< Changes when the API breaks. */
#define PLAIT_VERSION_MINOR 1 /**< Changes when the API grows. */
#define PLAIT_VERSION_PATCH 0 /**< Changes when only the inside does. */

/**
 * The number in the SONAME (`libplait.so.1`). It changes only when a program built against an
 * older header would break: structs grow at their tail and enumerators are only appended.
 */
#define PLAIT_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief The version of the library that is loaded: major * 1000000 + minor * 1000 + patch.
 *
 * Class: query. Thread safety: any.
 */
PLAIT_API int32_t plait_version(void);

/**
 * @brief The same as text, "0.1.0". Static storage.
 *
 * Class: query. Thread safety: any.
 */
PLAIT_API const char *plait_version_string(void);

/**
 * @brief #PLAIT_ABI_VERSION of the library that is loaded; compare it after dlopen.
 *
 * Class: query. Thread safety: any.
 */
PLAIT_API int32_t plait_abi_version(void);

#ifdef __cplusplus
}
#endif

#endif
