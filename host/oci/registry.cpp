#include "host/oci/registry.hpp"

#include <algorithm>
#include <chrono>
#include <davit/base64.hpp>
#include <davit/kube/ip.hpp>
#include <davit/mutant.hpp>
#include <davit/percent_code.hpp>
#include <optional>
#include <utility>

#include "host/api/rest_client.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/base/printable.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/trimmed.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

/// Storage of registries is often at another server, sometimes two away.
constexpr std::uint32_t kRedirectsMax = 5;
constexpr std::size_t kReplyBytesMax = std::size_t{64} << 10;  // Errors, tokens, upload sessions.
constexpr std::size_t kTagBytesMax = std::size_t{1} << 20;
constexpr int kTagPagesMax = 50;
/// A line so slow is a hanging one: 256 KiB/s.
constexpr std::size_t kBytesPerSecondMin = std::size_t{256} << 10;
constexpr Duration kShortest = std::chrono::seconds(60);

/// The limit of a request that carries so much.
Duration limit_of(std::size_t bytes) {
  return kShortest + std::chrono::seconds(bytes / kBytesPerSecondMin);
}

class NoMetrics final : public OutboundMetrics {
 public:
  void outbound_request(std::string_view /*controller*/, std::string_view /*host*/,
                        std::string_view /*code*/, Duration /*took*/) override {}
};

bool is_this_machine(std::string_view registry) {
  const std::string_view host = take_until(registry, ":");
  if (host == "localhost") return true;
  // A name may begin with 127, too.
  const std::optional<ip::Address> address = ip::Address::parse(host);
  return address && address->family == ip::Family::kIPv4 && address->is_loopback();
}

/// The server that serves the references of a registry.
std::string server_of(const std::string& registry) {
  if (registry == "docker.io") return "https://registry-1.docker.io";
  return (is_this_machine(registry) ? "http://" : "https://") + registry;
}

std::string_view header_of(const OutboundResponse& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

/// The registry's own words about a failure; bounded and printable.
std::string reason_in(const std::string& body) {
  constexpr std::size_t kReasonBytesMax = 200;
  const Result<Json> json = parse_json(body);
  if (!json || json->get("errors").items().empty()) return "";
  const Json& first = json->get("errors").items().front();
  const std::string text = first.text_at({"code"}) + ": " + first.text_at({"message"});
  return " (" + printable(text.substr(0, kReasonBytesMax)) + ")";
}

/// Whether the response is this server's, and not that of the target of a redirect.
bool is_from(const OutboundUrl& server, const OutboundResponse& response) {
  const Result<OutboundUrl> url = OutboundUrl::parse(response.url);
  return url && url->origin() == server.origin();
}

/// Whether a server of tokens means that this login may not, and not that it cannot respond now.
bool is_refusal(int http_status) {
  return http_status == 400 || http_status == 401 || http_status == 403 || http_status == 404;
}

/// The value of a parameter at the front of `text`, which loses it.
std::string take_value(std::string_view& text) {
  std::string out;
  if (!text.starts_with('"')) return std::string(trimmed(take_until(text, ",")));
  text.remove_prefix(1);
  while (!text.empty() && text.front() != '"') {
    if (text.front() == '\\' && text.size() > 1) text.remove_prefix(1);
    out += text.front();
    text.remove_prefix(1);
  }
  (void)take_until(text, ",");
  return out;
}

}  // namespace

AuthChallenge parse_challenge(std::string_view header) {
  AuthChallenge out;
  header = trimmed(header);
  out.scheme = lower_case(std::string(take_until(header, " ")));
  if (out.scheme == "basic") return out;
  if (out.scheme != "bearer") return {};
  while (!(header = trimmed(header)).empty()) {
    const std::size_t mark = header.find('=');
    if (mark == std::string_view::npos) break;
    const std::string name = lower_case(std::string(trimmed(header.substr(0, mark))));
    header = trimmed(header.substr(mark + 1));
    std::string value = take_value(header);
    if (name == "realm")
      out.realm = std::move(value);
    else if (name == "service")
      out.service = std::move(value);
  }
  return out;
}

