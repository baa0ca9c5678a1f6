#include "host/serving/client_trust.hpp"

#include <algorithm>
#include <davit/base64.hpp>
#include <davit/percent_code.hpp>
#include <utility>

#include "lib/base/lower_case.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

using Pool = std::shared_ptr<const CertificatePool>;

/// The token in "Bearer <token>"; "" if there is none
/// (k8s.io/apiserver/pkg/authentication/request/bearertoken).
std::string bearer_token(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  while (header.starts_with(' ')) header.remove_prefix(1);
  if (lower_case(std::string(header.substr(0, kScheme.size()))) != kScheme) return {};
  header.remove_prefix(kScheme.size());
  return std::string(header.substr(0, header.find(' ')));
}

/// The token that a browser's WebSocket sends, because it can set no other header.
std::string web_socket_token(const HttpServerRequest& request) {
  constexpr std::string_view kPrefix = "base64url.bearer.authorization.k8s.io.";
  const std::string_view header = request.header("Sec-WebSocket-Protocol");
  const std::size_t at = header.find(kPrefix);
  if (at == std::string_view::npos) return {};
  const std::string_view text = header.substr(at + kPrefix.size());
  return decode_base64_url(text.substr(0, text.find_first_of(", "))).value_or("");
}

std::string first_header(const HttpServerRequest& request, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::string_view value = request.header(name);
    if (!value.empty()) return std::string(value);
  }
  return {};
}

std::vector<std::string> all_headers(const HttpServerRequest& request,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    for (const auto& [key, value] : request.headers) {
      if (lower_case(key) == lower_case(name)) out.push_back(value);
    }
  }
  return out;
}

void read_extra(const HttpServerRequest& request, const std::vector<std::string>& prefixes,
                UserInfo& out) {
  for (const std::string& each : prefixes) {
    const std::string prefix = lower_case(each);
    for (const auto& [header, value] : request.headers) {
      const std::string name = lower_case(header);
      if (!name.starts_with(prefix)) continue;
      const std::string escaped = name.substr(prefix.size());
      const std::string key = lower_case(percent_unescaped(escaped).value_or(escaped));
      const auto found = std::find_if(out.extra.begin(), out.extra.end(),
                                      [&key](const auto& extra) { return extra.first == key; });
      if (found == out.extra.end()) {
        out.extra.push_back({key, {value}});
      } else {
        found->second.push_back(value);
      }
    }
  }
}

/// The user that a trusted proxy names; nothing if the request is not from one.
std::optional<ShownCredentials> of_proxy(const HttpServerRequest& request,
                                         const ClientTrust::Proxies& proxies, WallTime now) {
  if (!proxies.authorities) return std::nullopt;
  const std::optional<CertificateSubject> proxy =
      proxies.authorities->verify_client(*request.peer->chain, now);
  if (!proxy) return std::nullopt;
  const std::vector<std::string>& allowed = proxies.allowed_names;
  const bool is_allowed = allowed.empty() || std::find(allowed.begin(), allowed.end(),
                                                       proxy->common_name) != allowed.end();
  UserInfo user{.name = first_header(request, proxies.username_headers)};
  if (!is_allowed || user.name.empty()) return std::nullopt;
  user.uid = first_header(request, proxies.uid_headers);
  user.groups = all_headers(request, proxies.group_headers);
  read_extra(request, proxies.extra_header_prefixes, user);
  return ShownCredentials{ShownCredentials::Kind::kUser, std::move(user), "", proxy->not_after};
}

std::optional<ShownCredentials> of_certificate(const HttpServerRequest& request,
                                               const Pool& authorities, WallTime now) {
  if (!authorities) return std::nullopt;
  std::optional<CertificateSubject> holder = authorities->verify_client(*request.peer->chain, now);
  if (!holder || holder->common_name.empty()) return std::nullopt;
  UserInfo user{.name = std::move(holder->common_name),
                .uid = std::move(holder->uid),
                .groups = std::move(holder->organizations)};
  user.extra.push_back(
      {"authentication.kubernetes.io/credential-id", {"X509SHA256=" + holder->sha256}});
  return ShownCredentials{ShownCredentials::Kind::kUser, std::move(user), "", holder->not_after};
}

Result<Pool> read_pool(const std::string& file) {
  if (file.empty()) return Pool();
  const Result<std::string> pem = read_text_file(file);
  if (!pem) return pem.error().with_context(file);
  Result<Pool> pool = CertificatePool::from_pem(*pem);
  if (!pool) return pool.error().with_context(file);
  return pool;
}

