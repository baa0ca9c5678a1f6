#include "host/serving/access_control.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <davit/mutant.hpp>
#include <utility>

#include "lib/base/json_text.hpp"
#include "lib/base/lower_case.hpp"
#include "lib/base/utf8.hpp"

namespace davit::host {
namespace {

/// Between two looks for an answer: too short to notice, and cheap.
constexpr Duration kPoll = std::chrono::milliseconds(5);
constexpr std::size_t kTokenKeyBytes = 32;
/// Longer questions are not kept (k8s.io/apiserver/plugin/pkg/authorizer/webhook).
constexpr std::size_t kKeptSpecMax = 10'000;
/// So much of a path stands in a line of the log: strangers choose it.
constexpr std::size_t kLoggedPathMax = 256;

std::string random_bytes(std::size_t count) {
  std::string out(count, '\0');
  RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(count));
  return out;
}

/// A Status of the API, as upstream's server responds.
HttpServerResponse failure(int code, std::string_view reason, const std::string& message) {
  HttpServerResponse response = json_response(
      code, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)" +
                json_string(message) + R"(,"reason":)" + json_string(reason) +
                R"(,"details":{},"code":)" + std::to_string(code) + "}");
  response.headers = {{"Cache-Control", "no-cache, private"},
                      {"X-Content-Type-Options", "nosniff"}};
  return response;
}

/// The memory of the user's texts, with what each string takes by itself.
std::size_t bytes_of(const UserInfo& user) {
  std::size_t bytes = user.name.size() + user.uid.size();
  for (const std::string& group : user.groups) bytes += sizeof group + group.size();
  for (const auto& [key, values] : user.extra) {
    bytes += sizeof key + key.size();
    for (const std::string& value : values) bytes += sizeof value + value.size();
  }
  return bytes;
}

HttpServerResponse unauthorized() { return failure(401, "Unauthorized", "Unauthorized"); }

HttpServerResponse unavailable(const std::string& what) {
  HttpServerResponse response = failure(503, "ServiceUnavailable", what);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpServerResponse forbidden(const UserInfo& user, const AccessAttributes& what,
                             const std::string& reason) {
  return failure(403, "Forbidden",
                 "forbidden: User " + json_string(user.name) + " cannot " + what.verb + " path " +
                     json_string(what.path) + (reason.empty() ? "" : ": " + reason));
}

}  // namespace

