/// Any object and any JSON patch: refused, or a result that can be written and read again.
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
  if (!object || !patch) return 0;

  if (apply_json_patch(*object, *patch)) return 0;
  const Result<Json> again = parse_json(to_text(*object));
  DAVIT_ASSERT(again && *again == *object);
  return 0;
}