/// A list of strings in JSON, the form of the ConfigMap's values.
Status read_list(const Json& data, std::string_view key, std::vector<std::string>& out) {
  out.clear();
  const std::string& text = data.get(key).text();
  if (text.empty()) return {};
  const Result<Json> list = parse_json(text);
  if (!list || !list->is_array()) {
    return {Code::kInvalid, std::string(key) + " is not a list of strings in JSON"};
  }
  for (const Json& each : list->items()) out.push_back(each.text());
  return {};
}

Status read_proxies(const Json& data, ClientTrust::Proxies& out) {
  ClientTrust::Proxies read;
  const std::string& pem = data.get("requestheader-client-ca-file").text();
  if (!pem.empty()) {
    Result<Pool> pool = CertificatePool::from_pem(pem);
    if (!pool) return pool.error().with_context("requestheader-client-ca-file");
    read.authorities = *std::move(pool);
  }
  for (const auto& [key, list] :
       {std::pair("requestheader-allowed-names", &read.allowed_names),
        std::pair("requestheader-username-headers", &read.username_headers),
        std::pair("requestheader-uid-headers", &read.uid_headers),
        std::pair("requestheader-group-headers", &read.group_headers),
        std::pair("requestheader-extra-headers-prefix", &read.extra_header_prefixes)}) {
    if (Status s = read_list(data, key, *list); !s.ok()) return s;
  }
  out = std::move(read);
  return {};
}

}  // namespace

ShownCredentials read_credentials(const HttpServerRequest& request, const ClientTrust& trust,
                                  WallTime now) {
  const bool has_certificate = request.peer && request.peer->chain;
  if (has_certificate) {
    if (std::optional<ShownCredentials> proxy = of_proxy(request, trust.proxies, now)) {
      return *std::move(proxy);
    }
    if (std::optional<ShownCredentials> own = of_certificate(request, trust.authorities, now)) {
      return *std::move(own);
    }
  }
  std::string token = bearer_token(request.header("Authorization"));
  if (token.empty()) token = web_socket_token(request);
  if (!token.empty()) return {ShownCredentials::Kind::kToken, {}, std::move(token)};
  // Without an authority, certificates count as absent, as upstream.
  const bool was_judged = trust.authorities || trust.proxies.authorities;
  if (has_certificate && was_judged) return {ShownCredentials::Kind::kRefused};
  return {};
}

Result<std::unique_ptr<TrustSource>> TrustSource::open(const AuthenticationSettings& settings) {
  auto source = std::make_unique<TrustSource>(settings);
  if (Status s = source->reread(); !s.ok()) return s;
  return source;
}

std::shared_ptr<const ClientTrust> TrustSource::current() const {
  MutexLock lock(mutex_);
  return current_;
}

Status TrustSource::apply(const Json& data) {
  ClientTrust next = *current();
  Status status;
  if (settings_.client_ca_file.empty()) {
    const std::string& pem = data.get("client-ca-file").text();
    Result<Pool> pool = pem.empty() ? Result<Pool>(Pool()) : CertificatePool::from_pem(pem);
    if (pool) {
      next.authorities = *std::move(pool);
    } else {
      status = pool.error().with_context("client-ca-file");
    }
  }
  if (settings_.request_header_ca_file.empty()) {
    if (Status s = read_proxies(data, next.proxies); !s.ok()) status = s;
  }
  MutexLock lock(mutex_);
  current_ = std::make_shared<const ClientTrust>(std::move(next));
  return status;
}

Status TrustSource::reread() {
  ClientTrust next = *current();
  Status status;
  Result<Pool> clients = read_pool(settings_.client_ca_file);
  if (!clients) status = clients.error().with_context("--client-ca-file");
  if (clients && *clients) next.authorities = *std::move(clients);
  Result<Pool> proxies = read_pool(settings_.request_header_ca_file);
  if (!proxies) status = proxies.error().with_context("--requestheader-client-ca-file");
  if (proxies && *proxies) {
    next.proxies = {*std::move(proxies),        settings_.request_header_allowed_names,
                    settings_.username_headers, settings_.uid_headers,
                    settings_.group_headers,    settings_.extra_header_prefixes};
  }
  MutexLock lock(mutex_);
  current_ = std::make_shared<const ClientTrust>(std::move(next));
  return status;
}

}  // namespace davit::host
