#include "plugins/statefulset/semantic_equality.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <davit/kube/json_equal.hpp>
#include <string_view>

namespace davit::statefulset {
namespace {

struct Default {
  std::string_view member;
  std::string_view json;
};

/// Members of pod templates that have one default wherever they occur.
constexpr std::array kDefaults{
    Default{"defaultMode", "420"},
    Default{"dnsPolicy", R"("ClusterFirst")"},
    Default{"expirationSeconds", "3600"},
    Default{"failureThreshold", "3"},
    Default{"periodSeconds", "10"},
    Default{"protocol", R"("TCP")"},
    Default{"resources", "{}"},
    Default{"restartPolicy", R"("Always")"},
    Default{"scheme", R"("HTTP")"},
    Default{"schedulerName", R"("default-scheduler")"},
    Default{"securityContext", "{}"},
    Default{"successThreshold", "1"},
    Default{"terminationGracePeriodSeconds", "30"},
    Default{"terminationMessagePath", R"("/dev/termination-log")"},
    Default{"terminationMessagePolicy", R"("File")"},
    Default{"timeoutSeconds", "1"},
    Default{"volumeMode", R"("Filesystem")"},
};

/// Objects whose keys are data, where a name says nothing about a default.
constexpr std::array<std::string_view, 6> kMaps{"annotations", "labels",       "limits",
                                                "matchLabels", "nodeSelector", "requests"};

/// The member of a revision's template that makes it a patch.
constexpr std::string_view kPatchDirective = "$patch";

bool is_default(std::string_view member, Value value) {
  return std::any_of(kDefaults.begin(), kDefaults.end(), [&](const Default& each) {
    return each.member == member && json_equal(each.json, value);
  });
}

bool equal(std::string_view name, Value stored, Value present);

bool equal_objects(std::string_view name, Value stored, Value present) {
  for (const Member& member : stored.members()) {
    if (member.value.kind() == Kind::kNull) continue;
    if (name.empty() && member.key == kPatchDirective) continue;
    if (!equal(member.key, member.value, present[member.key])) return false;
  }
  const bool keys_are_data = std::find(kMaps.begin(), kMaps.end(), name) != kMaps.end();
  for (const Member& member : present.members()) {
    if (member.value.kind() == Kind::kNull) continue;
    const Value before = stored[member.key];
    if (before && before.kind() != Kind::kNull) continue;
    if (keys_are_data || !is_default(member.key, member.value)) return false;
  }
  return true;
}

/// `name`: the member that the values are in; empty for the template.
bool equal(std::string_view name, Value stored, Value present) {
  if (stored.kind() != present.kind()) return false;
  if (stored.kind() == Kind::kObject) return equal_objects(name, stored, present);
  if (stored.kind() != Kind::kArray) return stored == present;
  if (stored.count() != present.count()) return false;
  for (std::size_t i = 0; i < stored.count(); ++i) {
    if (!equal(name, stored.at(i), present.at(i))) return false;
  }
  return true;
}

}  // namespace

bool restores_to(Value stored_template, Value present_template) {
  return stored_template.kind() == Kind::kObject && equal({}, stored_template, present_template);
}

}  // namespace davit::statefulset
