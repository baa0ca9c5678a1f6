// The rules of client-go's tools/clientcmd/validation.go, in its words.
#include <cerrno>
#include <davit/kube/label_syntax.hpp>
#include <fstream>
#include <system_error>

#include "host/config/kubeconfig_file.hpp"
#include "lib/base/header_value.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

using Problems = std::vector<std::string>;

/// Why the file cannot be read, or empty.
std::string unreadable(const std::string& path) {
  if (path.empty()) return "";
  errno = 0;
  const std::ifstream stream(path, std::ios::binary);
  if (stream) return "";
  return "open " + path + ": " + std::generic_category().message(errno);
}

void check_proxy(const std::string& name, const KubeCluster& cluster, Problems& out) {
  if (cluster.proxy_url.empty()) return;
  const std::size_t scheme_end = cluster.proxy_url.find("://");
  const std::string scheme =
      cluster.proxy_url.substr(0, scheme_end == std::string::npos ? 0 : scheme_end);
  const bool known = scheme == "http" || scheme == "https" || scheme == "socks5";
  const bool host = known && cluster.proxy_url.size() > scheme_end + 3 &&
                    cluster.proxy_url.find_first_of(" \t") == std::string::npos &&
                    is_header_value(cluster.proxy_url);
  if (host) return;
  out.push_back("invalid 'proxy-url' " + json_string(cluster.proxy_url) + " for cluster " +
                json_string(name) + ": must be http://, https:// or socks5:// and a host");
}

void check_client_certificate(const std::string& name, const KubeUser& user, Problems& out) {
  const bool any_cert = !user.cert_file.empty() || !user.cert_data.empty();
  const bool any_key = !user.key_file.empty() || !user.key_data.empty();
  if (any_key && !any_cert) {
    out.push_back("client-cert-data or client-cert must be specified for " + name +
                  " to use the clientCert authentication method.");
  }
  if (!any_cert) return;
  if (!user.cert_file.empty() && !user.cert_data.empty()) {
    out.push_back("client-cert-data and client-cert are both specified for " + name +
                  ". client-cert-data will override.");
  }
  if (!user.key_file.empty() && !user.key_data.empty()) {
    out.push_back("client-key-data and client-key are both specified for " + name +
                  "; client-key-data will override");
  }
  if (!any_key) {
    out.push_back("client-key-data or client-key must be specified for " + name +
                  " to use the clientCert authentication method.");
  }
  if (const std::string why = unreadable(user.cert_file); !why.empty()) {
    out.push_back("unable to read client-cert " + user.cert_file + " for " + name + " due to " +
                  why);
  }
  if (const std::string why = unreadable(user.key_file); !why.empty()) {
    out.push_back("unable to read client-key " + user.key_file + " for " + name + " due to " + why);
  }
}

void check_exec(const std::string& name, const KubeUser& user, Problems& out) {
  if (!user.exec) return;
  const std::string tail = " must be specified for " + name + " to use exec authentication plugin";
  const ExecConfig& exec = *user.exec;
  const bool v1 = exec.api_version == "client.authentication.k8s.io/v1";
  const bool v1beta1 = exec.api_version == "client.authentication.k8s.io/v1beta1";
  if (!user.auth_provider.empty()) {
    out.push_back("authProvider cannot be provided in combination with an exec plugin for " + name);
  }
  if (exec.command.empty()) out.push_back("command" + tail);
  if (exec.api_version.empty()) {
    out.push_back("apiVersion" + tail);
  } else if (!v1 && !v1beta1) {
    out.push_back("exec plugin: invalid apiVersion " + json_string(exec.api_version));
  }
  for (const auto& variable : exec.env) {
    if (variable.first.empty()) out.push_back("env variable name" + tail);
  }
  const std::string& mode = user.interactive_mode;
  if (mode.empty()) {
    if (v1) out.push_back("interactiveMode" + tail);
  } else if (mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    out.push_back("invalid interactiveMode for " + name + ": " + json_string(mode));
  }
}

}  // namespace

Problems check_cluster(const std::string& name, const KubeCluster& cluster) {
  Problems out;
  if (cluster.server.empty()) {
    out.push_back(name.empty() ? "default cluster has no server defined"
                               : "no server found for cluster " + json_string(name));
  }
  check_proxy(name, cluster, out);
  // It goes into a header and to the TLS library as it is.
  constexpr std::string_view kNameBytes =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:";
  if (cluster.tls_server_name.find_first_not_of(kNameBytes) != std::string::npos) {
    out.push_back("invalid 'tls-server-name' " + json_string(cluster.tls_server_name) +
                  " for cluster " + json_string(name) + ": must be a host name or an IP address");
  }
  if (!cluster.ca_file.empty() && !cluster.ca_data.empty()) {
    out.push_back("certificate-authority-data and certificate-authority are both specified for " +
                  name + ". certificate-authority-data will override.");
  }
  if (const std::string why = unreadable(cluster.ca_file); !why.empty()) {
    out.push_back("unable to read certificate-authority " + cluster.ca_file + " for " + name +
                  " due to " + why);
  }
  if (cluster.insecure && (!cluster.ca_file.empty() || !cluster.ca_data.empty())) {
    out.emplace_back("specifying a root certificates file with the insecure flag is not allowed");
  }
  return out;
}

Problems check_user(const std::string& name, const KubeUser& user) {
  Problems out;
  const bool token = !user.token.empty() || !user.token_file.empty();
  const bool basic = !user.username.empty() || !user.password.empty();
  check_client_certificate(name, user, out);
  check_exec(name, user, out);
  if (!user.auth_provider.empty() && !user.exec) {
    out.push_back("auth-provider " + json_string(user.auth_provider) + " of " + name +
                  " is not supported; use exec, token or client-certificate");
  }
  if (token && basic) {
    out.push_back("more than one authentication method found for " + name +
                  "; found [token basicAuth], only one is allowed");
  }
  const Impersonation& as = user.impersonate;
  if (as.user.empty() && (!as.uid.empty() || !as.groups.empty() || !as.extra.empty())) {
    out.push_back("requesting uid, groups or user-extra for " + name +
                  " without impersonating a user");
  }
  return out;
}

Problems check_context(const std::string& name, const KubeContext& context,
                       const KubeconfigContent& content) {
  Problems out;
  const std::string quoted = json_string(name);
  if (context.cluster.empty()) {
    out.push_back("cluster was not specified for context " + quoted);
  } else if (!content.clusters.contains(context.cluster)) {
    out.push_back("cluster " + json_string(context.cluster) + " was not found for context " +
                  quoted);
  }
  if (!context.user.empty() && !content.users.contains(context.user)) {
    out.push_back("user " + json_string(context.user) + " was not found for context " + quoted);
  }
  if (!context.ns.empty() && !is_dns_label(context.ns)) {
    out.push_back("namespace " + json_string(context.ns) + " for context " + quoted +
                  " does not conform to the kubernetes DNS_LABEL rules");
  }
  return out;
}

}  // namespace davit::host
