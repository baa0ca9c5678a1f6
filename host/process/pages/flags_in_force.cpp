#include "host/process/pages/flags_in_force.hpp"

#include <array>
#include <charconv>
#include <davit/kube/signed_duration.hpp>
#include <vector>

#include "host/upstream/flag_values.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kControllerPrefix = "controllerSettings.";

Json list_of(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& each : texts) list.push_back(Json(each));
  return list;
}

Json number_of(double value) {
  std::array<char, 32> digits{};
  // Upstream keeps these as float32.
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<float>(value)).ptr;
  return Json::number(std::string_view(digits.data(), end));
}

Json duration_of(Duration value) { return format_duration(value); }

Json gates_of(const GateSettings& gates) {
  Json out = Json::object();
  for (const auto& [name, on] : gates) out.set(name, Json(on));
  return out;
}

/// The value of a flag that is not given.
Json fallback_of(const UpstreamFlag& flag) {
  if (flag.kind() == FlagKind::kList && flag.fallback == "[]") return Json::array();
  if (flag.kind() == FlagKind::kList && flag.fallback.starts_with('[')) {
    std::string_view inside = flag.fallback;
    inside.remove_prefix(1);
    inside.remove_suffix(1);
    return read_flag(flag, std::vector<std::string>{std::string(inside)}).value_or(Json::array());
  }
  std::string text(flag.fallback);
  if (flag.type.starts_with("pattern")) return text;
  if (text.empty() && flag.kind() == FlagKind::kBoolean) text = "false";
  if (text.empty() && flag.kind() == FlagKind::kInteger) text = "0";
  if (text.empty() && flag.kind() == FlagKind::kDuration) text = "0s";
  if (text.empty() && flag.type == "quantity") text = "0";
  if (text.empty() && flag.type.starts_with("version")) text = "false";
  // The rules for values are for those that are given: 0 may stand for "not set".
  if (flag.kind() == FlagKind::kInteger || flag.kind() == FlagKind::kNumber) {
    return Json::number(text);
  }
  if (flag.kind() == FlagKind::kFile) return text;
  return read_flag(flag, std::vector<std::string>{text}).value_or(Json(text));
}

/// The value at a place such as "controllerSettings.job-controller.workers"; null: not set.
Json controller_value(std::string_view place, const SettingsInForce& settings) {
  const bool opposite = place.starts_with('!');
  place.remove_prefix(kControllerPrefix.size() + (opposite ? 1 : 0));
  const std::size_t dot = place.find('.');
  const std::string_view part = place.substr(dot + 1);
  if (part == "enabled") {
    const auto& given = settings.manifest.controller_settings;
    const auto switched = given.find(std::string(place.substr(0, dot)));
    const bool is_set = switched != given.end() && switched->second.enabled;
    return is_set ? Json(*switched->second.enabled) : Json();
  }
  const auto found = settings.controllers.find(std::string(place.substr(0, dot)));
  if (found == settings.controllers.end()) return {};
  const ControllerSettings& controller = found->second;
  if (part == "workers") {
    return controller.workers ? Json(static_cast<std::int64_t>(*controller.workers)) : Json();
  }
  if (controller.config.empty()) return {};
  const Result<Json> config = parse_json(controller.config);
  return config ? config->get(part.substr(std::string_view("config.").size())) : Json();
}

/// A duration in Go's form, whatever form the manifest has.
Json canonical(const UpstreamFlag& flag, Json value) {
  if (flag.kind() != FlagKind::kDuration) return value;
  const std::optional<Duration> time = parse_signed_duration(value.text());
  return time ? duration_of(*time) : value;
}

void add_client(const Manifest& manifest, FlagValues& out) {
  const ClientSettings& client = manifest.client;
  out["kubeconfig"] = client.kubeconfig;
  out["master"] = client.master;
  out["kube-api-qps"] = number_of(client.qps);
  out["kube-api-burst"] = client.burst;
  out["kube-api-content-type"] = client.content_type;
  out["use-service-account-credentials"] = client.service_account_credentials;
  out["min-resync-period"] = duration_of(client.min_resync_period);
  out["controllers"] = list_of(manifest.controllers);
  out["controller-start-interval"] = duration_of(manifest.controller_start_interval);
  out["controller-shutdown-timeout"] = duration_of(manifest.controller_shutdown_timeout);
  out["feature-gates"] = gates_of(manifest.feature_gates);
}

void add_election(const LeaderElectionSettings& election, FlagValues& out) {
  out["leader-elect"] = election.enabled;
  out["leader-elect-lease-duration"] = duration_of(election.lease_duration);
  out["leader-elect-renew-deadline"] = duration_of(election.renew_deadline);
  out["leader-elect-retry-period"] = duration_of(election.retry_period);
  out["leader-elect-resource-name"] = election.name;
  out["leader-elect-resource-namespace"] = election.ns;
  out["enable-leader-migration"] = election.migrates;
  out["leader-migration-config"] = election.migration_config;
}

