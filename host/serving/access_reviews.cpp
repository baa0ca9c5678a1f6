#include "host/serving/access_reviews.hpp"

#include <utility>

#include "lib/base/await_stop.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

/// k8s.io/apiserver/pkg/server/options.DefaultAuthWebhookRetryBackoff.
constexpr Duration kFirstPause = std::chrono::milliseconds(500);
constexpr double kPauseFactor = 1.5;
constexpr double kPauseJitter = 0.2;
constexpr int kAttemptsMax = 5;
/// The clients' timeout upstream.
constexpr Duration kRequestTime = std::chrono::seconds(10);
/// After this no attempt begins: the limit of a token's review
/// (k8s.io/apiserver/pkg/authentication/token/cache).
constexpr Duration kReviewTime = std::chrono::seconds(30);

bool is_passing(const ApiResponse& response) {
  return response.broken == Break::kReset || response.http_status == 429 ||
         response.http_status == 500 || response.http_status == 504;
}

ApiRequest create(std::string group, std::string resource, std::string body) {
  ApiRequest request;
  request.verb = Verb::kCreate;
  request.path.group = std::move(group);
  request.path.version = "v1";
  request.path.resource = std::move(resource);
  request.body = std::move(body);
  request.timeout = kRequestTime;
  return request;
}

Json list_of(const std::vector<std::string>& values) {
  Json out = Json::array();
  for (const std::string& each : values) out.push_back(each);
  return out;
}

std::vector<std::string> texts_of(const Json& list) {
  std::vector<std::string> out;
  for (const Json& each : list.items()) out.push_back(each.text());
  return out;
}

UserInfo user_of(const Json& info) {
  UserInfo out{.name = info.get("username").text(),
               .uid = info.get("uid").text(),
               .groups = texts_of(info.get("groups"))};
  for (const auto& [key, values] : info.get("extra").members()) {
    out.extra.emplace_back(key, texts_of(values));
  }
  return out;
}

}  // namespace

Result<std::string> AccessReviews::send(RestClient& client, const ApiRequest& request,
                                        ServingMetrics::Delegated kind,
                                        const std::stop_token& stop) {
  const Time give_up = seams_.clock.now() + kReviewTime;
  Duration pause = kFirstPause;
  for (int attempt = 1;; ++attempt) {
    const Time began = seams_.clock.now();
    ApiResponse response = client.call(request, stop);
    const std::string code =
        response.http_status == 0 ? "<error>" : std::to_string(response.http_status);
    seams_.metrics.delegated_request(kind, code, seams_.clock.now() - began);
    if (response.status.ok()) return std::move(response.body);
    const Time next = seams_.clock.now() + seams_.random.jitter(pause, kPauseJitter);
    if (!is_passing(response) || attempt == kAttemptsMax || next >= give_up ||
        await_stop(seams_.clock, next, stop)) {
      return response.status;
    }
    pause = std::chrono::duration_cast<Duration>(pause * kPauseFactor);
  }
}

Result<std::optional<UserInfo>> AccessReviews::review_token(const std::string& token,
                                                            const std::stop_token& stop) {
  Json body = Json::object({{"kind", "TokenReview"},
                            {"apiVersion", "authentication.k8s.io/v1"},
                            {"spec", Json::object({{"token", token}})}});
  const Result<std::string> text =
      send(authentication_, create("authentication.k8s.io", "tokenreviews", to_text(body)),
           ServingMetrics::Delegated::kAuthentication, stop);
  if (!text) return text.error();
  const Result<Json> review = parse_json(*text);
  if (!review) return review.error().with_context("the API server's TokenReview");
  const Json& status = review->get("status");
  if (!status.get("authenticated").boolean()) return std::optional<UserInfo>();
  return std::optional<UserInfo>(user_of(status.get("user")));
}

Result<AccessAnswer> AccessReviews::review_access(const std::string& spec,
                                                  const std::stop_token& stop) {
  const std::string body =
      R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":)" + spec +
      "}";
  const Result<std::string> text =
      send(authorization_, create("authorization.k8s.io", "subjectaccessreviews", body),
           ServingMetrics::Delegated::kAuthorization, stop);
  if (!text) return text.error();
  const Result<Json> review = parse_json(*text);
  if (!review) return review.error().with_context("the API server's SubjectAccessReview");
  const Json& status = review->get("status");
  AccessAnswer answer{status.get("allowed").boolean(), status.get("reason").text(),
                      status.get("denied").boolean()};
  if (answer.allowed && answer.denied) {
    return Status(Code::kInvalid, "the API server's SubjectAccessReview both allows and denies");
  }
  return answer;
}

std::string AccessReviews::spec_of(const UserInfo& user, const AccessAttributes& what) {
  Json spec = Json::object(
      {{"user", user.name},
       {"groups", list_of(user.groups)},
       {"nonResourceAttributes", Json::object({{"path", what.path}, {"verb", what.verb}})}});
  if (!user.uid.empty()) spec.set("uid", user.uid);
  for (const auto& [key, values] : user.extra) spec["extra"].set(key, list_of(values));
  return to_canonical_text(spec);
}

}  // namespace davit::host
