// SPDX-License-Identifier: MIT
// include/plait/device.h: passes on to the context's backend.
#include "src/plan.h"

using namespace plait;

namespace {

plait_status null(plait_error *error, int32_t argument) {
  return report(error, status_of(PLAIT_ERROR_NULL_ARGUMENT, argument), 0, "%s must not be NULL",
                plait_argument_name(argument));
}

plait_status absent(plait_error *error, const plait_context *context) {
  return report(error, PLAIT_ERROR_UNSUPPORTED_OPERATION, 0, "the %s backend has no graphs",
                context->backend->name);
}

plait_status done(plait_error *error, plait_status status, const Failure &failure) {
  return report(error, status, failure.native_code, "%s", failure.reason.text);
}

const DeviceApi &api(const plait_context *context) { return context->backend->api; }

}  // namespace

plait_status plait_memory_alloc(plait_context *context, size_t size, void **data,
                                plait_error *error) {
  if (!data) return null(error, PLAIT_ARG_RESULT);
  *data = nullptr;
  if (!context) return null(error, PLAIT_ARG_CONTEXT);
  Failure failure;
  if (size == 0) return done(error, PLAIT_OK, failure);
  return done(error, api(context).memory_alloc(*context->device, size, data, failure), failure);
}

void plait_memory_free(plait_context *context, void *data) {
  if (context && data) api(context).memory_free(*context->device, data);
}

plait_status plait_memory_copy(plait_context *context, void *dst, const void *src, size_t size,
                               void *stream) {
  if (!context) return null(nullptr, PLAIT_ARG_CONTEXT);
  if (size == 0) return PLAIT_OK;
  if (!dst) return null(nullptr, PLAIT_ARG_DST);
  if (!src) return null(nullptr, PLAIT_ARG_SRC);
  return api(context).memory_copy(*context->device, dst, src, size, stream);
}

plait_status plait_memory_copy_async(plait_context *context, void *dst, const void *src,
                                     size_t size, void *stream) {
  if (!context) return null(nullptr, PLAIT_ARG_CONTEXT);
  if (size == 0) return PLAIT_OK;
  if (!dst) return null(nullptr, PLAIT_ARG_DST);
  if (!src) return null(nullptr, PLAIT_ARG_SRC);
  return api(context).memory_copy_async(*context->device, dst, src, size, stream);
}

plait_status plait_memory_fill(plait_context *context, void *dst, int32_t byte, size_t size,
                               void *stream) {
  if (!context) return null(nullptr, PLAIT_ARG_CONTEXT);
  if (size == 0) return PLAIT_OK;
  if (!dst) return null(nullptr, PLAIT_ARG_DST);
  return api(context).memory_fill(*context->device, dst, byte, size, stream);
}

plait_status plait_stream_create(plait_context *context, void **stream, plait_error *error) {
  if (!stream) return null(error, PLAIT_ARG_RESULT);
  *stream = nullptr;
  if (!context) return null(error, PLAIT_ARG_CONTEXT);
  Failure failure;
  return done(error, api(context).stream_create(*context->device, stream, failure), failure);
}

void plait_stream_destroy(plait_context *context, void *stream) {
  if (context && stream) api(context).stream_destroy(*context->device, stream);
}

plait_status plait_stream_synchronize(plait_context *context, void *stream) {
  if (!context) return null(nullptr, PLAIT_ARG_CONTEXT);
  return api(context).stream_synchronize(*context->device, stream);
}

plait_status plait_event_create(plait_context *context, void **event, plait_error *error) {
  if (!event) return null(error, PLAIT_ARG_RESULT);
  *event = nullptr;
  if (!context) return null(error, PLAIT_ARG_CONTEXT);
  Failure failure;
  return done(error, api(context).event_create(*context->device, event, failure), failure);
}

void plait_event_destroy(plait_context *context, void *event) {
  if (context && event) api(context).event_destroy(*context->device, event);
}

plait_status plait_event_record(plait_context *context, void *event, void *stream) {
  if (!context) return null(nullptr, PLAIT_ARG_CONTEXT);
  if (!event) return null(nullptr, PLAIT_ARG_EVENT);
  return api(context).event_record(*context->device, event, stream);
}

plait_status plait_event_elapsed(plait_context *context, void *start, void *stop,
                                 double *microseconds) {
  if (!context) return null(nullptr, PLAIT_ARG_CONTEXT);
  if (!start || !stop) return null(nullptr, PLAIT_ARG_EVENT);
  if (!microseconds) return null(nullptr, PLAIT_ARG_RESULT);
  return api(context).event_elapsed(*context->device, start, stop, microseconds);
}

plait_status plait_graph_begin(plait_context *context, void *stream, plait_error *error) {
  if (!context) return null(error, PLAIT_ARG_CONTEXT);
  if (!api(context).graph_begin) return absent(error, context);
  Failure failure;
  return done(error, api(context).graph_begin(*context->device, stream, failure), failure);
}

plait_status plait_graph_end(plait_context *context, void *stream, plait_graph **graph,
                             plait_error *error) {
  if (!graph) return null(error, PLAIT_ARG_RESULT);
  *graph = nullptr;
  if (!context) return null(error, PLAIT_ARG_CONTEXT);
  if (!api(context).graph_end) return absent(error, context);
  Failure failure;
  void *made = nullptr;
  const plait_status status = api(context).graph_end(*context->device, stream, &made, failure);
  *graph = static_cast<plait_graph *>(made);
  return done(error, status, failure);
}

plait_status plait_graph_launch(plait_context *context, plait_graph *graph, void *stream) {
  if (!context) return null(nullptr, PLAIT_ARG_CONTEXT);
  if (!graph) return null(nullptr, PLAIT_ARG_GRAPH);
  if (!api(context).graph_launch) return absent(nullptr, context);
  return api(context).graph_launch(*context->device, graph, stream);
}

void plait_graph_destroy(plait_context *context, plait_graph *graph) {
  if (context && graph && api(context).graph_destroy)
    api(context).graph_destroy(*context->device, graph);
}