struct Registry::Parts {
  Parts(OciReference r, std::optional<RegistryLogin> l, OutboundUrl s, const RegistryOptions& o,
        Clock& clock, const Logger& log)
      : reference(std::move(r)),
        login(std::move(l)),
        server(std::move(s)),
        stop(o.stop),
        client(clock, metrics, log, outbound(o)) {}

  OutboundOptions outbound(const RegistryOptions& options) const {
    OutboundOptions out;
    out.controller = "registry";
    out.user_agent = default_user_agent();
    out.roots = options.ca_file;
    out.connect = options.connect;
    // Storage may be anywhere, but never behind a redirect from HTTPS to plain HTTP.
    out.hosts = {{server.scheme, server.host, server.port},
                 {ServerUrl::Scheme::kHttps, "*", "443"}};
    return out;
  }

  [[nodiscard]] OutboundRequest request(std::string method, const std::string& path) const;
  /// Sends it, with a login where the registry asks for one.
  OutboundResponse send(const OutboundRequest& request);
  OutboundResponse send_once(OutboundRequest request);
  /// Meets the challenge of a 401: sets `authorization`.
  Status authorize(const OutboundResponse& refused);
  Result<std::string> fetch_token(const AuthChallenge& challenge);
  /// The error that a response means, or success.
  [[nodiscard]] Status judge(const OutboundResponse& response, std::string_view what) const;
  Status upload(const std::string& digest, const std::string& bytes);
  Status put_document(const char* type, const std::string& text, const std::string& as);

  const OciReference reference;
  const std::optional<RegistryLogin> login;
  const OutboundUrl server;
  const std::stop_token stop;
  bool pushes = false;        // The token must allow it.
  std::string authorization;  // Empty: not asked for yet.
  NoMetrics metrics;
  OutboundClient client;
};

OutboundRequest Registry::Parts::request(std::string method, const std::string& path) const {
  OutboundRequest out;
  out.effect =
      is_safe_method(method) ? OutboundRequest::Effect::kReads : OutboundRequest::Effect::kChanges;
  out.method = std::move(method);
  out.url = server;
  out.url.target = "/v2/" + reference.repository + path;
  out.timeout = kShortest;
  out.response_bytes_max = kReplyBytesMax;
  out.redirects_max = kRedirectsMax;
  return out;
}

OutboundResponse Registry::Parts::send_once(OutboundRequest request) {
  std::vector<OutboundRequest> one;
  one.push_back(std::move(request));
  return std::move(client.batch(std::move(one), stop).front());
}

OutboundResponse Registry::Parts::send(const OutboundRequest& request) {
  const auto with_login = [&] {
    OutboundRequest copy = request;
    if (!authorization.empty()) copy.headers.emplace_back("Authorization", authorization);
    return copy;
  };
  OutboundResponse response = send_once(with_login());
  if (!response.status.ok() || response.http_status != 401) return response;
  // Storage does not say where the registry's login goes.
  if (!is_from(server, response) && !mutant("redirect-realm")) return response;
  if (Status s = authorize(response); !s.ok()) {
    response.status = std::move(s);
    return response;
  }
  return send_once(with_login());
}

Status Registry::Parts::authorize(const OutboundResponse& refused) {
  const AuthChallenge challenge = parse_challenge(header_of(refused, "www-authenticate"));
  if (challenge.scheme == "bearer") {
    Result<std::string> token = fetch_token(challenge);
    if (!token) return token.error();
    authorization = "Bearer " + *token;
    return {};
  }
  if (challenge.scheme == "basic" && login) {
    authorization = "Basic " + encode_base64(login->user + ":" + login->password);
    return {};
  }
  return Status(Code::kForbidden, reference.registry +
                                      " asks for a login: put one into docker's config.json with "
                                      "docker login or podman login");
}