/// One request on its way to its page.
class AccessControl::Passage final : public HttpDeferredResponse {
 public:
  Passage(AccessControl& control, HttpServerRequest request)
      : control_(control), request_(std::move(request)), began_(control.seams_.clock.now()) {
    what_.path = std::string(request_.path());
    what_.verb = lower_case(request_.method);
  }

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    for (;;) {
      const Step before = step_;
      std::optional<HttpServerResponse> response = advance();
      if (response || step_ == before) return response;
    }
  }
  [[nodiscard]] Time next_take() const override {
    return page_ ? page_->next_take() : control_.seams_.clock.now() + kPoll;
  }

 private:
  enum class Step { kCredentials, kToken, kAccess, kAnswer, kPage, kLatePage };

  std::optional<HttpServerResponse> advance() {
    switch (step_) {
      case Step::kCredentials:
        return look_at_credentials();
      case Step::kToken:
        return await_token();
      case Step::kAccess:
        return look_at_access();
      case Step::kAnswer:
        return await_answer();
      case Step::kPage:
        return serve();
      case Step::kLatePage:
        return page_->take();
    }
    return std::nullopt;
  }

  std::optional<HttpServerResponse> look_at_credentials() {
    const WallTime now = control_.seams_.clock.wall_now();
    ShownCredentials shown = read_credentials(request_, *control_.seams_.trust.current(), now);
    if (shown.certificate_expires) {
      control_.seams_.metrics.client_certificate(*shown.certificate_expires - now);
    }
    credentials_ = control_.name_of(shown);
    if (control_.known_.has(credentials_, control_.seams_.clock.now())) {
      line_ = RequestThreads::Line::kFirst;
    }
    switch (shown.kind) {
      case ShownCredentials::Kind::kUser:
        accept(std::move(shown.user));
        break;
      case ShownCredentials::Kind::kToken:
        token_ = control_.review_token(shown.token, line_);
        step_ = Step::kToken;
        break;
      case ShownCredentials::Kind::kAnonymous:
        enter(
            {.name = std::string(kAnonymousUser), .groups = {std::string(kUnauthenticatedGroup)}});
        break;
      case ShownCredentials::Kind::kRefused:
        count_authentication(ServingMetrics::Outcome::kFailure);
        return unauthorized();
    }
    return std::nullopt;
  }

  std::optional<HttpServerResponse> await_token() {
    std::optional<Result<std::optional<UserInfo>>> known = token_->result();
    if (!known) return std::nullopt;
    // Upstream counts a token that is not valid as an error, too.
    if (!*known || !**known) count_authentication(ServingMetrics::Outcome::kFailure);
    if (!*known) {
      // Probes keep being served while the API server is away.
      if (control_.is_always_allowed(what_.path)) {
        step_ = Step::kPage;
        return std::nullopt;
      }
      control_.log_.warning("Cannot review a token", {{"err", known->error().message()}});
      return unavailable("the API server cannot review the token now");
    }
    if (!**known) return unauthorized();
    accept(***known);
    return std::nullopt;
  }

  void accept(UserInfo user) {
    if (!user.in_group(kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
    enter(std::move(user));
  }

  /// The user is known: the access is next.
  void enter(UserInfo user) {
    user_ = std::move(user);
    count_authentication(ServingMetrics::Outcome::kSuccess);
    control_.seams_.metrics.authenticated_user(user_.name);
    began_ = control_.seams_.clock.now();
    step_ = Step::kAccess;
  }

  void count_authentication(ServingMetrics::Outcome outcome) {
    control_.seams_.metrics.authentication(outcome, control_.seams_.clock.now() - began_);
  }
  void count_authorization(ServingMetrics::Decision decision) {
    control_.seams_.metrics.authorization(decision, control_.seams_.clock.now() - began_);
  }

  std::optional<HttpServerResponse> look_at_access() {
    step_ = Step::kPage;
    const bool is_open = control_.is_always_allowed(what_.path);
    if (is_open || user_.in_group(kMastersGroup)) {
      if (!is_open) remember();
      count_authorization(ServingMetrics::Decision::kAllowed);
      return std::nullopt;
    }
    answer_ = control_.review_access(user_, what_, line_);
    step_ = Step::kAnswer;
    return std::nullopt;
  }

  /// The credentials may read a page that not everybody may read.
  void remember() {
    if (credentials_.empty()) return;
    control_.known_.accepted(credentials_, control_.seams_.clock.now());
  }

  std::optional<HttpServerResponse> await_answer() {
    const std::optional<Result<AccessAnswer>> known = answer_->result();
    if (!known) return std::nullopt;
    using Decision = ServingMetrics::Decision;
    count_authorization(!*known             ? Decision::kError
                        : (*known)->allowed ? Decision::kAllowed
                        : (*known)->denied  ? Decision::kDenied
                                            : Decision::kNoOpinion);
    if (!*known) {
      control_.log_.warning("Cannot review an access",
                            {{"user", user_.name},
                             {"path", std::string(utf8_prefix(what_.path, kLoggedPathMax))},
                             {"err", known->error().message()}});
      return unavailable("the API server cannot review the access now");
    }
    if (!(*known)->allowed) return forbidden(user_, what_, (*known)->reason);
    remember();
    step_ = Step::kPage;
    return std::nullopt;
  }

  std::optional<HttpServerResponse> serve() {
    HttpServerResponse response = control_.seams_.pages(request_);
    if (!response.deferred) return response;
    page_ = std::move(response.deferred);
    step_ = Step::kLatePage;
    return std::nullopt;
  }

  AccessControl& control_;
  const HttpServerRequest request_;
  AccessAttributes what_;
  Step step_ = Step::kCredentials;
  Time began_;  // The authentication, then the authorization.
  UserInfo user_;
  std::string credentials_;  // Their name; empty: there are none.
  RequestThreads::Line line_ = RequestThreads::Line::kOthers;
  std::shared_ptr<const Review<std::optional<UserInfo>>> token_;
  std::shared_ptr<const Review<AccessAnswer>> answer_;
  std::unique_ptr<HttpDeferredResponse> page_;
};

AccessControl::AccessControl(const AuthenticationSettings& authentication,
                             const AuthorizationSettings& authorization, Seams seams,
                             const Logger& log)
    : token_ttl_(authentication.token_cache_ttl),
      authorization_(authorization),
      seams_(std::move(seams)),
      log_(log),
      token_key_(random_bytes(kTokenKeyBytes)) {}

AccessControl::~AccessControl() = default;

HttpServerResponse AccessControl::handle(const HttpServerRequest& request) {
  auto passage = std::make_unique<Passage>(*this, request);
  if (std::optional<HttpServerResponse> now = passage->take()) return *std::move(now);
  HttpServerResponse later;
  later.deferred = std::move(passage);
  return later;
}

bool AccessControl::is_always_allowed(std::string_view path) const {
  const std::vector<std::string>& paths = authorization_.always_allow_paths;
  return std::any_of(paths.begin(), paths.end(), [path](std::string_view each) {
    if (!each.ends_with('*')) return path == each;
    each.remove_suffix(1);
    return path.starts_with(each);
  });
}

std::string AccessControl::name_of(const std::string& token) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned size = 0;
  HMAC(EVP_sha256(), token_key_.data(), static_cast<int>(token_key_.size()),
       reinterpret_cast<const unsigned char*>(token.data()), token.size(), sum.data(), &size);
  return {reinterpret_cast<const char*>(sum.data()), size};
}

