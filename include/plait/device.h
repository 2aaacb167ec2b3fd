/* SPDX-License-Identifier: MIT */
/**
 * @file device.h
 * @brief Memory, streams, events and graphs for programs without a device runtime of their own.
 *
 * A serving stack has all of this already and passes its own pointers and streams. Tests, tools,
 * examples and foreign-language programs that link only plait can use these instead; with them the
 * same program runs on the CPU backend and on a GPU. All are setup calls: they may allocate, lock
 * and wait. The calling thread's current device is left as it was.
 */
#ifndef PLAIT_DEVICE_H
#define PLAIT_DEVICE_H

#include <plait/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A recorded graph of execute calls. Opaque. */
typedef struct plait_graph plait_graph;

/**
 * @brief Memory on the context's device, aligned to 256 bytes at least; contents unspecified.
 * @param context  the context.
 * @param size     bytes; 0 gives NULL and #PLAIT_OK.
 * @param data     receives the pointer; NULL on failure.
 * @param error    optional record of a failure.
 * @return #PLAIT_OK; NULL_ARGUMENT; OUT_OF_MEMORY; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: shared.
 */
PLAIT_API plait_status plait_memory_alloc(plait_context *context, size_t size, void **data,
                                          plait_error *error);

/**
 * @brief Releases memory of plait_memory_alloc(). NULL does nothing. On a GPU it waits for the
 *        device.
 *
 * Class: setup. Thread safety: shared.
 */
PLAIT_API void plait_memory_free(plait_context *context, void *data);

/**
 * @brief Copies between any two places, host or device, after the work enqueued on `stream`, and
 *        waits for the copy.
 * @param context  the context.
 * @param dst      host or device memory.
 * @param src      host or device memory.
 * @param size     bytes.
 * @param stream   the stream it is ordered on.
 * @return #PLAIT_OK; NULL_ARGUMENT; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: shared.
 */
PLAIT_API plait_status plait_memory_copy(plait_context *context, void *dst, const void *src,
                                         size_t size, void *stream);

/**
 * @brief Sets every byte of device memory, in stream order, without waiting.
 *
 * @return #PLAIT_OK; NULL_ARGUMENT; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: shared.
 */
PLAIT_API plait_status plait_memory_fill(plait_context *context, void *dst, int32_t byte,
                                         size_t size, void *stream);

/**
 * @brief Copies device memory to device memory in stream order, without waiting.
 *
 * @return #PLAIT_OK; NULL_ARGUMENT; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: shared.
 */
PLAIT_API plait_status plait_memory_copy_async(plait_context *context, void *dst, const void *src,
                                               size_t size, void *stream);

/**
 * @brief Makes a stream that does not wait for the default stream. The CPU backend gives NULL.
 *
 * @return #PLAIT_OK; NULL_ARGUMENT; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: shared.
 */
PLAIT_API plait_status plait_stream_create(plait_context *context, void **stream,
                                           plait_error *error);

/**
 * @brief Releases a stream of plait_stream_create(). NULL does nothing.
 *
 * Class: setup. Thread safety: exclusive.
 */
PLAIT_API void plait_stream_destroy(plait_context *context, void *stream);

/**
 * @brief Waits until everything enqueued on a stream is done, and returns its first error.
 *
 * @return #PLAIT_OK; NULL_ARGUMENT; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: shared.
 */
PLAIT_API plait_status plait_stream_synchronize(plait_context *context, void *stream);

/**
 * @brief Makes an event: a point in time on a stream.
 *
 * @return #PLAIT_OK; NULL_ARGUMENT; OUT_OF_MEMORY; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: shared.
 */
PLAIT_API plait_status plait_event_create(plait_context *context, void **event, plait_error *error);

/**
 * @brief Releases an event. NULL does nothing.
 *
 * Class: setup. Thread safety: exclusive.
 */
PLAIT_API void plait_event_destroy(plait_context *context, void *event);

/**
 * @brief Records an event on a stream. The CPU backend notes the time of day.
 *
 * @return #PLAIT_OK; NULL_ARGUMENT; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: exclusive.
 */
PLAIT_API plait_status plait_event_record(plait_context *context, void *event, void *stream);

/**
 * @brief Waits for both events and gives the time between them.
 * @param context       the context.
 * @param start         the earlier event.
 * @param stop          the later one.
 * @param microseconds  receives the time.
 * @return #PLAIT_OK; NULL_ARGUMENT; DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: shared.
 */
PLAIT_API plait_status plait_event_elapsed(plait_context *context, void *start, void *stop,
                                           double *microseconds);

/**
 * @brief Begins recording what this thread enqueues on `stream` instead of running it.
 * @return #PLAIT_OK; NULL_ARGUMENT; UNSUPPORTED_OPERATION (the CPU backend); DEVICE_RUNTIME.
 *
 * Class: setup. Thread safety: exclusive.
 */
PLAIT_API plait_status plait_graph_begin(plait_context *context, void *stream, plait_error *error);

/**
 * @brief Ends recording and makes the graph ready to launch.
 * @param context  the context.
 * @param stream   as given to plait_graph_begin().
 * @param graph    receives the graph; NULL on failure. Release with plait_graph_destroy().
 * @param error    optional record of a failure.
 * @return as plait_graph_begin(); OUT_OF_MEMORY.
 *
 * Class: setup. Thread safety: exclusive.
 */
PLAIT_API plait_status plait_graph_end(plait_context *context, void *stream, plait_graph **graph,
                                       plait_error *error);

/**
 * @brief Enqueues a graph on a stream.
 *
 * @return #PLAIT_OK; NULL_ARGUMENT; LAUNCH.
 *
 * Class: setup. Thread safety: exclusive.
 */
PLAIT_API plait_status plait_graph_launch(plait_context *context, plait_graph *graph, void *stream);

/**
 * @brief Releases a graph. NULL does nothing.
 *
 * Class: setup. Thread safety: exclusive.
 */
PLAIT_API void plait_graph_destroy(plait_context *context, plait_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
