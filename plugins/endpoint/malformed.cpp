#include "plugins/endpoint/malformed.hpp"

#include <string_view>

#include "plugins/shared/endpoint/ip_address.hpp"

namespace davit::endpoint {

namespace {

bool is_missing(Value value) {
  return value.kind() == Kind::kAbsent || value.kind() == Kind::kNull;
}

/// Appends a line when there is something that is not of this kind. True: it is of this kind.
bool check(Value value, Kind kind, std::string_view line, std::vector<std::string>& out) {
  if (value.kind() == kind) return true;
  if (!is_missing(value)) out.emplace_back(line);
  return false;
}

}  // namespace

std::vector<std::string> mistakes_in(const Service& service) {
  std::vector<std::string> out;
  static_cast<void>(check(service.selector(), Kind::kObject, "spec.selector is not a map", out));
  static_cast<void>(
      check(service.ip_families(), Kind::kArray, "spec.ipFamilies is not a list", out));
  if (!check(service.ports(), Kind::kArray, "spec.ports is not a list", out)) return out;
  for (const Value each : service.ports().elements()) {
    const Value target = each[&Names::target_port];
    if (!target.integer() && !target.text()) {
      out.push_back("targetPort of spec.ports \"" + std::string(each[&Names::name].string()) +
                    "\" is neither a number nor a name");
    }
  }
  return out;
}

std::vector<std::string> mistakes_in(const Pod& pod) {
  std::vector<std::string> out;
  const Value ips = pod.status()[&Names::pod_ips];
  if (!check(ips, Kind::kArray, "status.podIPs is not a list", out)) return out;
  for (const Value each : ips.elements()) {
    const std::string_view ip = each[&Names::ip].string();
    if (!parse_ip(ip)) {
      out.push_back("status.podIPs has \"" + std::string(ip) + "\", which is not an address");
    }
  }
  return out;
}

void log_mistakes(const Log& log, const Service& service) {
  for (const std::string& each : mistakes_in(service)) {
    log.warning("malformed Service", {{"service", service.key().text()}, {"what", each}});
  }
}

void log_mistakes(const Log& log, std::span<const Pod> pods) {
  for (const Pod& pod : pods) {
    for (const std::string& each : mistakes_in(pod)) {
      log.warning("malformed pod", {{"pod", pod.key().text()}, {"what", each}});
    }
  }
}

}  // namespace davit::endpoint
