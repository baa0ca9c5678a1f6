/// The content of kubeconfig files, merged, before anything is chosen or validated.
#pragma once

#include <davit/result.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/config/connection_config.hpp"

namespace davit::host {

struct KubeCluster {
  std::string server;
  std::string tls_server_name;
  bool insecure = false;
  std::string ca_file;  ///< Absolute, as every path here.
  std::string ca_data;  ///< Decoded.
  std::string proxy_url;
  bool disable_compression = false;
  std::string exec_extension;  ///< JSON text, or empty.
};

struct KubeUser {
  std::string cert_file;
  std::string cert_data;
  std::string key_file;
  std::string key_data;
  std::string token;
  std::string token_file;
  std::string username;
  std::string password;
  Impersonation impersonate;
  std::string auth_provider;  ///< Its name, for the mistake that says that none is supported.
  std::optional<ExecConfig> exec;
  std::string interactive_mode;  ///< interactiveMode of exec, as written.
};

struct KubeContext {
  std::string cluster;
  std::string user;
  std::string ns;
};

struct KubeconfigContent {
  std::map<std::string, KubeCluster> clusters;
  std::map<std::string, KubeUser> users;
  std::map<std::string, KubeContext> contexts;
  std::string current_context;
};

/// `path` is where the text came from: relative paths in it start there. Unknown keys are ignored.
/// kInvalid: `error loading config file "path": ...` with the place of the first mistake.
[[nodiscard]] Result<KubeconfigContent> parse_kubeconfig(std::string_view text,
                                                         const std::string& path);

/// Adds what `into` does not have yet: whole entries, never single fields.
void merge_kubeconfig(KubeconfigContent& into, KubeconfigContent from);

/// Every problem of a cluster or user, in the words of client-go's clientcmd/validation.go.
[[nodiscard]] std::vector<std::string> check_cluster(const std::string& name,
                                                     const KubeCluster& cluster);
[[nodiscard]] std::vector<std::string> check_user(const std::string& name, const KubeUser& user);
[[nodiscard]] std::vector<std::string> check_context(const std::string& name,
                                                     const KubeContext& context,
                                                     const KubeconfigContent& content);

}  // namespace davit::host
