#include "plugins/storageversion/status_plan.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/kube/condition.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::storageversion {
namespace {

constexpr std::string_view kAllEqual = "AllEncodingVersionsEqual";

/// The version in which all of them encode; empty if they do not agree.
std::string_view common_version(const std::vector<Value>& entries) {
  if (entries.empty()) return {};
  const std::string_view common = entries.front()["encodingVersion"].string();
  const bool agree = std::ranges::all_of(
      entries, [&](const Value& each) { return each["encodingVersion"].string() == common; });
  return agree ? common : std::string_view();
}

Condition condition_of(const StorageVersion& object, std::string_view common, WallTime now) {
  const bool agree = !common.empty();
  Condition out{.type = std::string(kAllEqual),
                .status = agree ? "True" : "False",
                .reason = agree ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
                .message = agree ? "Common encoding version set" : "Common encoding version unset",
                .last_transition_time = now,
                .last_update_time = std::nullopt,
                .observed_generation = object.generation()};
  const std::string_view before = object.status()["commonEncodingVersion"].string();
  const bool moved = agree && !before.empty() && before != common;
  const auto present = find_condition(object.status()["conditions"], kAllEqual);
  if (present && present->status() == out.status && !moved && present->last_transition_time()) {
    out.last_transition_time = present->last_transition_time();
  }
  return out;
}

}  // namespace

Servers servers_of(const StorageVersion& object) {
  Servers out;
  for (const Value each : object.entries().elements()) out.emplace(server_of(each));
  return out;
}

std::string patch_without(const StorageVersion& object, const Servers& gone, WallTime now) {
  std::vector<Value> rest;
  for (const Value each : object.entries().elements()) {
    if (!gone.contains(server_of(each))) rest.push_back(each);
  }
  const std::string_view common = common_version(rest);
  ConditionList conditions(object.status()["conditions"]);
  static_cast<void>(conditions.replace(condition_of(object, common, now)));

  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", object.uid());
  out.member("resourceVersion", object.resource_version()).end_object();
  out.key("status").begin_object().key("storageVersions").begin_array();
  for (const Value each : rest) out.value(each);
  out.end_array().key("commonEncodingVersion");
  if (common.empty()) {
    out.null();
  } else {
    out.string(common);
  }
  out.key("conditions");
  conditions.write(out);
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::storageversion