std::string AccessControl::name_of(const ShownCredentials& shown) const {
  if (shown.kind == ShownCredentials::Kind::kToken) return name_of(shown.token);
  if (shown.kind != ShownCredentials::Kind::kUser) return {};
  return name_of(AccessReviews::spec_of(shown.user, {}));  // Not a token: it begins with a brace.
}

bool AccessControl::is_known(const HttpServerRequest& request) const {
  if (mutant("known-places")) return false;
  const ShownCredentials shown =
      read_credentials(request, *seams_.trust.current(), seams_.clock.wall_now());
  return known_.has(name_of(shown), seams_.clock.now());
}

std::shared_ptr<const Review<std::optional<UserInfo>>> AccessControl::review_token(
    const std::string& token, RequestThreads::Line line) {
  const Time began = seams_.clock.now();
  auto asked = tokens_.ask(
      name_of(token), line, [this, token](std::stop_token stop) -> Result<TokenReviews::Fetched> {
        seams_.metrics.token_fetch_began();
        Result<std::optional<UserInfo>> user = seams_.reviews.review_token(token, stop);
        seams_.metrics.token_fetch_ended(user ? ServingMetrics::Outcome::kSuccess
                                              : ServingMetrics::Outcome::kFailure);
        if (!user) return user.error();
        const std::size_t bytes = *user ? bytes_of(**user) : 0;
        return TokenReviews::Fetched{*std::move(user), token_ttl_, bytes};
      });
  const bool is_hit = asked.source == TokenReviews::Asked::Source::kCache;
  seams_.metrics.token_cache_request(
      is_hit ? ServingMetrics::CacheUse::kHit : ServingMetrics::CacheUse::kMiss,
      seams_.clock.now() - began);
  return asked.review;
}

std::shared_ptr<const Review<AccessAnswer>> AccessControl::review_access(
    const UserInfo& user, const AccessAttributes& what, RequestThreads::Line line) {
  const std::string spec = AccessReviews::spec_of(user, what);
  return answers_
      .ask(spec, line,
           [this, spec](std::stop_token stop) -> Result<AccessAnswers::Fetched> {
             Result<AccessAnswer> answer = seams_.reviews.review_access(spec, stop);
             if (!answer) return answer.error();
             const bool is_kept = spec.size() < kKeptSpecMax;
             const Duration ttl = !is_kept          ? Duration::zero()
                                  : answer->allowed ? authorization_.allowed_cache_ttl
                                                    : authorization_.denied_cache_ttl;
             const std::size_t bytes = answer->reason.size();
             return AccessAnswers::Fetched{*std::move(answer), ttl, bytes};
           })
      .review;
}

}  // namespace davit::host
