/// Settings of the HTTPS server: what it listens on, whom it believes, who may see what. The flags
/// of kube-controller-manager in its groups "Secure serving", "Authentication" and "Authorization".
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/net/http_server.hpp"

namespace davit::host {

class Fields;

struct ServingSettings {
  static constexpr int kDefaultPort = 10257;

  std::string bind_address = "0.0.0.0";
  /// The HTTPS port; 0: none. Nothing: kDefaultPort, or none if plain HTTP is served.
  std::optional<int> port = std::nullopt;
  bool port_sharing = false;  ///< SO_REUSEPORT.
  /// The directory of the self-signed pair that is used without files; empty: in memory alone.
  std::string certificate_directory = {};
  std::string certificate_file = {};
  std::string key_file = {};
  std::string min_version = {};  ///< "VersionTLS12"; empty: that one.
  std::vector<std::string> cipher_suites = {};
  /// Key exchanges, by Go's numbers for them ("29" is X25519); empty: OpenSSL's selection.
  std::vector<std::string> curves = {};
  std::vector<std::string> named_pairs =
      {};                  ///< "cert,key" or "cert,key:name,name", see NamedFiles.
  bool profiling = false;  ///< Serve CPU profiles.

  bool operator==(const ServingSettings&) const = default;
};

struct AuthenticationSettings {
  std::string kubeconfig = {};  ///< The server that reviews tokens; empty: the host's own.
  bool skip_lookup = false;     ///< Leave the ConfigMap extension-apiserver-authentication alone.
  bool tolerate_lookup_failure = false;
  Duration token_cache_ttl = std::chrono::seconds(10);
  std::string client_ca_file = {};
  std::string request_header_ca_file = {};
  std::vector<std::string> request_header_allowed_names = {};
  std::vector<std::string> username_headers = {"x-remote-user"};
  std::vector<std::string> uid_headers = {};
  std::vector<std::string> group_headers = {"x-remote-group"};
  std::vector<std::string> extra_header_prefixes = {"x-remote-extra-"};

  bool operator==(const AuthenticationSettings&) const = default;
};

struct AuthorizationSettings {
  std::string kubeconfig = {};  ///< The server that reviews access; empty: the host's own.
  Duration allowed_cache_ttl = std::chrono::seconds(10);
  Duration denied_cache_ttl = std::chrono::seconds(10);
  /// Served to everybody; one that ends with "*" is a prefix.
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};

  bool operator==(const AuthorizationSettings&) const = default;
};

/// The files of a pair for certain server names.
struct NamedFiles {
  std::string certificate_file;
  std::string key_file;
  std::vector<std::string> names = {};
};

/// Reads "cert,key" or "cert,key:name,name"; nothing if it is neither.
[[nodiscard]] std::optional<NamedFiles> parse_named_files(const std::string& text);
/// The version of a name such as "VersionTLS12", or of ""; nothing if there is no such version.
[[nodiscard]] std::optional<TlsVersion> parse_tls_version(const std::string& name);

/// OpenSSL's name of a key exchange that Go's crypto/tls.CurveID has: "X25519" for "29". Nothing
/// for another text. An OpenSSL before 3.5 lacks those with ML-KEM.
[[nodiscard]] std::optional<std::string> curve_name(const std::string& number);

/// Makes a path absolute: those of a manifest are relative to it.
using PathResolver = std::function<std::string(const std::string&)>;

/// Read the manifest's sections `serving`, `authentication` and `authorization`.
void read_serving(Fields& in, const PathResolver& resolve, ServingSettings& out);
void read_authentication(Fields& in, const PathResolver& resolve, AuthenticationSettings& out);
void read_authorization(Fields& in, const PathResolver& resolve, AuthorizationSettings& out);

/// Rules between settings, which flags may break as well: what is wrong, a line for each. Names
/// flags, whose words the manifest's keys repeat.
[[nodiscard]] std::vector<std::string> check_serving(const ServingSettings& serving,
                                                     const AuthenticationSettings& authentication);

}  // namespace davit::host
