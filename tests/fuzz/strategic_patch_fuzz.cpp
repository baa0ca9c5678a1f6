/// Any strategic merge patch on a Deployment: refused, or a result without directives in merged
/// parts; never a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/base/assert.hpp"
#include "sandbox/patch/patch.hpp"

using davit::Result;
using namespace davit::sandbox;

/// The input is the object, a line end, and the patch.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  Result<Json> object = parse_json(text.substr(0, end));
  const Result<Json> patch = parse_json(text.substr(end + 1));
  if (!object || !object->is_object() || !patch) return 0;

  const Message* schema = find_schema("apps/v1", "Deployment");
  DAVIT_ASSERT(schema != nullptr);
  if (apply_strategic_patch(*object, *patch, *schema)) return 0;
  (void)to_text(*object);
  return 0;
}
