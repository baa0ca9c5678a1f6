#include "host/config/kubeconfig.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <utility>
#include <vector>

#include "host/config/kubeconfig_file.hpp"
#include "lib/base/text_file.hpp"
#include "lib/base/trimmed.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

constexpr const char* kNoConfiguration =
    "no configuration has been provided, try setting KUBERNETES_MASTER environment variable";

Status invalid(const std::vector<std::string>& problems, const std::string& source) {
  std::string text;
  for (const std::string& problem : problems) text += (text.empty() ? "" : ", ") + problem;
  if (problems.size() > 1) text = "[" + text + "]";
  if (!source.empty()) text += " (kubeconfig " + source + ")";
  return Status(Code::kInvalid, "invalid configuration: " + text);
}

/// The content of a file without the blanks and line ends around it.
std::string content_of(std::string_view file) { return std::string(trimmed(file, " \t\r\n")); }

/// A loaded file with its path.
struct Loaded {
  KubeconfigContent content;
  std::string source;  ///< For messages; several files are joined with ':'.
  std::vector<std::string> files = {};
};

std::vector<std::string> split_path_list(const std::string& list) {
  std::vector<std::string> paths;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    std::string path = list.substr(begin, end - begin);
    if (!path.empty() && std::find(paths.begin(), paths.end(), path) == paths.end()) {
      paths.push_back(std::move(path));
    }
    begin = end + 1;
  }
  return paths;
}

Result<Loaded> load_explicit(const std::string& path) {
  Result<std::string> text = read_text_file(path);
  if (!text) {
    return Status(Code::kInvalid,
                  "error loading config file \"" + path + "\": " + text.error().message());
  }
  Result<KubeconfigContent> content = parse_kubeconfig(*text, path);
  if (!content) return content.error();
  return Loaded{std::move(*content), path, {path}};
}

/// Files that are missing are skipped; every other problem counts.
Result<Loaded> load_list(const std::vector<std::string>& paths) {
  Loaded loaded;
  std::string problems;
  for (const std::string& path : paths) {
    Result<std::string> text = read_text_file(path);
    if (!text && text.error().code() == Code::kNotFound) continue;
    Result<Loaded> one = load_explicit(path);
    if (!one) {
      problems += (problems.empty() ? "" : ", ") + one.error().message();
      continue;
    }
    merge_kubeconfig(loaded.content, std::move(one->content));
    loaded.source += (loaded.source.empty() ? "" : ":") + path;
    loaded.files.push_back(path);
  }
  if (!problems.empty()) return Status(Code::kInvalid, problems);
  return loaded;
}

/// The files of the fallback.
std::vector<std::string> fallback_paths(const ConnectionEnvironment& environment,
                                        KubeconfigOptions::Fallback fallback) {
  std::vector<std::string> paths = split_path_list(environment.variable("KUBECONFIG").value_or(""));
  if (!paths.empty() || fallback != KubeconfigOptions::Fallback::kHome) return paths;
  const std::string home = environment.variable("HOME").value_or("");
  if (!home.empty()) paths.push_back(home + "/.kube/config");
  return paths;
}

/// Go's rest.DefaultServerURL: without a scheme, TLS settings decide.
std::string with_scheme(std::string server, bool tls) {
  if (server.find("://") == std::string::npos) server = (tls ? "https://" : "http://") + server;
  while (server.ends_with('/')) server.pop_back();
  return server;
}

