#include "sandbox/crd/embedded_resources.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/kind_name.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {
namespace {

/// Why a text is not an apiVersion; empty: it is.
std::string version_violation(const std::string& text) {
  if (std::ranges::count(text, '/') <= 1) return "";
  return "unexpected GroupVersion string: " + text;
}

class EmbeddedCheck {
 public:
  explicit EmbeddedCheck(FieldErrors& errors) : errors_(errors) {}

  void walk(const Json& value, const SchemaNode& node, const FieldPath& path) {
    if (value.is_object()) {
      if (node.embedded_resource) resource(value, path);
      for (const auto& [name, each] : value.members()) {
        if (const SchemaNode* own = node.property(name)) {
          walk(each, *own, path.child(name));
        } else if (node.additional != nullptr) {
          walk(each, *node.additional, path.key(name));
        }
      }
    }
    if (!value.is_array() || node.items == nullptr) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      walk(value.items()[i], *node.items, path.index(i));
    }
  }

 private:
  void resource(const Json& value, const FieldPath& path) {
    type_part(value, "apiVersion", version_violation, path);
    type_part(value, "kind", kind_violation, path);
    if (const Json* metadata = value.find("metadata")) this->metadata(*metadata, path);
  }

  template <typename Violation>
  void type_part(const Json& value, const char* name, const Violation& violation,
                 const FieldPath& path) {
    const Json* part = value.find(name);
    if (part == nullptr) {
      errors_.push_back(field_required(path.text(name)));
      return;
    }
    std::string why = "must be a string";
    if (part->is_string())
      why = part->text().empty() ? "must not be empty" : violation(part->text());
    if (!why.empty()) errors_.push_back(field_invalid(path.text(name), *part, why));
  }

  void metadata(Json metadata, const FieldPath& path) {
    FieldFindings findings;
    const Status decoded = conform(object_meta_schema(), metadata, findings);
    if (!decoded.ok()) {
      errors_.push_back(field_invalid(path.text("metadata"), metadata, decoded.message()));
      return;
    }
    // An embedded resource needs no name.
    if (metadata.get("name").text().empty()) metadata.set("name", "fakename");
    const Scope scope =
        metadata.get("namespace").text().empty() ? Scope::kCluster : Scope::kNamespaced;
    check_metadata(metadata, NameRule::kPathSegment, scope, path.child("metadata"), errors_);
  }

  FieldErrors& errors_;
};

}  // namespace

void check_embedded_resources(const Json& object, const SchemaNode& schema, FieldErrors& errors) {
  EmbeddedCheck(errors).walk(object, schema, FieldPath());
}

}  // namespace davit::sandbox
