#include "sandbox/patch/last_applied.hpp"

#include <string>

namespace davit::sandbox {

namespace {

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

}  // namespace

FieldSet fields_as_last_applied(const Json& live, const Message* schema, const ResetFields& reset) {
  const Result<Json> last = parse_json(live.text_at({"metadata", "annotations", kAnnotation}));
  if (!last || !last->is_object()) return {};
  const Comparison changes = compare_objects(*last, live, schema, reset);
  return difference_of(difference_of(fields_of(*last, schema, reset), changes.changed),
                       changes.removed);
}

void update_last_applied(Json& object, const Json& applied) {
  Json* annotations = object.at({"metadata", "annotations"});
  if (annotations == nullptr || annotations->get(kAnnotation).text().empty()) return;
  Json said = applied;
  if (Json* metadata = said.find("metadata")) {
    metadata->erase("managedFields");
    if (Json* own = metadata->find("annotations")) {
      own->erase(kAnnotation);
      if (own->size() == 0) metadata->erase("annotations");
    }
  }
  annotations->set(kAnnotation, to_canonical_text(said) + '\n');
}

}  // namespace davit::sandbox