Result<std::string> Registry::Parts::fetch_token(const AuthChallenge& challenge) {
  const auto failed = [&](Code code, const std::string& why) {
    return Status(code, "the token for " + reference.registry + ": " + why);
  };
  const Result<OutboundUrl> url = OutboundUrl::parse(challenge.realm);
  if (!url) return failed(Code::kInvalid, "its realm is not a URL");
  // A login goes there. A registry without HTTPS is on this machine, and so may its tokens be.
  const bool is_local = server.scheme == ServerUrl::Scheme::kHttp && is_this_machine(url->host);
  if (url->scheme != ServerUrl::Scheme::kHttps && !is_local && !mutant("token-realm")) {
    return failed(Code::kForbidden, "its realm " + url->shown() + " is not HTTPS");
  }
  OutboundRequest request;
  request.url = *url;
  const bool has_query = url->target.find('?') != std::string::npos;
  request.url.target +=
      std::string(has_query ? "&" : "?") + "service=" + percent_escaped(challenge.service, "-._~") +
      "&scope=" +
      percent_escaped("repository:" + reference.repository + (pushes ? ":pull,push" : ":pull"),
                      "-._~");
  request.timeout = kShortest;
  request.response_bytes_max = kReplyBytesMax;
  if (login) {
    request.headers.emplace_back("Authorization",
                                 "Basic " + encode_base64(login->user + ":" + login->password));
  }
  const OutboundResponse response = send_once(std::move(request));
  if (!response.status.ok()) return failed(response.status.code(), response.status.message());
  if (response.http_status != 200) {
    return failed(is_refusal(response.http_status) ? Code::kForbidden : Code::kUnavailable,
                  "the server of tokens responds with " + std::to_string(response.http_status) +
                      (login ? "" : "; there is no login in docker's config"));
  }
  const Result<Json> json = parse_json(response.body);
  if (!json) return failed(Code::kInvalid, "the server of tokens sends something else");
  const std::string& token = json->text_at({"token"});
  const std::string& other = json->text_at({"access_token"});
  if (!token.empty()) return token;
  return other.empty() ? failed(Code::kInvalid, "there is none in the response")
                       : Result<std::string>(other);
}

Status Registry::Parts::judge(const OutboundResponse& response, std::string_view what) const {
  const std::string where = reference.registry + "/" + reference.repository + ": ";
  if (response.status.code() == Code::kUndeclared) {
    return Status(Code::kForbidden, where + std::string(what) +
                                        " is behind a redirect to a server without HTTPS, or on "
                                        "another port than 443");
  }
  if (!response.status.ok()) return response.status;
  if (response.http_status >= 200 && response.http_status < 300) return {};
  const std::string text = where + std::string(what) + ": the registry responds with " +
                           std::to_string(response.http_status) + reason_in(response.body);
  if (response.http_status == 404) return Status(Code::kNotFound, text);
  const bool refused = response.http_status == 401 || response.http_status == 403;
  return Status(refused ? Code::kForbidden : Code::kUnavailable, text);
}

Status Registry::Parts::upload(const std::string& digest, const std::string& bytes) {
  const OutboundResponse there = send(request("HEAD", "/blobs/" + digest));
  if (there.status.ok() && there.http_status == 200) return {};
  const OutboundResponse begun = send(request("POST", "/blobs/uploads/"));
  if (Status s = judge(begun, "the upload"); !s.ok()) return s;
  const Result<OutboundUrl> location = begun.http_status == 202
                                           ? server.resolve(header_of(begun, "location"))
                                           : Status(Code::kInvalid, "");
  if (!location || location->origin() != server.origin()) {
    return Status(Code::kUnavailable,
                  reference.registry + " does not say where to upload, or names another server");
  }
  OutboundRequest put = request("PUT", "");
  put.url = *location;
  const bool has_query = put.url.target.find('?') != std::string::npos;
  put.url.target += (has_query ? "&digest=" : "?digest=") + percent_escaped(digest, "-._~");
  put.headers = {{"Content-Type", "application/octet-stream"}};
  put.body = bytes;
  put.timeout = limit_of(bytes.size());
  return judge(send(put), "the upload of " + digest);
}

