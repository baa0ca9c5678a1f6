#include "tests/support/sandbox_api.hpp"

#include <cstdio>
#include <cstdlib>

#include "sandbox/auth/authenticator.hpp"
#include "sandbox/auth/rbac.hpp"
#include "sandbox/server/api_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::test {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kTick{100};
constexpr std::size_t kReadMax = std::size_t{1} << 20U;

sandbox::AuthenticatorOptions static_tokens() {
  sandbox::AuthenticatorOptions options;
  options.tokens.push_back(
      {"admin-token",
       {.name = "admin", .uid = "admin", .groups = {"system:masters"}, .extra = {}}});
  options.tokens.push_back(
      {"alice-token", {.name = "alice", .uid = "alice", .groups = {}, .extra = {}}});
  return options;
}

}  // namespace

struct SandboxApi::Parts {
  FakeClock clock;
  std::unique_ptr<Random> random = make_seeded_random(1);
  RecordingLogSink sink;
  sandbox::Store store{clock};
  sandbox::ServiceAccountTokens tokens{store, clock, "a key for tests"};
  sandbox::BootstrapTokens bootstrap_tokens{store, clock};
  std::unique_ptr<sandbox::Authenticator> authenticator =
      sandbox::make_authenticator(static_tokens(), &tokens, &bootstrap_tokens);
  std::unique_ptr<sandbox::Authorizer> authorizer = sandbox::make_rbac_authorizer(store);
  std::unique_ptr<sandbox::ApiServer> server;

  HttpServerResponse handle(const std::string& method, const std::string& target,
                            const checks::Headers& headers, const std::string& body) {
    HttpServerRequest request;
    request.method = method;
    request.target = target;
    request.headers = headers;
    request.body = body;
    // Limits bodies as the HTTP front does.
    constexpr std::size_t kBodyMax = 3 << 20;
    if (body.size() > kBodyMax) {
      request.body.clear();
      request.body_too_large = true;
    }
    return server->handle(request);
  }
};

SandboxApi::SandboxApi(const sandbox::KindGates& gates) : parts_(std::make_unique<Parts>()) {
  sandbox::ApiServerOptions options;
  options.kind_gates = gates;
  options.authenticator = parts_->authenticator.get();
  options.authorizer = parts_->authorizer.get();
  options.tokens = &parts_->tokens;
  auto server = sandbox::ApiServer::open(
      {parts_->store, parts_->clock, *parts_->random, Logger(parts_->sink)}, options);
  if (!server) {
    std::fprintf(stderr, "sandbox: %s\n", server.error().message().c_str());
    std::abort();
  }
  parts_->server = std::move(*server);
}

SandboxApi::~SandboxApi() = default;

checks::Reply SandboxApi::send(const std::string& method, const std::string& target,
                               const checks::Headers& headers, const std::string& body) {
  HttpServerResponse response = parts_->handle(method, target, headers, body);
  checks::Reply reply{response.status, std::move(response.headers), std::move(response.body)};
  reply.headers.emplace_back("Content-Type", response.content_type);
  return reply;
}

checks::Watched SandboxApi::watch(const std::string& target, const checks::Headers& headers,
                                  const std::function<void()>& then, std::size_t events, bool ends,
                                  std::chrono::seconds within) {
  static_cast<void>(events);  // Everything available is read; nothing arrives later by itself.
  HttpServerResponse response = parts_->handle("GET", target, headers, "");
  checks::Watched watched{{response.status, response.headers, response.body}, false};
  watched.reply.headers.emplace_back("Content-Type", response.content_type);
  if (!response.stream) {
    then();
    watched.ended = true;
    return watched;
  }
  const auto read = [&] {
    const auto state = response.stream->read(watched.reply.body, kReadMax);
    watched.ended = state != HttpBodyStream::State::kOpen;
  };
  read();
  then();
  if (!watched.ended) read();
  for (auto left = milliseconds(within); ends && !watched.ended && left.count() > 0;
       left -= kTick) {
    parts_->clock.advance(kTick);
    read();
  }
  return watched;
}

void SandboxApi::forget_history() { parts_->store.compact(); }

void SandboxApi::pass_time() { parts_->clock.advance(kTick); }

}  // namespace davit::test
