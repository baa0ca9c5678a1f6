/// Any text is either refused or becomes a tree whose text reads as an equal tree; brought into the
/// form of some kind it stays what it is, however often.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/assert.hpp"
#include "lib/kube/schema/schema.hpp"

namespace {
using namespace davit;

struct Kind {
  std::string_view api_version;
  std::string_view kind;
};
constexpr Kind kKinds[] = {{"v1", "Pod"},       {"v1", "Node"},
                           {"v1", "Secret"},    {"apps/v1", "StatefulSet"},
                           {"batch/v1", "Job"}, {"coordination.k8s.io/v1", "Lease"}};

void check_conform(const Message& type, Json object) {
  FieldFindings findings;
  if (!conform(type, object, findings).ok()) return;
  const std::string text = to_text(object);
  findings = {};
  DAVIT_ASSERT(conform(type, object, findings).ok());
  DAVIT_ASSERT(findings.unknown.empty());
  DAVIT_ASSERT(to_text(object) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  JsonFindings findings;
  const davit::Result<Json> tree = parse_json(text, &findings);
  if (!tree) return 0;
  const davit::Result<Json> again = parse_json(to_text(*tree));
  DAVIT_ASSERT(again.has_value() && *again == *tree);
  DAVIT_ASSERT(parse_json(to_pretty_text(*tree)).has_value());
  for (const Kind& each : kKinds) check_conform(*find_schema(each.api_version, each.kind), *tree);
  return 0;
}
