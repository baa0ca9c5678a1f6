/// Two texts, an object and a patch with a line break between: every type of patch either refuses
/// or leaves an object that can be written; what has no order is the same when it is applied again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/assert.hpp"
#include "lib/kube/patch/apply.hpp"
#include "lib/kube/patch/patch.hpp"

namespace {
using namespace davit;

constexpr char kTime[] = "2026-01-01T00:00:00Z";

void check_writable(const Json& object) {
  const davit::Result<Json> again = parse_json(to_text(object));
  DAVIT_ASSERT(again.has_value() && *again == object);
}

void check_json_patch(Json object, const Json& patch) {
  if (apply_json_patch(object, patch)) return;
  check_writable(object);
}

void check_merge_patch(Json object, const Json& patch) {
  if (apply_merge_patch(object, patch)) return;
  check_writable(object);
  Json again = object;
  DAVIT_ASSERT(!apply_merge_patch(again, patch));
  DAVIT_ASSERT(again == object);
}

void check_strategic_patch(Json object, const Json& patch, const Message& pod) {
  if (apply_strategic_patch(object, patch, pod)) return;
  check_writable(object);
}

void check_apply(Json object, const Json& applied, const Message* schema) {
  const FieldManager manager{"fuzz", "v1", "", kTime};
  const ApplyOutcome outcome = server_side_apply(object, applied, schema, manager, Force::kYes);
  if (outcome.error) return;
  DAVIT_ASSERT(outcome.conflicts.empty());  // They are overruled.
  check_writable(object);
  Json again = object;
  const ApplyOutcome second = server_side_apply(again, applied, schema, manager, Force::kNo);
  DAVIT_ASSERT(!second.error && second.conflicts.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Message& pod = *find_schema("v1", "Pod");
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == text.npos) return 0;
  davit::Result<Json> object = parse_json(text.substr(0, line));
  const davit::Result<Json> patch = parse_json(text.substr(line + 1));
  if (!object || !patch) return 0;
  check_json_patch(*object, *patch);
  check_merge_patch(*object, *patch);
  // The server brings both into the form of their kind before these two.
  FieldFindings findings;
  Json typed_patch = *patch;
  if (!conform(pod, *object, findings).ok()) return 0;
  check_strategic_patch(*object, *patch, pod);
  if (!conform(pod, typed_patch, findings).ok()) return 0;
  check_apply(*object, typed_patch, &pod);
  return 0;
}
