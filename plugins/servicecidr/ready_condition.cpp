#include "plugins/servicecidr/ready_condition.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/condition.hpp>
#include <optional>
#include <utility>

namespace davit::servicecidr {
namespace {

constexpr std::string_view kReadyType = "Ready";

}  // namespace

std::string condition_body(const ServiceCidr& object, const ReadyCondition& wanted, WallTime now) {
  const std::optional<ConditionView> current = find_condition(object.conditions(), kReadyType);
  if (current && current->status() == wanted.status && current->reason() == wanted.reason &&
      current->message() == wanted.message) {
    return "";
  }
  JsonWriter out;
  out.begin_object().member("kind", ServiceCidr::kResource.kind);
  out.member("apiVersion", ServiceCidr::kResource.api_version());
  out.key("metadata").begin_object().member("name", object.name()).end_object();
  out.key("status").begin_object().key("conditions").begin_array().begin_object();
  out.member("type", kReadyType).member("status", wanted.status);
  out.member("lastTransitionTime", format_time(now));
  out.member("reason", wanted.reason).member("message", wanted.message);
  out.end_object().end_array().end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::servicecidr
