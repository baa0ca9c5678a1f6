#include "host/api/service_account_token.hpp"

#include <algorithm>
#include <davit/kube/time.hpp>
#include <utility>

#include "host/object/parse.hpp"
#include "lib/base/await_stop.hpp"
#include "lib/base/header_value.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

/// wait.ExponentialBackoff of tokenSourceImpl: the pauses before each of the four attempts.
constexpr std::chrono::milliseconds kPauses[] = {
    std::chrono::milliseconds(0), std::chrono::milliseconds(500), std::chrono::milliseconds(1000),
    std::chrono::milliseconds(2000)};
/// The part of the lifetime after which a token is renewed (leewayPercent 20).
constexpr double kUsedShare = 0.8;
/// The request of a controller waits for these, so that a server that does not respond must not
/// hold it for as long as other requests may take.
constexpr Duration kTimeLimit = std::chrono::seconds(10);

ResourcePath account_path(std::string name, std::string subresource = "") {
  return {.group = "",
          .version = "v1",
          .resource = "serviceaccounts",
          .subresource = std::move(subresource),
          .ns = std::string(kAccountNamespace),
          .name = std::move(name)};
}

ResourcePath namespace_path(std::string name) {
  return {.group = "",
          .version = "v1",
          .resource = "namespaces",
          .subresource = "",
          .ns = "",
          .name = std::move(name)};
}

std::string named_object(const char* kind, std::string_view name) {
  return JsonText('{')
      .text("apiVersion", "v1")
      .text("kind", kind)
      .raw("metadata", JsonText('{').text("name", name).str())
      .str();
}

std::string token_request() {
  const auto seconds = ServiceAccountToken::kRequestedLifetime.count();
  return JsonText('{')
      .text("apiVersion", "authentication.k8s.io/v1")
      .text("kind", "TokenRequest")
      .raw("spec", JsonText('{').number("expirationSeconds", seconds).str())
      .str();
}

}  // namespace

ServiceAccountToken::ServiceAccountToken(RestClient& root, std::string account, DryRun dry_run,
                                         Logger log, std::stop_token stop)
    : root_(root),
      account_(std::move(account)),
      dry_run_(dry_run),
      log_(std::move(log)),
      stop_(std::move(stop)) {}

Result<Credential> ServiceAccountToken::get() {
  {
    MutexLock lock(mutex_);
    const std::uint64_t before = fetches_;
    // Requests that came while a fetch was under way share its failure: one after the other they
    // would each wait for all attempts.
    while (!token_ && fetching_) fetched_.wait(mutex_);
    if (has_token()) {
      return Credential{token_->authorization, nullptr};
    }
    if (fetches_ != before && !failure_.ok()) return failure_;
    fetching_ = true;
  }
  Result<Token> fresh = fetch();
  MutexLock lock(mutex_);
  fetching_ = false;
  ++fetches_;
  failure_ = fresh.error();
  fetched_.notify_all();
  if (fresh) {
    token_ = *std::move(fresh);
  } else if (token_) {
    token_->renew_at = root_.clock().boot_now() + kRenewalPause;
  } else {
    return failure_;
  }
  return Credential{token_->authorization, nullptr};
}

bool ServiceAccountToken::is_ready() {
  MutexLock lock(mutex_);
  return has_token();
}

bool ServiceAccountToken::has_token() const {
  return token_ && (fetching_ || root_.clock().boot_now() < token_->renew_at);
}

// The 401 itself goes to the caller; the next request gets a new token.
void ServiceAccountToken::rejected(const Credential& used) {
  MutexLock lock(mutex_);
  if (token_ && token_->authorization == used.authorization) token_.reset();
}

Result<ServiceAccountToken::Token> ServiceAccountToken::fetch() {
  Status last;
  for (const Duration pause : kPauses) {
    if (await_stop(root_.clock(), root_.clock().now() + pause, stop_)) break;
    last = ensure_account();
    if (last.ok()) {
      Result<Token> token = request_token();
      if (token) return token;
      last = token.error();
    }
    log_.warning("Cannot get a token of a ServiceAccount",
                 {{"account", account_}, {"err", last.message()}});
  }
  if (last.ok()) last = Status(Code::kCancelled, "the host is stopping");
  std::string text = "failed to get a token of ServiceAccount " + std::string(kAccountNamespace) +
                     "/" + account_ + ": " + last.message();
  if (last.code() == Code::kForbidden) {
    text +=
        "; the host's own identity needs the rights that davit rbac "
        "--use-service-account-credentials prints";
  }
  return Status(last.code(), std::move(text));
}

Status ServiceAccountToken::ensure_account() {
  const ApiResponse found = send(Verb::kGet, account_path(account_));
  if (found.status.code() != Code::kNotFound) return found.status;
  if (dry_run_ == DryRun::kServer) {
    return found.status.with_context("a dry run does not create the ServiceAccount");
  }
  const std::string ns(kAccountNamespace);
  if (send(Verb::kGet, namespace_path(ns)).status.code() == Code::kNotFound) {
    // The host may lack the right to create namespaces. The creation of the account says the rest.
    const Status made =
        send(Verb::kCreate, namespace_path(""), named_object("Namespace", ns)).status;
    if (!made.ok() && made.code() != Code::kAlreadyExists) {
      log_.warning("Cannot create the namespace of ServiceAccounts",
                   {{"namespace", ns}, {"err", made.message()}});
    }
  }
  Status made =
      send(Verb::kCreate, account_path(""), named_object("ServiceAccount", account_)).status;
  if (made.ok()) {
    log_.info(0, "Created a ServiceAccount", {{"namespace", ns}, {"name", account_}});
  }
  return made.code() == Code::kAlreadyExists ? Status() : made;
}

Result<ServiceAccountToken::Token> ServiceAccountToken::request_token() {
  const ApiResponse response =
      send(Verb::kCreate, account_path(account_, "token"), token_request());
  if (!response.status.ok()) return response.status;
  ObjectSpace space;
  const Result<ObjectRef> parsed = parse_object(space, response.body);
  if (!parsed) return parsed.error().with_context("the response to a TokenRequest");
  const Value status = parsed->root()["status"];
  const std::string token(status["token"].string());
  const auto expires = parse_time(status["expirationTimestamp"].string());
  if (token.empty() || !expires) {
    return Status(Code::kInternal,
                  "the response to a TokenRequest lacks status.token or "
                  "status.expirationTimestamp");
  }
  const Duration lifetime =
      std::max<Duration>(*expires - root_.clock().wall_now(), kShortestLifetime);
  std::string authorization = bearer_authorization(token);
  if (const std::string fault = header_fault(authorization); !fault.empty()) {
    return Status(Code::kInternal, "the token in the response to a TokenRequest " + fault);
  }
  return Token{
      std::move(authorization),
      root_.clock().boot_now() + std::chrono::duration_cast<Duration>(lifetime * kUsedShare)};
}

ApiResponse ServiceAccountToken::send(Verb verb, ResourcePath path, std::string body) {
  ApiRequest request;
  request.verb = verb;
  request.path = std::move(path);
  request.body = std::move(body);
  request.timeout = kTimeLimit;
  return root_.call(request, stop_);
}

}  // namespace davit::host
