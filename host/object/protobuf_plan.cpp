#include "host/object/protobuf_plan.hpp"

#include <algorithm>

namespace davit::host {

namespace {

/// ObjectMeta.clusterName, which nothing ever set: servers before 1.24 send it empty.
constexpr std::uint32_t kClusterName = 15;

/// Zero differs from absent, or is written all the same. See `conform()`.
bool keeps_zero_of(const Field& field) {
  switch (field.type) {
    case FieldType::kString:
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kBoolean:
    case FieldType::kBytes:
    case FieldType::kDouble:
    case FieldType::kStrings:
      return field.pointer || field.always;
    default:
      return true;
  }
}

}  // namespace

const MessagePlan& ProtobufPlans::of(const Message& message, Mask mask, Role role) {
  const Key key(&message, mask, role);
  std::unique_ptr<MessagePlan>& plan = plans_[key];
  if (plan != nullptr) return *plan;
  plan = std::make_unique<MessagePlan>();
  plan->keeps_unknown_ = declares_unknown(message, mask);
  add_fields(*plan, message, message, key);
  return *plan;
}

bool ProtobufPlans::declares_unknown(const Message& message, Mask mask) const {
  if (mask == kFullMask) return true;
  std::size_t known = 0;
  for (const Field& field : message.fields) {
    if (space_.member_mask(mask, field.name) != kNothingMask) ++known;
  }
  return known < space_.member_count(mask);
}

void ProtobufPlans::add_fields(MessagePlan& plan, const Message& wire, const Message& whole,
                               const Key& key) {
  plan.message_ = &whole;
  if (!wire.wire.empty()) plan.fields_.resize(wire.wire.back().number + 1);
  for (const WireField& each : wire.wire) {
    FieldPlan& field = plan.fields_[each.number];
    if (each.inlined == nullptr) {
      field = plan_field(*each.field, whole, key);
      continue;
    }
    field.use = FieldPlan::Use::kInlined;
    MessagePlan& inlined = *inlined_.emplace_back(std::make_unique<MessagePlan>());
    inlined.keeps_unknown_ = plan.keeps_unknown_;
    add_fields(inlined, *each.inlined, whole, key);
    field.inlined = &inlined;
    plan.always_.insert(plan.always_.end(), inlined.always_.begin(), inlined.always_.end());
    plan.always_bits_ |= inlined.always_bits_;
  }
  if (&wire == &object_meta_schema() && plan.find(kClusterName).use == FieldPlan::Use::kUnknown) {
    plan.fields_[kClusterName].use = FieldPlan::Use::kSkipped;
  }
  for (const FieldPlan& field : plan.fields_) {
    if (field.use != FieldPlan::Use::kWritten || !field.field->always) continue;
    plan.always_.push_back(&field);
    plan.always_bits_ |= field.bit;
  }
}

FieldPlan ProtobufPlans::plan_field(const Field& field, const Message& whole, const Key& key) {
  const auto [message, mask, role] = key;
  FieldPlan plan{.use = FieldPlan::Use::kSkipped, .field = &field};
  plan.mask = space_.member_mask(mask, field.name);
  if (plan.mask == kNothingMask) return plan;
  if (role == Role::kObjectMetadata && field.name == "managedFields") return plan;
  plan.use = FieldPlan::Use::kWritten;
  plan.keeps_zero = keeps_zero_of(field);
  plan.name = space_.intern_data(field.name);
  plan.bit = std::uint64_t{1} << (whole.find(field.name) - whole.fields.data());
  if (field.shape == FieldShape::kList) plan.mask = space_.element_mask(plan.mask);
  if (field.type == FieldType::kMessage && field.shape == FieldShape::kOne &&
      role == Role::kObject && field.name == "metadata") {
    plan.message = &of(*field.message, plan.mask, Role::kObjectMetadata);
  }
  return plan;
}

}  // namespace davit::host
