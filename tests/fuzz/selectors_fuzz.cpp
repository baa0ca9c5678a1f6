/// Any text is either refused or becomes a selector; asked for twice it selects what it selects
/// asked for once.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/assert.hpp"
#include "lib/kube/label_selector.hpp"
#include "sandbox/kinds/resource.hpp"
#include "sandbox/rest/field_selector.hpp"
#include "sandbox/rest/resources.hpp"

namespace {
using namespace davit::sandbox;

/// The objects to select from.
struct World {
  World() {
    pod.ns = "default";
    pod.name = "web";
    pod.fields = {{"spec.nodeName", "node-0"}, {"status.phase", "Running"}};
  }
  const ResourceSet kinds{builtin_resources()};
  const std::vector<Pairs> labels = {{},
                                     {{"a", ""}},
                                     {{"a", "1"}, {"b", "x"}},
                                     {{"app", "web"}, {"example.com/tier", "front"}, {"n", "-3"}}};
  Version pod;
};

std::string twice(std::string_view text) { return std::string(text).append(",").append(text); }

void check_labels(std::string_view text, const World& world) {
  const davit::Result<davit::LabelSelector> once = davit::LabelSelector::parse(text);
  if (!once || once->empty()) return;
  const davit::Result<davit::LabelSelector> again = davit::LabelSelector::parse(twice(text));
  DAVIT_ASSERT(again.has_value());
  for (const Pairs& labels : world.labels) {
    DAVIT_ASSERT(once->matches(labels) == again->matches(labels));
  }
}

void check_fields(std::string_view text, const World& world) {
  const ResourcePtr pods = world.kinds.find("", "v1", "pods");
  const davit::Result<FieldSelector> once = FieldSelector::parse(text, *pods);
  if (!once || once->empty()) return;
  const davit::Result<FieldSelector> again = FieldSelector::parse(twice(text), *pods);
  DAVIT_ASSERT(again.has_value());
  DAVIT_ASSERT(once->matches(world.pod) == again->matches(world.pod));
  DAVIT_ASSERT(once->selects_one() == again->selects_one());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const World world;  // Made once: to make it takes far longer than to parse a selector.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_labels(text, world);
  check_fields(text, world);
  return 0;
}
