#include "host/upstream/upstream_process.hpp"

#include "host/upstream/controllers_flag.hpp"
#include "host/upstream/flag_values.hpp"
#include "host/upstream/service_account_rules.hpp"

namespace davit::host {

UpstreamProcess UpstreamProcess::of(const std::vector<GivenFlag>& flags) {
  UpstreamProcess out;
  for (const GivenFlag& each : flags) {
    const Result<Json> value = read_flag(*each.found.flag, each.values);
    if (!value) continue;
    const std::string_view name = each.found.flag->name;
    if (name == "leader-elect") out.elects = value->boolean();
    if (name == "leader-elect-resource-name") out.lease = value->text();
    if (name == "leader-elect-resource-namespace") out.lease_namespace = value->text();
    if (name == "service-account-private-key-file") out.has_token_key = !value->text().empty();
    if (name != "controllers") continue;
    std::vector<std::string> list;
    for (const Json& entry : value->items()) list.push_back(entry.text());
    out.controllers = canonical_controllers(list);
  }
  return out;
}

bool UpstreamProcess::runs(const UpstreamController& controller) const {
  if (controller.name == kTokenController) return has_token_key;
  const bool off = controller.runs == UpstreamController::Runs::kIfNamed;
  return controller_enabled(controllers, controller.name, off);
}

std::vector<std::string> canonical_controllers(const std::vector<std::string>& list) {
  std::vector<std::string> out;
  for (const std::string& entry : list) {
    const bool minus = entry.starts_with('-');
    const UpstreamController* const known = find_upstream_controller(entry.substr(minus ? 1 : 0));
    out.push_back(known == nullptr ? entry : (minus ? "-" : "") + std::string(known->name));
  }
  return out;
}

}  // namespace davit::host
