/// Finds out which API server to talk to, and as whom: kubeconfig files, the pod's environment,
/// --master. Follows k8s.io/client-go/tools/clientcmd.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <optional>
#include <string>

#include "host/config/connection_config.hpp"

namespace davit::host {

/// The parts of the process's environment that are read.
struct ConnectionEnvironment {
  /// The value of an environment variable, nothing when it is not set.
  std::function<std::optional<std::string>(const std::string&)> variable;
  /// The directory of a pod's token and CA.
  std::string service_account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// The environment of this process.
[[nodiscard]] ConnectionEnvironment process_environment();

struct KubeconfigOptions {
  /// The source when neither a file nor a server is given and this is not a pod.
  enum class Fallback {
    kEnvironment,  ///< KUBECONFIG only: a daemon does not pick up a person's default cluster.
    kHome,         ///< KUBECONFIG, then $HOME/.kube/config, as kubectl does.
  };

  std::string master;      ///< --master; wins over the server of the file.
  std::string kubeconfig;  ///< --kubeconfig; only this file then, and it must exist.
  std::string context;     ///< Instead of the file's current-context; may be empty.
  Fallback fallback = Fallback::kEnvironment;
  ConnectionEnvironment environment;  ///< process_environment(), or a test's.
};

/// In this order: `kubeconfig` (with `master` as server); `master` alone, without credentials;
/// in-cluster; the fallback. Reads files and the environment, never the network. Values of
/// KUBE_CLIENT_BACKOFF_* that are not whole seconds count as absent, as upstream.
///
/// Fails with kInvalid and one line: "error loading config file ..." for what cannot be read or
/// parsed, "invalid configuration: ..." with every problem of the chosen context.
[[nodiscard]] Result<ConnectionConfig> load_connection(const KubeconfigOptions& options);

/// The namespace of the current context of KUBECONFIG, or of $HOME/.kube/config without it, as
/// kubectl without --namespace uses it. Empty: it names none, or no such file can be read; a pod's
/// own namespace does not count.
[[nodiscard]] std::string namespace_of_context(const ConnectionEnvironment& environment);

/// The pod's own identity. kNotFound outside a cluster.
[[nodiscard]] Result<ConnectionConfig> load_in_cluster(const ConnectionEnvironment& environment);

}  // namespace davit::host
