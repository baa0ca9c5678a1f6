#include "plugins/deployment/template_equality.hpp"

#include <davit/kube/quantity.hpp>
#include <davit/mutant.hpp>

#include "plugins/deployment/annotations.hpp"
#include "plugins/deployment/template_shape.hpp"

namespace davit::deployment {
namespace {

bool equal_members(const Value& a, const Value& b, FieldKind parent);

bool is_nothing(const Value& value) {
  return value.is_absent() || value.kind() == Kind::kNull ||
         (value.kind() == Kind::kArray && value.count() == 0);
}

std::optional<Quantity> quantity_of(const Value& value) {
  return is_nothing(value) ? Quantity() : Quantity::read(value);
}

bool equal_quantities(const Value& a, const Value& b) {
  if (a == b) return true;
  const std::optional<Quantity> left = quantity_of(a);
  const std::optional<Quantity> right = quantity_of(b);
  return left && right && *left == *right;
}

bool equal_values(const Value& a, const Value& b, FieldKind kind) {
  if (kind == FieldKind::kQuantity) return equal_quantities(a, b);
  const bool a_is_nothing = is_nothing(a);
  const bool b_is_nothing = is_nothing(b);
  if (a_is_nothing && b_is_nothing) return true;
  if (kind == FieldKind::kOptionalQuantity) {
    return a_is_nothing == b_is_nothing && equal_quantities(a, b);
  }
  if (a_is_nothing || b_is_nothing) {
    if (kind == FieldKind::kPlain) return false;
    return (a_is_nothing ? b : a).kind() == Kind::kObject && equal_members(a, b, kind);
  }
  if (a.kind() != b.kind()) return false;
  if (a.kind() == Kind::kObject) return equal_members(a, b, kind);
  if (a.kind() != Kind::kArray) return a == b;
  if (a.count() != b.count()) return false;
  for (std::size_t i = 0; i < a.count(); ++i) {
    if (!equal_values(a.at(i), b.at(i), FieldKind::kPlain)) return false;
  }
  return true;
}

/// Compares the union of the members; a side that is not an object has none.
bool equal_members(const Value& a, const Value& b, FieldKind parent) {
  const bool is_data = keys_are_data(parent);
  for (const Member& member : a.members()) {
    const Value other = b[member.key];
    if (is_data && other.is_absent()) return false;
    if (!equal_values(member.value, other, field_kind(parent, member.key))) return false;
  }
  for (const Member& member : b.members()) {
    if (!a[member.key].is_absent()) continue;
    if (is_data || !equal_values({}, member.value, field_kind(parent, member.key))) {
      return false;
    }
  }
  return true;
}

std::size_t labels_besides_hash(const Value& labels) {
  return labels.count() - (labels[kTemplateHash].is_absent() ? 0 : 1);
}

bool equal_labels(const Value& a, const Value& b) {
  if (labels_besides_hash(a) != labels_besides_hash(b)) return false;
  for (const Member& label : a.members()) {
    if (label.key == kTemplateHash && !mutant("template-hash")) continue;
    if (label.value != b[label.key]) return false;
  }
  return true;
}

bool equal_metadata(const Value& a, const Value& b) {
  constexpr FieldKind kMeta = FieldKind::kEmbedded;
  if (!equal_labels(a[&Names::labels], b[&Names::labels])) return false;
  for (const Member& member : a.members()) {
    if (member.key == "labels") continue;
    if (!equal_values(member.value, b[member.key], field_kind(kMeta, member.key))) return false;
  }
  for (const Member& member : b.members()) {
    if (member.key == "labels" || !a[member.key].is_absent()) continue;
    if (!equal_values({}, member.value, field_kind(kMeta, member.key))) return false;
  }
  return true;
}

}  // namespace

bool equal_templates(const Value& a, const Value& b) {
  if (!equal_metadata(a[&Names::metadata], b[&Names::metadata])) return false;
  const Value a_spec = a[&Names::spec];
  const Value b_spec = b[&Names::spec];
  // The host's comparison is cheaper, and nearly always true when the templates are equal.
  if (a_spec != b_spec && !equal_values(a_spec, b_spec, FieldKind::kPodSpec)) return false;
  for (const Member& member : a.members()) {
    if (member.key == "metadata" || member.key == "spec") continue;
    if (!equal_values(member.value, b[member.key], FieldKind::kPlain)) return false;
  }
  for (const Member& member : b.members()) {
    if (member.key == "metadata" || member.key == "spec") continue;
    if (a[member.key].is_absent() && !equal_values({}, member.value, FieldKind::kPlain)) {
      return false;
    }
  }
  return true;
}

}  // namespace davit::deployment