void add_serving(const Manifest& manifest, FlagValues& out) {
  const ServingSettings& serving = manifest.serving;
  out["bind-address"] = serving.bind_address;
  out["secure-port"] = secure_port(manifest);
  out["permit-port-sharing"] = serving.port_sharing;
  out["cert-dir"] = serving.certificate_directory;
  out["tls-cert-file"] = serving.certificate_file;
  out["tls-private-key-file"] = serving.key_file;
  out["tls-min-version"] = serving.min_version;
  out["tls-cipher-suites"] = list_of(serving.cipher_suites);
  out["tls-curve-preferences"] = list_of(serving.curves);
  out["profiling"] = serving.profiling;
  out["tls-sni-cert-key"] = list_of(serving.named_pairs);
  const AuthenticationSettings& authn = manifest.authentication;
  out["authentication-kubeconfig"] = authn.kubeconfig;
  out["authentication-skip-lookup"] = authn.skip_lookup;
  out["authentication-token-webhook-cache-ttl"] = duration_of(authn.token_cache_ttl);
  out["authentication-tolerate-lookup-failure"] = authn.tolerate_lookup_failure;
  out["client-ca-file"] = authn.client_ca_file;
  out["requestheader-allowed-names"] = list_of(authn.request_header_allowed_names);
  out["requestheader-client-ca-file"] = authn.request_header_ca_file;
  out["requestheader-extra-headers-prefix"] = list_of(authn.extra_header_prefixes);
  out["requestheader-group-headers"] = list_of(authn.group_headers);
  out["requestheader-uid-headers"] = list_of(authn.uid_headers);
  out["requestheader-username-headers"] = list_of(authn.username_headers);
  const AuthorizationSettings& authz = manifest.authorization;
  out["authorization-always-allow-paths"] = list_of(authz.always_allow_paths);
  out["authorization-kubeconfig"] = authz.kubeconfig;
  out["authorization-webhook-cache-authorized-ttl"] = duration_of(authz.allowed_cache_ttl);
  out["authorization-webhook-cache-unauthorized-ttl"] = duration_of(authz.denied_cache_ttl);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& each : parts) out += (out.empty() ? "" : ",") + each;
  return out;
}

/// Go prints the pairs as a line of CSV.
Json pairs_of(const AllowedLabels& labels) {
  Json list = Json::array();
  for (const auto& [key, values] : labels) list.push_back(Json('"' + key + '=' + values + '"'));
  return list;
}

void add_metrics(const MetricSettings& metrics, FlagValues& out) {
  out["disabled-metrics"] = list_of(metrics.disabled);
  out["allow-metric-labels"] = pairs_of(metrics.allowed_labels);
  out["allow-metric-labels-manifest"] = metrics.allowed_labels_file;
}

std::string_view format_name(LogFormat format) {
  return format == LogFormat::kJson ? "json" : "text";
}

}  // namespace

FlagValues upstream_flags_in_force(const SettingsInForce& settings) {
  FlagValues out;
  for (const FlagGroup& group : upstream_flag_groups()) {
    if (group.title == kRemovedFlags) continue;
    for (const UpstreamFlag& flag : group.flags) {
      Json value;
      // One value may stand in several places: they are equal where it is a flag's.
      const std::string_view place = flag.setting.substr(0, flag.setting.find(','));
      if (place.starts_with(kControllerPrefix)) value = controller_value(place, settings);
      out[std::string(flag.name)] =
          value.is_null() ? fallback_of(flag) : canonical(flag, std::move(value));
    }
  }
  add_client(settings.manifest, out);
  add_election(settings.manifest.leader_election, out);
  add_serving(settings.manifest, out);
  out["logging-format"] = format_name(settings.manifest.logging.format);
  out["vmodule"] = joined(settings.manifest.logging.modules);
  add_metrics(settings.manifest.metrics, out);
  out["v"] = settings.verbosity;
  return out;
}

FlagValues own_flags_in_force(const SettingsInForce& settings) {
  const Manifest& manifest = settings.manifest;
  FlagValues out;
  out["dry-run"] = manifest.dry_run;
  out["field-manager"] = manifest.client.field_manager;
  out["user-agent"] = manifest.client.user_agent;
  out["port"] = manifest.health.port;
  out["plugin-dir"] = list_of(manifest.plugin_directories);
  out["state-dir"] = manifest.state_directory;
  out["quarantine-crashes"] = manifest.quarantine.crashes;
  out["quarantine-window"] = duration_of(manifest.quarantine.window);
  return out;
}

void log_flags(const SettingsInForce& settings, const Logger& log) {
  if (log.sink().verbosity() < 1) return;
  FlagValues flags = upstream_flags_in_force(settings);
  flags.merge(own_flags_in_force(settings));
  for (const auto& [name, value] : flags) {
    log.info(1, "FLAG: --" + name + "=" + json_string(flag_text(value)));
  }
}

std::string flag_text(const Json& value) {
  std::string out;
  switch (value.kind()) {
    case Json::Kind::kBoolean:
      return value.boolean() ? "true" : "false";
    case Json::Kind::kArray:
      for (const Json& each : value.items()) out += (out.empty() ? "" : ",") + each.text();
      return "[" + out + "]";
    case Json::Kind::kObject:
      for (const Json::Member& each : value.members()) {
        out += (out.empty() ? ":" : ",:") + each.key + (each.value.boolean() ? "=true" : "=false");
      }
      return out;
    default:
      return value.text();
  }
}

}  // namespace davit::host