Result<ConnectionConfig> make_connection(KubeCluster cluster, KubeUser user, std::string ns) {
  ConnectionConfig config;
  const bool tls = cluster.insecure || !cluster.ca_data.empty() || !cluster.ca_file.empty() ||
                   !user.cert_data.empty() || !user.cert_file.empty();
  config.server = with_scheme(std::move(cluster.server), tls);
  config.tls_server_name = std::move(cluster.tls_server_name);
  config.insecure = cluster.insecure;
  config.ca_data = std::move(cluster.ca_data);
  config.ca_file = std::move(cluster.ca_file);
  config.proxy_url = std::move(cluster.proxy_url);
  config.disable_compression = cluster.disable_compression;
  if (!ns.empty()) config.ns = std::move(ns);
  if (!config.server.starts_with("https://")) return config;  // No credentials in the clear.

  const bool has_token = !user.token.empty() || !user.token_file.empty();
  const bool has_basic = !user.username.empty() || !user.password.empty();
  const bool has_cert = !user.cert_data.empty() || !user.cert_file.empty();
  config.cert_data = std::move(user.cert_data);
  config.cert_file = std::move(user.cert_file);
  config.key_data = std::move(user.key_data);
  config.key_file = std::move(user.key_file);
  config.username = std::move(user.username);
  config.password = std::move(user.password);
  config.impersonate = std::move(user.impersonate);
  config.token = std::move(user.token);
  config.token_file = std::move(user.token_file);
  if (config.token.empty() && !config.token_file.empty()) {
    Result<std::string> token = read_text_file(config.token_file);
    if (!token) return token.error().with_context(config.token_file);
    config.token = content_of(*token);
  }
  // As client-go does: a program is not asked when there is a credential already.
  if (user.exec && !has_token && !has_basic && !has_cert) {
    using Mode = ExecConfig::InteractiveMode;
    config.exec = std::move(user.exec);
    config.exec->cluster_extension = std::move(cluster.exec_extension);
    config.exec->interactive_mode = user.interactive_mode == "Never"    ? Mode::kNever
                                    : user.interactive_mode == "Always" ? Mode::kAlways
                                                                        : Mode::kIfAvailable;
  }
  return config;
}

Result<ConnectionConfig> choose(const Loaded& loaded, const KubeconfigOptions& options) {
  const KubeconfigContent& content = loaded.content;
  const std::string& name = options.context.empty() ? content.current_context : options.context;
  KubeContext context;
  KubeCluster cluster;
  KubeUser user;
  std::vector<std::string> problems;
  if (!name.empty()) {
    const auto found = content.contexts.find(name);
    if (found == content.contexts.end()) {
      return invalid({"context was not found for specified context: " + name}, loaded.source);
    }
    context = found->second;
    problems = check_context(name, context, content);
    // --master replaces a cluster that the file lacks.
    if (!options.master.empty() && context.cluster.empty()) problems.clear();
  } else if (options.master.empty() && !content.contexts.empty()) {
    return invalid({"current-context is not set; choose one with kubectl config use-context"},
                   loaded.source);
  }
  if (const auto it = content.clusters.find(context.cluster); it != content.clusters.end()) {
    cluster = it->second;
  }
  if (const auto it = content.users.find(context.user); it != content.users.end()) {
    user = it->second;
  }
  if (!options.master.empty()) {
    cluster.server = options.master;
    cluster.tls_server_name.clear();
  }
  if (name.empty() && cluster.server.empty()) return invalid({kNoConfiguration}, loaded.source);
  const bool cluster_known = problems.empty();
  for (std::string& problem : check_user(context.user, user)) problems.push_back(problem);
  if (cluster_known) {
    for (std::string& problem : check_cluster(context.cluster, cluster)) {
      problems.push_back(problem);
    }
  }
  if (!problems.empty()) return invalid(problems, loaded.source);
  Result<ConnectionConfig> config =
      make_connection(std::move(cluster), std::move(user), std::move(context.ns));
  if (!config) return invalid({config.error().message()}, loaded.source);
  config->files = loaded.files;
  return config;
}

}  // namespace

