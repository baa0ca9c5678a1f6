#include "plugins/resourcequota/quota_plan.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <utility>

#include "plugins/shared/pods/json_rewrite.hpp"

namespace davit::resourcequota {
namespace {

using pods::Replacement;

bool enforces_its_spec(const ResourceQuota& quota) {
  return read_resources<Amount>(quota.hard()) == read_resources<Amount>(quota.status_hard());
}

bool is_counted(const Registry& registry, std::string_view name,
                const quota::DeviceClasses& classes) {
  return std::any_of(registry.evaluators.begin(), registry.evaluators.end(),
                     [&](const auto& each) { return counts_for(each.first, name, classes); });
}

void write_amounts(JsonWriter& out, const Amounts& amounts) {
  out.begin_object();
  for (const auto& [name, amount] : amounts) out.member(name, amount.text());
  out.end_object();
}

void write_status(JsonWriter& out, const ResourceQuota& quota, const Amounts& used) {
  out.begin_object().key("hard");
  if (quota.hard()) {
    out.value(quota.hard());
  } else {
    out.begin_object().end_object();
  }
  write_amounts(out.key("used"), used);
  out.end_object();
}

}  // namespace

bool has_equal_hard(const ResourceQuota& a, const ResourceQuota& b) {
  return read_resources<Amount>(a.hard()) == read_resources<Amount>(b.hard());
}

Amounts plan_used(const ResourceQuota& quota, const Amounts& counted) {
  const Amounts former = read_resources<Amount>(quota.status_used());
  Amounts out;
  for (const Member& each : quota.hard().members()) {
    if (const auto now = counted.find(each.key); now != counted.end()) {
      out.insert(*now);
    } else if (const auto then = former.find(each.key); then != former.end()) {
      out.insert(*then);
    }
  }
  return out;
}

bool is_current(const ResourceQuota& quota, const Amounts& used) {
  return quota.status_hard() && quota.status_used() && enforces_its_spec(quota) &&
         read_resources<Amount>(quota.status_used()) == used;
}

bool has_lowered(const ResourceQuota& quota, const Amounts& used) {
  if (mutant("lowered-used")) return false;
  const Amounts former = read_resources<Amount>(quota.status_used());
  return std::any_of(used.begin(), used.end(), [&former](const auto& each) {
    const auto then = former.find(each.first);
    return then != former.end() && each.second < then->second;
  });
}

std::string status_body(const ResourceQuota& quota, const Amounts& used) {
  const Replacement replacements[] = {
      {"apiVersion", [](JsonWriter& out) { out.string(ResourceQuota::kResource.api_version()); }},
      {"kind", [](JsonWriter& out) { out.string(ResourceQuota::kResource.kind); }},
      {"status", [&](JsonWriter& out) { write_status(out, quota, used); }}};
  JsonWriter out;
  pods::rewrite_object(out, quota.value(), replacements);
  return std::move(out).text();
}

bool is_urgent(const ResourceQuota& quota, const Registry& registry) {
  if (!enforces_its_spec(quota)) return true;
  const quota::DeviceClasses classes = registry.read_device_classes();
  for (const Member& each : quota.status_hard().members()) {
    const bool is_unknown = quota.status_used()[each.key].is_absent();
    if (is_unknown && is_counted(registry, each.key, classes)) return true;
  }
  return false;
}

bool is_about(const ResourceQuota& quota, std::string_view qualified,
              const quota::DeviceClasses& classes) {
  for (const Member& each : quota.status_hard().members()) {
    if (counts_for(qualified, each.key, classes)) return true;
  }
  return false;
}

}  // namespace davit::resourcequota
