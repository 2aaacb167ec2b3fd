// SPDX-License-Identifier: MIT
#include "src/cli/case.h"

namespace plait::cli {

double Case::traffic() const {
  if (bytes > 0) return bytes;
  double sum = 0;
  for (const Tensor &t : inputs) sum += static_cast<double>(t.data.size());
  for (const Output &o : outputs)
    sum += static_cast<double>((o.rows ? o.rows : 1) * o.row) *
           static_cast<double>(element_size(o.element));
  return sum;
}

Bound::Bound(const Context &context, const Case &c, const plait_plan *plan,
             const std::vector<int64_t> *order)
    : rows_(order ? static_cast<int64_t>(order->size()) : c.rows) {
  for (const Tensor &input : c.inputs) {
    if (order) {
      const Tensor picked = input.pick(*order);
      memories_.emplace_back(picked.name, Memory(context, picked.data.size()));
      memories_.back().second.upload(picked.data.data(), picked.data.size());
    } else {
      memories_.emplace_back(input.name, Memory(context, input.data.size()));
      memories_.back().second.upload(input.data.data(), input.data.size());
    }
  }
  for (const Output &o : c.outputs) {
    // An output row may stand for a fraction or a multiple of the case's rows, never for less than
    // one: [rows, row] as the case says.
    const int64_t rows = o.rows ? rows_ : 1;
    memories_.emplace_back(
        o.name, Memory(context, static_cast<size_t>(rows * o.row) * element_size(o.element)));
  }
  workspace_ = Memory(context, c.workspace(plan, rows_));
  clear_outputs(context, c, nullptr);
  // The call may run on a stream that does not wait for the fills.
  check(plait_stream_synchronize(context.get(), nullptr), "synchronize");
}

const Memory *Bound::find(const char *name) const {
  for (const auto &item : memories_)
    if (item.first == name) return &item.second;
  return nullptr;
}

plait_const_buffer Bound::in(const char *name) const {
  const Memory *memory = find(name);
  return memory ? plait_const_buffer{memory->data(), memory->size()}
                : plait_const_buffer{nullptr, 0};
}

plait_buffer Bound::out(const char *name) const {
  const Memory *memory = find(name);
  return memory ? plait_buffer{memory->data(), memory->size()} : plait_buffer{nullptr, 0};
}

std::vector<Tensor> Bound::read_outputs(const Case &c) const {
  std::vector<Tensor> outputs;
  for (const Output &o : c.outputs) {
    outputs.emplace_back(o.name, o.element, o.rows ? rows_ : 0, o.row);
    find(o.name.c_str())->download(outputs.back().data.data(), outputs.back().data.size());
  }
  return outputs;
}

void Bound::clear_outputs(const Context &context, const Case &c, void *stream) {
  for (const Output &o : c.outputs) {
    const Memory *memory = find(o.name.c_str());
    if (memory->size())
      check(plait_memory_fill(context.get(), memory->data(), 0xAB, memory->size(), stream), "fill");
  }
}

Plan plan_of(const Case &c, const Context &context, const char *implementation) {
  plait_plan *plan = nullptr;
  plait_error error = no_error();
  check(c.make_plan(context.get(), implementation, &plan, &error), "plan", error);
  return Plan(plan);
}

std::string chosen(const plait_plan *plan, int32_t op) {
  plait_candidate candidate = {};
  candidate.struct_size = sizeof candidate;
  for (int32_t i = 0; plait_plan_candidate(plan, op, i, &candidate) == PLAIT_OK; ++i)
    if (candidate.chosen) return candidate.name;
  return "";
}

std::vector<std::string> usable(const plait_plan *plan, int32_t op) {
  std::vector<std::string> names;
  plait_candidate candidate = {};
  candidate.struct_size = sizeof candidate;
  for (int32_t i = 0; plait_plan_candidate(plan, op, i, &candidate) == PLAIT_OK; ++i)
    if (candidate.usable) names.push_back(candidate.name);
  return names;
}

Case make_case(int32_t op, const std::string &text) {
  Shape shape(text);
  Case c = op <= PLAIT_OP_MHC_EXPAND ? make_mhc_case(op, shape)
           : op >= PLAIT_OP_TOPK     ? make_topk_case(op, shape)
                                     : make_indexer_case(op, shape);
  shape.finish();
  c.op = op;
  c.label = shape.label();
  c.shape = shape.resolved();
  return c;
}

}  // namespace plait::cli
