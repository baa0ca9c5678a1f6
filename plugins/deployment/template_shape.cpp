#include "plugins/deployment/template_shape.hpp"

namespace davit::deployment {
namespace {

struct KnownField {
  std::string_view key;
  FieldKind kind;
};

// Everything in a PodTemplateSpec that is neither plain nor a list. But for a pod's own resources
// no two places use one of these names for different kinds.
constexpr KnownField kKnownFields[] = {
    {"metadata", FieldKind::kEmbedded},        {"spec", FieldKind::kEmbedded},
    {"resources", FieldKind::kEmbedded},       {"preference", FieldKind::kEmbedded},
    {"podAffinityTerm", FieldKind::kEmbedded}, {"labels", FieldKind::kMap},
    {"annotations", FieldKind::kMap},          {"nodeSelector", FieldKind::kMap},
    {"matchLabels", FieldKind::kMap},          {"volumeAttributes", FieldKind::kMap},
    {"limits", FieldKind::kQuantities},        {"requests", FieldKind::kQuantities},
    {"overhead", FieldKind::kQuantities},      {"sizeLimit", FieldKind::kOptionalQuantity},
    {"divisor", FieldKind::kQuantity},
};

}  // namespace

FieldKind field_kind(FieldKind parent, std::string_view key) {
  if (parent == FieldKind::kMap) return FieldKind::kPlain;
  if (parent == FieldKind::kQuantities) return FieldKind::kQuantity;
  if (parent == FieldKind::kPodSpec && key == "resources") return FieldKind::kPlain;
  for (const KnownField& field : kKnownFields) {
    if (field.key == key) return field.kind;
  }
  return FieldKind::kPlain;
}

}  // namespace davit::deployment
