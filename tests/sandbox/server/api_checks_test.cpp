// The black-box checks that a real kube-apiserver passes, on the server as a library.
#include "tests/support/api_checks/api_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sandbox/auth/authenticator.hpp"
#include "sandbox/auth/rbac.hpp"
#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

using namespace std::chrono_literals;

/// Time passes only where a real server would let it pass, so the checks take no time.
class LibraryServer final : public checks::Server {
 public:
  LibraryServer() {
    Identity admin;
    admin.user = "admin";
    admin.groups = {std::string(kMastersGroup)};
    Identity alice;
    alice.user = "alice";
    AuthenticatorOptions tokens;
    tokens.tokens = {{"admin-token", admin}, {"alice-token", alice}};
    authenticator_ = make_authenticator(std::move(tokens), &accounts_);
    authorizer_ = make_rbac_authorizer(sandbox_.store);
    ApiServerOptions options;
    options.authenticator = authenticator_.get();
    options.authorizer = authorizer_.get();
    options.tokens = &accounts_;
    auto opened = ApiServer::open(
        {sandbox_.store, sandbox_.clock, *sandbox_.random, host::Log(sandbox_.log)}, options);
    server_ = std::move(*opened);
  }

  [[nodiscard]] checks::Answer send(const std::string& method, const std::string& target,
                                    const checks::Headers& headers,
                                    const std::string& body) override {
    Response response = server_->handle(request(method, target, headers, body));
    return answer(response);
  }

  [[nodiscard]] checks::Watched watch(const std::string& target, const checks::Headers& headers,
                                      const std::function<void()>& then, std::size_t, bool ends,
                                      std::chrono::seconds within) override {
    Response response = server_->handle(request("GET", target, headers, ""));
    if (response.stream == nullptr) return {answer(response), true};
    auto state = response.stream->read(response.body, 1 << 20);
    then();
    if (ends) sandbox_.clock.advance(within);
    if (state == BodyStream::State::kOpen) state = response.stream->read(response.body, 1 << 20);
    return {answer(response), state == BodyStream::State::kEnded};
  }

  void forget_history() override { sandbox_.store.compact(); }
  void pass_time() override { sandbox_.clock.advance(100ms); }

 private:
  static Request request(const std::string& method, const std::string& target,
                         const checks::Headers& headers, const std::string& body) {
    Request out;
    out.method = method;
    out.target = target;
    out.headers = headers;
    out.body = body;
    return out;
  }
  static checks::Answer answer(Response& response) {
    response.headers.emplace_back("Content-Type", response.content_type);
    return {response.status, std::move(response.headers), std::move(response.body)};
  }

  Sandbox sandbox_;
  ServiceAccountTokens accounts_{sandbox_.store, sandbox_.clock, "a key for tests"};
  std::unique_ptr<Authenticator> authenticator_;
  std::unique_ptr<Authorizer> authorizer_;
  std::unique_ptr<ApiServer> server_;
};

TEST(ApiChecksTest, HoldButForTheListedDifferences) {
  LibraryServer server;
  checks::Runner runner(server, checks::load_differences("sandbox"));

  for (const checks::Check& check : checks::load_checks()) {
    for (const std::string& each : runner.play(check)) {
      ADD_FAILURE() << check.id << ' ' << check.title << "\n  " << each;
    }
  }
}

}  // namespace
}  // namespace davit::sandbox
