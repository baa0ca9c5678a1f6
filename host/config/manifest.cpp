#include "host/config/manifest.hpp"

#include <algorithm>
#include <davit/hex.hpp>
#include <davit/kube/label_syntax.hpp>
#include <davit/kube/signed_duration.hpp>
#include <filesystem>
#include <limits>
#include <set>
#include <tuple>

#include "host/config/fields.hpp"
#include "host/config/oci_reference.hpp"
#include "lib/base/absolute_path.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/names.hpp"

namespace davit::host {
namespace {

/// A worker is a thread; more than this is a typing error.
constexpr std::int64_t kWorkersMax = 1000;
constexpr double kQpsMax = 100'000;
constexpr std::int64_t kBurstMax = 1'000'000;
constexpr std::int64_t kVerbosityMax = 10;
constexpr std::int64_t kPortMax = 65535;
constexpr std::int64_t kCrashesMax = 1000;
constexpr std::int64_t kJournalBytesMax = std::int64_t{1} << 30;  // More is a typing error.
constexpr Duration kWindowMin = std::chrono::seconds(1);  // Crashes are noted with whole seconds.
constexpr Duration kLeaseDurationMin = std::chrono::seconds(1);  // The Lease counts whole seconds.
constexpr Duration kPeriodMin = std::chrono::milliseconds(1);

/// Reads one manifest; `base` is the directory that relative paths start from.
class ManifestReader {
 public:
  ManifestReader(const std::string& file, ManifestResult& out)
      : file_(file), base_(absolute_path(file.empty() ? "." : file).parent_path()), out_(out) {}

  void read(const YamlNode& root);

 private:
  void identity(const YamlNode& root, Fields& fields);
  void client(const YamlNode& node);
  void leader_election(const YamlNode& node);
  void health(const YamlNode& node);
  void serving(Fields& top);
  void logging(const YamlNode& node);
  void tracing(const YamlNode& node);
  void quarantine(const YamlNode& node);
  void journal(const YamlNode& node);
  void swap(const YamlNode& node);
  void plugin_signatures(const YamlNode& node);
  void plugin_sources(const YamlNode& node);
  void check_source(const YamlNode& node, Fields& in, const PluginSettings& plugin);
  void plugins(const YamlNode& node, Fields& fields);
  void plugin(const YamlNode& node, const std::string& where);
  void plugin_source(const YamlNode& node, Fields& fields, PluginSettings& plugin);
  void plugin_controllers(const YamlNode& node, const std::string& where, PluginSettings& plugin);
  void controller_settings(const YamlNode& node);
  void feature_gates(const YamlNode& node);
  ControllerSettings controller(const YamlMember& member, const std::string& where);

  Fields fields(const YamlNode& node, std::string where) {
    return Fields(node, std::move(where), file_, out_.mistakes);
  }
  void mistake(int line, int column, std::string text) {
    out_.mistakes.push_back({file_, line, column, std::move(text)});
  }
  std::string resolve(const std::string& path) const {
    if (path.empty()) return path;
    return (base_ / path).lexically_normal().string();
  }

