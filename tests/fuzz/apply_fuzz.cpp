/// Any live object and any intent: refused, in conflict, or applied; an intent that was applied
/// by force is in the object, and applying it again changes nothing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/base/assert.hpp"
#include "sandbox/patch/apply.hpp"

using davit::Result;
using namespace davit::sandbox;

/// The input is the live object, a line end, and the intent.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  Result<Json> live = parse_json(text.substr(0, end));
  const Result<Json> applied = parse_json(text.substr(end + 1));
  if (!live || !applied || !applied->is_object()) return 0;
  if (!live->is_object()) *live = Json();

  const Message* schema = find_schema("apps/v1", "Deployment");
  DAVIT_ASSERT(schema != nullptr);
  const FieldManager manager{
      .name = "fuzz", .api_version = "apps/v1", .subresource = "", .time = "2026-01-01T00:00:00Z"};
  const ApplyOutcome outcome = server_side_apply(*live, *applied, schema, manager, Force::kYes);
  if (outcome.error) return 0;
  DAVIT_ASSERT(outcome.conflicts.empty());

  Json written = *live;
  track_update(written, Json(), schema, manager);
  Json updated = *live;
  track_update(updated, *live, schema, manager);
  DAVIT_ASSERT(same_but_for_times(updated, *live));
  return 0;
}
