/// Any JSON is either refused with its place or becomes rules, whose own text reads as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/base/assert.hpp"
#include "sandbox/faults/fault_rule.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace davit;
  using namespace davit::sandbox;
  const davit::Result<Json> json = parse_json({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  const davit::Result<FaultScript> script = parse_fault_script(*json);
  if (!script) {
    DAVIT_ASSERT(!script.error().message().empty());
    return 0;
  }
  for (const FaultRule& each : script->rules) {
    DAVIT_ASSERT(each.delay >= davit::Duration(0) && each.from >= davit::Duration(0));
    const davit::Result<FaultScript> again = parse_fault_script(each.source);
    DAVIT_ASSERT(again.has_value() && again->rules.size() == 1);
    DAVIT_ASSERT(again->rules[0].kind == each.kind && again->rules[0].delay == each.delay);
  }
  return 0;
}