  const std::string& file_;
  std::filesystem::path base_;
  ManifestResult& out_;
  std::set<std::string> plugin_labels_;
  std::set<std::string> controller_names_;
};

void ManifestReader::read(const YamlNode& root) {
  Manifest& manifest = out_.manifest;
  Fields top = fields(root, "");
  identity(root, top);
  if (const YamlNode* node = top.any("client")) client(*node);
  if (const YamlNode* node = top.any("leaderElection")) leader_election(*node);
  if (const YamlNode* node = top.any("health")) health(*node);
  serving(top);
  if (const YamlNode* node = top.any("logging")) logging(*node);
  if (const YamlNode* node = top.any("tracing")) tracing(*node);
  if (const YamlNode* node = top.any("quarantine")) quarantine(*node);
  if (const YamlNode* node = top.any("journal")) journal(*node);
  if (const YamlNode* node = top.any("swap")) swap(*node);
  if (const YamlNode* node = top.any("pluginSignatures")) plugin_signatures(*node);
  if (const YamlNode* node = top.any("pluginSources")) plugin_sources(*node);
  top.text("stateDirectory", manifest.state_directory);
  manifest.state_directory = resolve(manifest.state_directory);
  top.texts("controllers", manifest.controllers);
  if (const YamlNode* node = top.any("controllerSettings")) controller_settings(*node);
  if (const YamlNode* node = top.any("featureGates")) feature_gates(*node);
  top.duration("controllerStartInterval", Duration::zero(), manifest.controller_start_interval);
  top.duration("controllerShutdownTimeout", Duration::zero(), manifest.controller_shutdown_timeout);
  top.boolean("dryRun", manifest.dry_run);
  top.texts("pluginDirectories", manifest.plugin_directories);
  for (std::string& directory : manifest.plugin_directories) directory = resolve(directory);
  if (const YamlNode* node = top.any("plugins")) plugins(*node, top);
  top.finish();
}

/// A file of another kind gets one mistake here, which explains all others.
void ManifestReader::identity(const YamlNode& root, Fields& top) {
  if (root.kind != YamlNode::Kind::kMapping) {
    if (root.is_null()) top.mistake(root, "the manifest is empty");
    return;
  }
  std::string ignored;
  top.choice("apiVersion", {kManifestApiVersion}, ignored);
  top.choice("kind", {kManifestKind}, ignored);
  for (const auto& [key, value] :
       {std::pair("apiVersion", kManifestApiVersion), std::pair("kind", kManifestKind)}) {
    if (root.find(key) != nullptr) continue;
    top.mistake(root, std::string(key) + " is missing: write " + key + ": " + value);
  }
}

void ManifestReader::client(const YamlNode& node) {
  ClientSettings& client = out_.manifest.client;
  Fields in = fields(node, "client");
  in.text("kubeconfig", client.kubeconfig);
  client.kubeconfig = resolve(client.kubeconfig);
  in.text("master", client.master);
  in.number("qps", -1, kQpsMax, client.qps);
  std::int64_t burst = client.burst;
  in.integer("burst", 0, kBurstMax, burst);
  client.burst = static_cast<int>(burst);
  in.choice("contentType", {kContentTypeProtobuf, kContentTypeJson}, client.content_type);
  in.boolean("useServiceAccountCredentials", client.service_account_credentials);
  in.text("userAgent", client.user_agent);
  in.text("fieldManager", client.field_manager);
  in.duration("minResyncPeriod", Duration::zero(), client.min_resync_period);
  in.finish();
  const auto check = [&](const char* key, const std::string& wrong) {
    if (!wrong.empty()) in.mistake(*node.find(key), in.path(key) + " " + wrong);
  };
  check("userAgent", check_user_agent(client.user_agent));
  check("fieldManager", check_field_manager(client.field_manager));
  const std::string rule = check_client(client);
  if (!rule.empty()) in.mistake(node, rule);
}

void ManifestReader::leader_election(const YamlNode& node) {
  LeaderElectionSettings& election = out_.manifest.leader_election;
  const std::size_t before = out_.mistakes.size();
  Fields in = fields(node, "leaderElection");
  in.boolean("enabled", election.enabled);
  in.name("name", election.name);
  in.name("namespace", election.ns);
  in.duration("leaseDuration", kLeaseDurationMin, election.lease_duration);
  in.duration("renewDeadline", kPeriodMin, election.renew_deadline);
  in.duration("retryPeriod", kPeriodMin, election.retry_period);
  in.boolean("enableLeaderMigration", election.migrates);
  in.text("leaderMigrationConfig", election.migration_config);
  election.migration_config = resolve(election.migration_config);
  in.finish();
  const YamlNode* name = node.find("name");
  if (name != nullptr && !is_dns_subdomain(election.name)) {
    in.mistake(*name,
               "leaderElection.name must be a DNS subdomain (lower case letters, digits, "
               "'-' and '.'), not " +
                   name->describe());
  }
  const YamlNode* ns = node.find("namespace");
  if (ns != nullptr && !is_dns_label(election.ns)) {
    in.mistake(*ns,
               "leaderElection.namespace must be a DNS label (lower case letters, digits and "
               "'-'), not " +
                   ns->describe());
  }
  const std::string rule = check_leader_election(election);
  if (!rule.empty() && out_.mistakes.size() == before) in.mistake(node, rule);
}

void ManifestReader::health(const YamlNode& node) {
  HealthSettings& health = out_.manifest.health;
  Fields in = fields(node, "health");
  in.name("bindAddress", health.bind_address);
  std::int64_t port = health.port;
  in.integer("port", -1, kPortMax, port);
  health.port = static_cast<int>(port);
  in.finish();
  const YamlNode* address = node.find("bindAddress");
  if (address != nullptr && !is_ip(health.bind_address)) {
    in.mistake(*address, "health.bindAddress must be an IP address, not " + address->describe());
  } else if (address != nullptr && !is_loopback(health.bind_address)) {
    in.mistake(*address,
               "health.bindAddress must be a loopback address: the plain port asks for no "
               "credentials. serving.bindAddress and serving.securePort serve others");
  }
}

void ManifestReader::serving(Fields& top) {
  const PathResolver resolved = [this](const std::string& path) { return resolve(path); };
  const auto section = [&](const char* name, const auto& read, auto& settings) {
    const YamlNode* const node = top.any(name);
    if (node == nullptr) return;
    Fields in = fields(*node, name);
    read(in, resolved, settings);
    in.finish();
  };
  section("serving", read_serving, out_.manifest.serving);
  section("authentication", read_authentication, out_.manifest.authentication);
  section("authorization", read_authorization, out_.manifest.authorization);
  section("metrics", read_metrics, out_.manifest.metrics);
}

void ManifestReader::logging(const YamlNode& node) {
  LoggingSettings& logging = out_.manifest.logging;
  Fields in = fields(node, "logging");
  std::int64_t verbosity = logging.verbosity;
  in.integer("verbosity", 0, kVerbosityMax, verbosity);
  logging.verbosity = static_cast<int>(verbosity);
  std::string format = "text";
  in.choice("format", {"text", "json"}, format);
  logging.format = format == "json" ? LogFormat::kJson : LogFormat::kText;
  in.texts("vmodule", logging.modules);
  in.finish();
  if (const std::string rule = check_logging(logging); !rule.empty()) in.mistake(node, rule);
}

void ManifestReader::tracing(const YamlNode& node) {
  TracingSettings& tracing = out_.manifest.tracing;
  Fields in = fields(node, "tracing");
  in.text("endpoint", tracing.endpoint);
  std::int64_t rate = kSampleAll;
  in.integer("samplingRatePerMillion", 0, kSampleAll, rate);
  if (node.find("samplingRatePerMillion") != nullptr) {
    tracing.sampling_rate_per_million = static_cast<std::uint32_t>(rate);
  }
  in.text("certificateAuthority", tracing.certificate_authority);
  tracing.certificate_authority = resolve(tracing.certificate_authority);
  if (const YamlNode* each = in.any("headers")) {
    Fields headers(*each, "tracing.headers", file_, out_.mistakes, Fields::Nulls::kMistake,
                   Fields::Values::kHidden);
    for (const YamlMember& member : each->members) {
      headers.text(member.key, tracing.headers[member.key]);
    }
    headers.finish();
  }
  in.finish();
  const YamlNode* endpoint = node.find("endpoint");
  const bool is_url =
      tracing.endpoint.starts_with("http://") || tracing.endpoint.starts_with("https://");
  if (endpoint != nullptr && !tracing.endpoint.empty() && !is_url) {
    in.mistake(*endpoint,
               "tracing.endpoint must be the URL of an OTLP/HTTP receiver, such as "
               "http://localhost:4318/v1/traces, not " +
                   endpoint->describe());
  }
}

void ManifestReader::quarantine(const YamlNode& node) {
  QuarantineSettings& quarantine = out_.manifest.quarantine;
  Fields in = fields(node, "quarantine");
  std::int64_t crashes = quarantine.crashes;
  in.integer("crashes", 0, kCrashesMax, crashes);
  quarantine.crashes = static_cast<int>(crashes);
  in.duration("window", kWindowMin, quarantine.window);
  in.finish();
}

void ManifestReader::journal(const YamlNode& node) {
  Fields in = fields(node, "journal");
  in.integer("bytes", 0, kJournalBytesMax, out_.manifest.journal.bytes);
  in.finish();
}

void ManifestReader::swap(const YamlNode& node) {
  constexpr std::int64_t kWhole = 100;
  SwapSettings& swap = out_.manifest.swap;
  Fields in = fields(node, "swap");
  in.duration("watchFor", Duration::zero(), swap.watch_for);
  std::int64_t percent = swap.max_error_percent;
  in.integer("maxErrorPercent", 0, kWhole, percent);
  swap.max_error_percent = static_cast<int>(percent);
  in.finish();
}

void ManifestReader::plugin_signatures(const YamlNode& node) {
  Fields in = fields(node, "pluginSignatures");
  read_plugin_signatures(node, in, out_.manifest.plugin_signatures);
}

void ManifestReader::plugins(const YamlNode& node, Fields& top) {
  if (node.kind != YamlNode::Kind::kSequence) {
    top.mistake(node, "plugins must be a list, not " + node.describe());
    return;
  }
  out_.manifest.plugins.emplace();
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    plugin(node.items[i], "plugins[" + std::to_string(i) + "]");
  }
}

void ManifestReader::plugin(const YamlNode& node, const std::string& where) {
  PluginSettings plugin;
  plugin.line = node.line;
  plugin.column = node.column;
  Fields in = fields(node, where);
  plugin_source(node, in, plugin);
  in.boolean("enabled", plugin.enabled);
  in.name("sha256", plugin.sha256);
  const YamlNode* digest = node.find("sha256");
  if (digest != nullptr && !plugin.sha256.empty()) {
    std::transform(plugin.sha256.begin(), plugin.sha256.end(), plugin.sha256.begin(),
                   [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
    if (!is_lower_hex(plugin.sha256) || plugin.sha256.size() != 64) {
      in.mistake(*digest, where + ".sha256 must be 64 hex digits, as sha256sum prints them");
    }
  }
  if (const YamlNode* each = in.any("controllers")) {
    plugin_controllers(*each, where + ".controllers", plugin);
  }
  in.finish();
  out_.manifest.plugins->push_back(std::move(plugin));
}

void ManifestReader::plugin_source(const YamlNode& node, Fields& in, PluginSettings& plugin) {
  in.name("name", plugin.name);
  in.name("path", plugin.path);
  in.name("source", plugin.source);
  if (node.kind != YamlNode::Kind::kMapping) return;
  const YamlNode* name = node.find("name");
  const YamlNode* path = node.find("path");
  const YamlNode* source = node.find("source");
  if (name == nullptr && path == nullptr && source == nullptr) {
    in.mistake(node, in.path("name, path or source is missing: a plugin needs one of them"));
    return;
  }
  if (source != nullptr && !plugin.source.empty()) check_source(*source, in, plugin);
  if (name != nullptr &&
      (plugin.name.find('/') != std::string::npos || plugin.name.ends_with(".so"))) {
    in.mistake(*name, in.path("name") +
                          " must be a name such as \"replicaset\", not a file; use "
                          "path for a file");
    return;
  }
  plugin.path = resolve(plugin.path);
  for (const auto& [node_of, text] : {std::pair(name, plugin.name), std::pair(path, plugin.path),
                                      std::pair(source, plugin.source)}) {
    if (node_of == nullptr || text.empty() || plugin_labels_.insert(text).second) continue;
    in.mistake(*node_of, "duplicate plugin " + json_string(text));
  }
}

/// A tag can be moved, so something else has to say what may run.
void ManifestReader::check_source(const YamlNode& node, Fields& in, const PluginSettings& plugin) {
  const Result<OciReference> reference =
      OciReference::parse(plugin.source, OciReference::Tag::kRequired);
  if (!plugin.source.starts_with("oci://") || !reference) {
    const std::string why = reference ? "must begin with oci://" : reference.error().message();
    in.mistake(node, in.path("source") + " " + why);
  } else if (reference->digest.empty() && !out_.manifest.plugin_signatures.are_required()) {
    in.mistake(node, in.path("source") +
                         " needs a digest (@sha256:…), or pluginSignatures.keys whose signatures "
                         "are required");
  } else if (reference->digest.empty() && plugin.name.empty()) {
    in.mistake(node, in.path("source") +
                         " needs a digest (@sha256:…), or name beside it: a signature does not say "
                         "which plugin the entry means");
  }
  if (!plugin.path.empty()) in.mistake(node, in.path("source") + " excludes path");
}

void ManifestReader::plugin_sources(const YamlNode& node) {
  PluginSourceSettings& sources = out_.manifest.plugin_sources;
  Fields in = fields(node, "pluginSources");
  for (const auto& [key, value] :
       {std::pair("cacheDirectory", &sources.cache_directory),
        std::pair("loginFile", &sources.login_file), std::pair("caFile", &sources.ca_file)}) {
    in.text(key, *value);
    *value = resolve(*value);
  }
  in.finish();
}

void ManifestReader::plugin_controllers(const YamlNode& node, const std::string& where,
                                        PluginSettings& plugin) {
  if (node.kind != YamlNode::Kind::kMapping && !node.is_null()) {
    mistake(node.line, node.column,
            where + " must be a mapping from controller names, not " + node.describe());
    return;
  }
  for (const YamlMember& member : node.members) {
    if (!controller_names_.insert(member.key).second) {
      mistake(
          member.line, member.column,
          "duplicate controller " + json_string(member.key) + ": another plugin has it already");
    }
    plugin.controllers[member.key] = controller(member, where + "." + member.key);
  }
}

void ManifestReader::feature_gates(const YamlNode& node) {
  GateSettings& gates = out_.manifest.feature_gates;
  Fields in = fields(node, "featureGates");
  for (const YamlMember& member : node.members) in.boolean(member.key, gates[member.key]);
  in.finish();
  for (const std::string& text : check_feature_gates(gates)) in.mistake(node, text);
}

void ManifestReader::controller_settings(const YamlNode& node) {
  const std::string where = "controllerSettings";
  if (node.kind != YamlNode::Kind::kMapping) {
    mistake(node.line, node.column,
            where + " must be a mapping from controller names, not " + node.describe());
    return;
  }
  for (const YamlMember& member : node.members) {
    out_.manifest.controller_settings[member.key] = controller(member, where + "." + member.key);
  }
}

ControllerSettings ManifestReader::controller(const YamlMember& member, const std::string& where) {
  ControllerSettings settings;
  settings.line = member.line;
  settings.column = member.column;
  Fields in = fields(member.value, where);
  if (member.value.find("enabled") != nullptr) settings.enabled = true;
  bool enabled = true;
  in.boolean("enabled", enabled);
  if (settings.enabled) settings.enabled = enabled;
  std::int64_t workers = 0;
  in.integer("workers", 1, kWorkersMax, workers);
  if (workers > 0) settings.workers = static_cast<std::uint32_t>(workers);
  if (const YamlNode* config = in.any("config")) {
    if (config->kind != YamlNode::Kind::kMapping) {
      in.mistake(*config, where + ".config must be a mapping, not " + config->describe());
    } else if (Result<std::string> json = to_json(*config)) {
      settings.config = std::move(*json);
    } else {
      in.mistake(*config, where + ".config: " + json.error().message());
    }
  }
  in.finish();
  return settings;
}

}  // namespace

ClientRate effective_rate(const ClientSettings& settings) {
  constexpr double kDefaultQps = 5;
  constexpr int kDefaultBurst = 10;
  return {settings.qps == 0 ? kDefaultQps : settings.qps,
          settings.burst == 0 ? kDefaultBurst : settings.burst};
}

ClientRate controller_rate(const ClientSettings& settings, std::string_view controller) {
  constexpr int kAutoscalerShare = 12;
  const ClientRate rate = effective_rate(settings);
  const int share = controller == "horizontal-pod-autoscaler-controller" ? kAutoscalerShare : 1;
  return {rate.qps * share, rate.burst * share};
}

std::string check_client(const ClientSettings& settings) {
  if (settings.qps <= 0 || settings.burst > 0) return "";
  return "client.burst must be greater than 0 when client.qps is";
}

void lay_over(const ControllerSettings& winner, ControllerSettings& settings) {
  if (winner.enabled) settings.enabled = winner.enabled;
  if (winner.workers) settings.workers = winner.workers;
  if (winner.line != 0) {
    settings.line = winner.line;
    settings.column = winner.column;
  }
  if (winner.config.empty()) return;
  // Both texts come from to_json(), so they are objects.
  const Result<Json> members = parse_json(winner.config);
  Result<Json> config = parse_json(settings.config.empty() ? "{}" : settings.config);
  if (!members || !config) return;
  for (const Json::Member& each : members->members()) config->set(each.key, each.value);
  settings.config = to_text(*config);
}

std::string check_field_manager(const std::string& value) {
  constexpr std::size_t kBytesMax = 128;
  const bool printable =
      std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (printable && value.size() <= kBytesMax) return "";
  return "must have at most 128 printable ASCII characters";
}

std::string check_user_agent(const std::string& value) {
  const bool printable =
      std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return printable ? "" : "must have printable ASCII characters only, which a header can carry";
}

Result<LogModules> log_modules(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& each : parts) text += each + ",";
  return LogModules::parse(text);
}

std::string check_logging(const LoggingSettings& settings) {
  const Result<LogModules> modules = log_modules(settings.modules);
  if (!modules) return "logging.vmodule: " + modules.error().message();
  const bool fits = settings.modules.empty() || settings.format == LogFormat::kText;
  return fits ? "" : "logging.vmodule needs the text format of the log";
}

int secure_port(const Manifest& manifest) {
  const int usual = manifest.health.port < 0 ? ServingSettings::kDefaultPort : 0;
  return manifest.serving.port.value_or(usual);
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

std::string check_leader_election(const LeaderElectionSettings& settings) {
  constexpr double kJitterFactor = 1.2;  // client-go's leaderelection.JitterFactor.
  if (!settings.enabled) return "";
  if (settings.lease_duration <= settings.renew_deadline) {
    return "leaderElection.leaseDuration (" + format_duration(settings.lease_duration) +
           ") must be greater than renewDeadline (" + format_duration(settings.renew_deadline) +
           ")";
  }
  const auto retry = static_cast<double>(settings.retry_period.count());
  if (static_cast<double>(settings.renew_deadline.count()) <= kJitterFactor * retry) {
    return "leaderElection.renewDeadline (" + format_duration(settings.renew_deadline) +
           ") must be greater than 1.2 times retryPeriod (" +
           format_duration(settings.retry_period) + ")";
  }
  return "";
}

ManifestResult parse_manifest(std::string_view text, const std::string& path) {
  ManifestResult result;
  YamlDocument document = parse_yaml(text, path);
  result.mistakes = std::move(document.mistakes);
  // An incomplete tree would only cause misleading errors about missing keys.
  const bool complete = document.root.kind != YamlNode::Kind::kNull || result.mistakes.empty();
  if (complete) ManifestReader(path, result).read(document.root);
  std::stable_sort(result.mistakes.begin(), result.mistakes.end(),
                   [](const Mistake& a, const Mistake& b) {
                     return std::tie(a.line, a.column) < std::tie(b.line, b.column);
                   });
  return result;
}

ManifestResult load_manifest(const std::string& path) {
  Result<std::string> text = read_text_file(path);
  if (text) return parse_manifest(*text, path);
  ManifestResult result;
  result.mistakes.push_back({path, 0, 0, text.error().message()});
  return result;
}

}  // namespace davit::host
