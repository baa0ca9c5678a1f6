/// The address and identity for an API server, as resolved from a kubeconfig, the pod's environment
/// or --master. Plain data; host/api connects with it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace davit::host {

/// A program that prints credentials (client.authentication.k8s.io).
struct ExecConfig {
  /// Whether the program may ask a person. "Never", "IfAvailable" or "Always" in the file.
  enum class InteractiveMode { kNever, kIfAvailable, kAlways };

  std::string command;            ///< Absolute, or a bare name that is searched in PATH.
  std::vector<std::string> args;  ///< In order, without the command itself.
  std::vector<std::pair<std::string, std::string>> env;  ///< Added to our own environment.
  std::string api_version;   ///< "client.authentication.k8s.io/v1" or ".../v1beta1".
  std::string install_hint;  ///< For people, when the command cannot be found.
  bool provide_cluster_info = false;
  InteractiveMode interactive_mode = InteractiveMode::kIfAvailable;
  /// JSON text of the cluster's extension "client.authentication.k8s.io/exec", which the program
  /// gets as spec.cluster.config; empty when there is none.
  std::string cluster_extension;
};

/// Impersonation. Nothing is sent when `user` is empty.
struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

/// Bounds of the delay before requests to a server that fails.
struct FailureBackoffLimits {
  std::chrono::seconds base;     ///< After the first failure; doubles with each further one.
  std::chrono::seconds longest;  ///< It grows no further than this.
};

/// Each pair "data" and "file" has at most one value. File paths are absolute; data are the bytes
/// themselves (PEM), already decoded. Credentials are empty unless `server` is https.
struct ConnectionConfig {
  std::string server;           ///< "https://10.0.0.1:6443" or with a path; no trailing slash.
  std::string tls_server_name;  ///< Name to verify instead of the server's host; may be empty.
  bool insecure = false;        ///< Do not verify the server's certificate.
  std::string ca_data;
  std::string ca_file;
  std::string cert_data;
  std::string cert_file;  ///< Read again when it changes.
  std::string key_data;
  std::string key_file;
  std::string token;       ///< Used until `token_file` could be read.
  std::string token_file;  ///< Read again every minute; wins over `token`.
  std::string username;
  std::string password;
  Impersonation impersonate;
  std::string proxy_url;  ///< Empty: the environment's proxy variables decide.
  bool disable_compression = false;
  /// KUBE_CLIENT_BACKOFF_BASE and KUBE_CLIENT_BACKOFF_DURATION; nothing: never a delay.
  std::optional<FailureBackoffLimits> failure_backoff;
  std::optional<ExecConfig> exec;
  std::vector<std::string> files;  ///< The kubeconfigs that it comes from.
  std::string ns = "default";      ///< Namespace of the context.
};

}  // namespace davit::host