ConnectionEnvironment process_environment() {
  ConnectionEnvironment environment;
  environment.variable = [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
  return environment;
}

Result<ConnectionConfig> load_in_cluster(const ConnectionEnvironment& environment) {
  const std::string host = environment.variable("KUBERNETES_SERVICE_HOST").value_or("");
  const std::string port = environment.variable("KUBERNETES_SERVICE_PORT").value_or("");
  if (host.empty() || port.empty()) {
    return Status(Code::kNotFound,
                  "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and "
                  "KUBERNETES_SERVICE_PORT must be defined");
  }
  const std::string& directory = environment.service_account_directory;
  ConnectionConfig config;
  config.token_file = directory + "/token";
  Result<std::string> token = read_text_file(config.token_file);
  if (!token) return token.error().with_context("open " + config.token_file);
  config.token = content_of(*token);
  const bool ipv6 = host.find(':') != std::string::npos;
  config.server = "https://" + (ipv6 ? "[" + host + "]" : host) + ":" + port;
  const Result<std::string> ca = read_text_file(directory + "/ca.crt");
  if (ca && ca->find("-----BEGIN CERTIFICATE-----") != std::string::npos) {
    config.ca_file = directory + "/ca.crt";
  }
  std::string ns = environment.variable("POD_NAMESPACE").value_or("");
  if (ns.empty()) ns = content_of(read_text_file(directory + "/namespace").value_or(""));
  if (!ns.empty()) config.ns = std::move(ns);
  return config;
}

namespace {

/// Whole seconds; nothing for anything else (client-go/rest/client.go, readExpBackoffConfig).
std::optional<std::chrono::seconds> seconds_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  const bool whole = error == std::errc() && end == text->data() + text->size();
  constexpr std::int64_t kLongest = 24 * 60 * 60;
  if (!whole || value < 0 || value > kLongest) return std::nullopt;
  return std::chrono::seconds(value);
}

std::optional<FailureBackoffLimits> failure_backoff(const ConnectionEnvironment& environment) {
  const auto base = seconds_of(environment.variable("KUBE_CLIENT_BACKOFF_BASE"));
  const auto longest = seconds_of(environment.variable("KUBE_CLIENT_BACKOFF_DURATION"));
  if (!base || !longest) return std::nullopt;
  return FailureBackoffLimits{*base, *longest};
}

Result<ConnectionConfig> find_connection(const KubeconfigOptions& options) {
  if (!options.kubeconfig.empty()) {
    Result<Loaded> loaded = load_explicit(options.kubeconfig);
    if (!loaded) return loaded.error();
    return choose(*loaded, options);
  }
  if (!options.master.empty()) return choose(Loaded(), options);

  Result<ConnectionConfig> in_cluster = load_in_cluster(options.environment);
  if (in_cluster) return in_cluster;
  const auto& variable = options.environment.variable;
  Result<Loaded> loaded = load_list(fallback_paths(options.environment, options.fallback));
  if (!loaded) return loaded.error();
  if (!loaded->source.empty()) return choose(*loaded, options);
  KubeconfigOptions fallback = options;
  fallback.master = variable("KUBERNETES_MASTER").value_or("");
  if (!fallback.master.empty()) return choose(Loaded(), fallback);
  std::string text = std::string(kNoConfiguration) + ", or pass --kubeconfig or --master";
  const bool in_pod = variable("KUBERNETES_SERVICE_HOST").has_value();
  if (in_pod) text += " (in-cluster: " + in_cluster.error().message() + ")";
  return invalid({text}, "");
}

}  // namespace

std::string namespace_of_context(const ConnectionEnvironment& environment) {
  const Result<Loaded> loaded =
      load_list(fallback_paths(environment, KubeconfigOptions::Fallback::kHome));
  if (!loaded) return "";
  const auto& contexts = loaded->content.contexts;
  const auto found = contexts.find(loaded->content.current_context);
  return found == contexts.end() ? "" : found->second.ns;
}

Result<ConnectionConfig> load_connection(const KubeconfigOptions& options) {
  Result<ConnectionConfig> found = find_connection(options);
  if (found) found->failure_backoff = failure_backoff(options.environment);
  return found;
}

}  // namespace davit::host
