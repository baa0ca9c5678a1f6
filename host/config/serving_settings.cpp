#include "host/config/serving_settings.hpp"

#include <algorithm>
#include <cstdint>

#include "host/config/fields.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/base/take_until.hpp"
#include "lib/kube/names.hpp"

namespace davit::host {
namespace {

constexpr std::int64_t kHighestPort = 65535;

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::string_view name = take_until(text, ",");
    if (!name.empty()) out.emplace_back(name);
  }
  return out;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t") == std::string::npos;
}

/// k8s.io/apiserver/pkg/server/options: no header may be blank, and a UID needs its own.
void check_headers(const AuthenticationSettings& settings, std::vector<std::string>& out) {
  const auto refuse_blanks = [&out](const char* flag, const std::vector<std::string>& headers) {
    if (std::any_of(headers.begin(), headers.end(), is_blank)) {
      out.push_back(std::string(flag) + " must not have an empty entry");
    }
  };
  refuse_blanks("--requestheader-username-headers", settings.username_headers);
  refuse_blanks("--requestheader-uid-headers", settings.uid_headers);
  refuse_blanks("--requestheader-group-headers", settings.group_headers);
  refuse_blanks("--requestheader-extra-headers-prefix", settings.extra_header_prefixes);
  const auto is_uid = [](const std::string& each) { return lower_case(each) == "x-remote-uid"; };
  if (!settings.uid_headers.empty() &&
      std::none_of(settings.uid_headers.begin(), settings.uid_headers.end(), is_uid)) {
    out.emplace_back("--requestheader-uid-headers must include X-Remote-Uid");
  }
}

}  // namespace

std::optional<NamedFiles> parse_named_files(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || comma == 0) return std::nullopt;
  const std::size_t colon = std::min(text.find(':', comma), text.size());
  NamedFiles out{text.substr(0, comma), text.substr(comma + 1, colon - comma - 1), {}};
  if (out.key_file.empty() || out.key_file.find(',') != std::string::npos) return std::nullopt;
  if (colon < text.size()) out.names = split_names(std::string_view(text).substr(colon + 1));
  return out;
}

std::optional<TlsVersion> parse_tls_version(const std::string& name) {
  if (name.empty() || name == "VersionTLS12") return TlsVersion::k12;
  if (name == "VersionTLS10") return TlsVersion::k10;
  if (name == "VersionTLS11") return TlsVersion::k11;
  if (name == "VersionTLS13") return TlsVersion::k13;
  return std::nullopt;
}

std::optional<std::string> curve_name(const std::string& number) {
  static constexpr std::pair<std::string_view, std::string_view> kCurves[] = {
      {"23", "P-256"},
      {"24", "P-384"},
      {"25", "P-521"},
      {"29", "X25519"},
      {"4587", "SecP256r1MLKEM768"},
      {"4588", "X25519MLKEM768"},
      {"4589", "SecP384r1MLKEM1024"}};
  for (const auto& [known, name] : kCurves) {
    if (known == number) return std::string(name);
  }
  return std::nullopt;
}

void read_serving(Fields& in, const PathResolver& resolve, ServingSettings& out) {
  in.name("bindAddress", out.bind_address);
  std::int64_t port = -1;
  in.integer("securePort", 0, kHighestPort, port);
  if (port >= 0) out.port = static_cast<int>(port);
  in.boolean("permitPortSharing", out.port_sharing);
  for (const auto& [key, path] : {std::pair("certDirectory", &out.certificate_directory),
                                  std::pair("tlsCertFile", &out.certificate_file),
                                  std::pair("tlsPrivateKeyFile", &out.key_file)}) {
    in.text(key, *path);
    *path = resolve(*path);
  }
  in.text("tlsMinVersion", out.min_version);
  in.texts("tlsCipherSuites", out.cipher_suites);
  in.texts("tlsCurvePreferences", out.curves);
  in.boolean("profiling", out.profiling);
  in.texts("tlsSNICertKey", out.named_pairs);
  for (std::string& each : out.named_pairs) {
    const std::optional<NamedFiles> files = parse_named_files(each);
    if (!files) continue;
    const std::size_t colon = std::min(each.find(':', each.find(',')), each.size());
    each = resolve(files->certificate_file) + "," + resolve(files->key_file) + each.substr(colon);
  }
}

void read_authentication(Fields& in, const PathResolver& resolve, AuthenticationSettings& out) {
  for (const auto& [key, path] :
       {std::pair("kubeconfig", &out.kubeconfig), std::pair("clientCAFile", &out.client_ca_file),
        std::pair("requestHeaderClientCAFile", &out.request_header_ca_file)}) {
    in.text(key, *path);
    *path = resolve(*path);
  }
  in.boolean("skipLookup", out.skip_lookup);
  in.boolean("tolerateLookupFailure", out.tolerate_lookup_failure);
  in.duration("tokenCacheTTL", Duration::zero(), out.token_cache_ttl);
  in.texts("requestHeaderAllowedNames", out.request_header_allowed_names);
  in.texts("requestHeaderUsernameHeaders", out.username_headers);
  in.texts("requestHeaderUIDHeaders", out.uid_headers);
  in.texts("requestHeaderGroupHeaders", out.group_headers);
  in.texts("requestHeaderExtraHeadersPrefix", out.extra_header_prefixes);
}

void read_authorization(Fields& in, const PathResolver& resolve, AuthorizationSettings& out) {
  in.text("kubeconfig", out.kubeconfig);
  out.kubeconfig = resolve(out.kubeconfig);
  in.duration("authorizedCacheTTL", Duration::zero(), out.allowed_cache_ttl);
  in.duration("unauthorizedCacheTTL", Duration::zero(), out.denied_cache_ttl);
  in.texts("alwaysAllowPaths", out.always_allow_paths);
}

std::vector<std::string> check_serving(const ServingSettings& serving,
                                       const AuthenticationSettings& authentication) {
  std::vector<std::string> out;
  if (!is_ip(serving.bind_address)) {
    out.push_back("--bind-address must be an IP address, not " + json_string(serving.bind_address));
  }
  if (serving.certificate_file.empty() != serving.key_file.empty()) {
    out.emplace_back("--tls-cert-file and --tls-private-key-file need each other");
  }
  if (!parse_tls_version(serving.min_version)) {
    out.push_back(
        "--tls-min-version must be VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13, not " +
        json_string(serving.min_version));
  }
  for (const std::string& each : serving.curves) {
    if (curve_name(each)) continue;
    out.push_back(
        "--tls-curve-preferences must be numbers of Go's CurveID, 23, 24, 25, 29, 4587, 4588 or "
        "4589, not " +
        json_string(each));
  }
  for (const std::string& each : serving.named_pairs) {
    if (parse_named_files(each)) continue;
    out.push_back("--tls-sni-cert-key must be CERT,KEY or CERT,KEY:NAME,NAME, not " +
                  json_string(each));
  }
  check_headers(authentication, out);
  return out;
}

}  // namespace davit::host
