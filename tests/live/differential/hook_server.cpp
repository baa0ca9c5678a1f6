#include "tests/live/differential/hook_server.hpp"

#include <chrono>
#include <davit/base64.hpp>
#include <utility>

#include "lib/net/certificates.hpp"
#include "tests/live/support/process.hpp"

namespace davit::live {

namespace {

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

HookServer::HookServer(std::function<HttpServerResponse(const HttpServerRequest&)> respond) {
  const WallTime now =
      std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  const Result<KeyPair> authority = make_authority("hooks", now);
  if (!authority) give_up(authority.error().message());
  authority_ = authority->certificate;
  const Result<KeyPair> own = issue_certificate(
      *authority,
      {.common_name = "hook", .use = CertificateUse::kServer, .addresses = {"127.0.0.1"}}, now);
  if (!own) give_up(own.error().message());
  HttpServerOptions options;
  options.tls = TlsIdentity{own->certificate, own->key, authority_};
  Result<std::unique_ptr<HttpServer>> opened =
      HttpServer::open(options, std::move(respond), Logger(log_));
  if (!opened) give_up(opened.error().message());
  server_ = std::move(*opened);
}

std::string HookServer::endpoint() const { return "127.0.0.1:" + std::to_string(server_->port()); }

Json HookServer::client_config(const std::string& path) const {
  return Json::object(
      {{"url", "https://" + endpoint() + '/' + path}, {"caBundle", encode_base64(authority_)}});
}

std::string HookServer::steady(std::string answer) const {
  replace_all(answer, endpoint(), "$hooks");
  replace_all(answer, encode_base64(authority_), "$bundle");
  // A scheme is named after its source file, with more or less of the path as the server was built.
  replace_all(answer, "k8s.io/apiserver/pkg/util/webhook/", "pkg/util/webhook/");
  return answer;
}

}  // namespace davit::live
