/// Any schema that is structural takes any object: pruned, defaulted and checked without a crash,
/// and pruning or defaulting it again changes nothing.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/base/assert.hpp"
#include "sandbox/crd/structural_schema.hpp"

using davit::Result;
using namespace davit::sandbox;

/// The input is the schema, a line end, and the object.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const Result<Json> schema = parse_json(text.substr(0, end));
  Result<Json> object = parse_json(text.substr(end + 1));
  if (!schema || !object || !object->is_object()) return 0;
  FieldErrors errors;
  check_structural(*schema, "schema", errors);
  if (!errors.empty()) return 0;
  const auto compiled = compile_schema(*schema);
  if (!compiled) return 0;

  FieldFindings findings;
  prune(*object, **compiled, findings);
  FieldFindings again;
  prune(*object, **compiled, again);
  DAVIT_ASSERT(again.unknown.empty());
  fill_defaults(*object, **compiled);
  check_value(*object, **compiled, errors);
  return 0;
}
