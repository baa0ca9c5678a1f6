#include "sandbox/http/credentials.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <davit/base64.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "lib/base/json_text.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/kube/json.hpp"

namespace davit::sandbox {
namespace {

constexpr const char* kAuthorityName = "davit-sandbox-ca";
constexpr std::size_t kSecretBytes = 32;
/// Certificates with less time left are renewed.
constexpr auto kRenewBefore = std::chrono::hours(24 * 60);
/// The names of the server for pods of a cluster.
constexpr const char* kServerNames[] = {"localhost", "kubernetes", "kubernetes.default",
                                        "kubernetes.default.svc",
                                        "kubernetes.default.svc.cluster.local"};

std::int64_t seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::string whole_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

Json to_json(const KeyPair& pair) {
  return Json::object({{"certificate", pair.certificate}, {"key", pair.key}});
}

KeyPair pair_of(const Json& json) {
  return {json.get("certificate").text(), json.get("key").text()};
}

std::string to_document(const Credentials& credentials) {
  Json addresses = Json::array();
  for (const std::string& each : credentials.addresses) addresses.push_back(each);
  return to_pretty_text(Json::object({{"authority", to_json(credentials.authority)},
                                      {"server", to_json(credentials.server)},
                                      {"admin", to_json(credentials.admin)},
                                      {"adminToken", credentials.admin_token},
                                      {"tokenKey", credentials.token_key},
                                      {"addresses", std::move(addresses)},
                                      {"renewAt", credentials.renew_at}})) +
         "\n";
}

std::optional<Credentials> read_document(const std::string& text) {
  const Result<Json> json = parse_json(text);
  if (!json) return std::nullopt;
  Credentials out;
  out.authority = pair_of(json->get("authority"));
  out.server = pair_of(json->get("server"));
  out.admin = pair_of(json->get("admin"));
  out.admin_token = json->get("adminToken").text();
  out.token_key = json->get("tokenKey").text();
  for (const Json& each : json->get("addresses").items()) out.addresses.push_back(each.text());
  out.renew_at = json->get("renewAt").integer_or(0);
  const bool whole = !out.authority.key.empty() && !out.server.key.empty() &&
                     !out.admin.key.empty() && !out.admin_token.empty() && !out.token_key.empty();
  return whole ? std::optional(std::move(out)) : std::nullopt;
}

/// The server's certificate, for these addresses and those that it had.
Status issue_server(Credentials& credentials, const std::vector<std::string>& addresses,
                    WallTime now) {
  for (const std::string& each : addresses) {
    std::vector<std::string>& known = credentials.addresses;
    if (std::find(known.begin(), known.end(), each) == known.end()) known.push_back(each);
  }
  CertificateRequest request{.common_name = "davit-sandbox", .use = CertificateUse::kServer};
  request.dns_names.assign(std::begin(kServerNames), std::end(kServerNames));
  request.addresses = credentials.addresses;
  Result<KeyPair> server = issue_certificate(credentials.authority, request, now);
  if (!server) return server.error();
  credentials.server = std::move(*server);
  return {};
}

bool covers(const std::vector<std::string>& known, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& each) {
    return std::find(known.begin(), known.end(), each) != known.end();
  });
}

}  // namespace

Result<Credentials> make_credentials(std::vector<std::string> addresses, WallTime now) {
  Credentials out;
  Result<KeyPair> authority = make_authority(kAuthorityName, now);
  if (!authority) return authority.error();
  out.authority = std::move(*authority);
  Result<KeyPair> admin = issue_certificate(
      out.authority, {.common_name = kAdminUser, .organizations = {"system:masters"}}, now);
  if (!admin) return admin.error();
  out.admin = std::move(*admin);
  Result<std::string> token = random_secret(kSecretBytes);
  if (!token) return token.error();
  out.admin_token = std::move(*token);
  Result<std::string> key = random_secret(kSecretBytes);
  if (!key) return key.error();
  out.token_key = std::move(*key);
  if (Status s = issue_server(out, addresses, now); !s.ok()) return s;
  out.renew_at = seconds(now + kCertificateTime - kRenewBefore);
  return out;
}

Result<Credentials> keep_credentials(const std::string& file, std::vector<std::string> addresses,
                                     WallTime now) {
  std::optional<Credentials> kept = read_document(whole_file(file));
  if (kept && kept->renew_at > seconds(now)) {
    if (covers(kept->addresses, addresses)) return std::move(*kept);
    if (issue_server(*kept, addresses, now).ok()) {
      if (Status s = replace_file(file, to_document(*kept), Readable::kByOwner); !s.ok()) return s;
      return std::move(*kept);
    }
  }
  Result<Credentials> made = make_credentials(std::move(addresses), now);
  if (!made) return made.error();
  if (kept) made->token_key = kept->token_key;
  if (Status s = replace_file(file, to_document(*made), Readable::kByOwner); !s.ok()) return s;
  return made;
}

Status keep_private_key(const std::string& file) {
  if (!whole_file(file).empty()) return {};
  const Result<std::string> key = make_private_key();
  return key ? replace_file(file, *key, Readable::kByOwner) : key.error();
}

std::string admin_kubeconfig(const Credentials& credentials, const KubeconfigTarget& target) {
  const bool tls = target.server.starts_with("https://");
  const std::string name = json_string(target.name);
  std::string out = "apiVersion: v1\nkind: Config\ncurrent-context: " + name + "\n";
  out += "clusters:\n- name: " + name + "\n  cluster:\n    server: " + json_string(target.server) +
         "\n";
  if (tls) {
    out += "    certificate-authority-data: " + encode_base64(credentials.authority.certificate) +
           "\n";
  }
  out += "users:\n- name: " + name + "\n  user:\n";
  if (tls) {
    out += "    client-certificate-data: " + encode_base64(credentials.admin.certificate) + "\n";
    out += "    client-key-data: " + encode_base64(credentials.admin.key) + "\n";
  } else {
    out += "    token: " + json_string(credentials.admin_token) + "\n";
  }
  return out + "contexts:\n- name: " + name + "\n  context:\n    cluster: " + name +
         "\n    user: " + name + "\n";
}

}  // namespace davit::sandbox