Status Registry::Parts::put_document(const char* type, const std::string& text,
                                     const std::string& as) {
  OutboundRequest put = request("PUT", "/manifests/" + as);
  put.headers = {{"Content-Type", type}};
  put.body = text;
  return judge(send(put), as);
}

Registry::Registry(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Registry::~Registry() = default;

Result<std::unique_ptr<Registry>> Registry::open(const OciReference& reference,
                                                 const RegistryOptions& options, Clock& clock,
                                                 const Logger& log) {
  Result<OutboundUrl> server = OutboundUrl::parse(server_of(reference.registry));
  if (!server) return Status(Code::kInvalid, reference.registry + " is not a registry");
  Result<std::optional<RegistryLogin>> login = read_login(options.login_file, reference.registry);
  if (!login) return login.error();
  return std::make_unique<Registry>(std::make_unique<Parts>(
      reference, *std::move(login), *std::move(server), options, clock, log));
}

Result<std::string> Registry::document(const std::string& wanted) {
  OutboundRequest get = parts_->request("GET", "/manifests/" + wanted);
  get.headers = {{"Accept", std::string(kOciIndexType) + ", " + kOciManifestType}};
  get.response_bytes_max = OciLimits::kDocumentBytes;
  OutboundResponse response = parts_->send(get);
  if (Status s = parts_->judge(response, wanted); !s.ok()) return s;
  return std::move(response.body);
}

Result<std::string> Registry::blob(const OciDescriptor& descriptor) {
  OutboundRequest get = parts_->request("GET", "/blobs/" + descriptor.digest);
  get.response_bytes_max = descriptor.size;
  get.timeout = limit_of(descriptor.size);
  OutboundResponse response = parts_->send(get);
  if (Status s = parts_->judge(response, descriptor.digest); !s.ok()) return s;
  return std::move(response.body);
}

Status Registry::push(const OciArtifact& artifact, const std::string& tag) {
  const Result<OciIndex> index = parse_oci_index(artifact.index);
  if (!index) return index.error();
  parts_->pushes = true;
  ArtifactSource source(artifact);
  for (const OciIndexEntry& each : index->entries) {
    const Result<std::string> text = source.document(each.manifest.digest);
    const Result<OciManifest> manifest = text ? parse_oci_manifest(*text) : text.error();
    if (!manifest) return manifest.error();
    for (const OciDescriptor& part : {manifest->config, manifest->layer}) {
      const Result<std::string> bytes = source.blob(part);
      if (!bytes) return bytes.error();
      if (Status s = parts_->upload(part.digest, *bytes); !s.ok()) return s;
    }
    const Status put = parts_->put_document(kOciManifestType, *text, each.manifest.digest);
    if (!put.ok()) return put;
  }
  return parts_->put_document(kOciIndexType, artifact.index, tag.empty() ? artifact.digest() : tag);
}

Result<std::vector<std::string>> Registry::tags() {
  std::vector<std::string> out;
  OutboundRequest get = parts_->request("GET", "/tags/list?n=1000");
  get.response_bytes_max = kTagBytesMax;
  for (int page = 0; page < kTagPagesMax; ++page) {
    const OutboundResponse response = parts_->send(get);
    if (Status s = parts_->judge(response, "the list of tags"); !s.ok()) return s;
    const Result<Json> json = parse_json(response.body);
    if (!json) return json.error().with_context(parts_->reference.registry + ": the list of tags");
    for (const Json& each : json->get("tags").items()) {
      if (is_oci_tag(each.text())) out.push_back(each.text());
    }
    // Link: </v2/team/greeter/tags/list?last=1.2.0&n=1000>; rel="next"
    std::string_view link = header_of(response, "link");
    if (!link.starts_with('<')) return out;
    link.remove_prefix(1);
    const Result<OutboundUrl> next = get.url.resolve(take_until(link, ">"));
    if (!next || next->origin() != get.url.origin()) return out;
    get.url = *next;
  }
  return out;
}

}  // namespace davit::host
