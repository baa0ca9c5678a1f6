#include "host/process/rights_review.hpp"

#include <chrono>
#include <davit/mutant.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

/// A review is a look into the server's memory.
constexpr Duration kReviewTime = std::chrono::seconds(10);

Json attributes_of(const Right& right) {
  if (right.resource.empty()) return Json::object({{"path", right.url}, {"verb", right.verb}});
  const std::size_t slash = right.resource.find('/');
  Json out = Json::object({{"group", right.group},
                           {"resource", right.resource.substr(0, slash)},
                           {"verb", right.verb}});
  if (slash != std::string::npos) out.set("subresource", right.resource.substr(slash + 1));
  if (!right.ns.empty()) out.set("namespace", right.ns);
  if (!right.name.empty()) out.set("name", right.name);
  return out;
}

ApiRequest request_of(const Right& right) {
  const char* const member =
      right.resource.empty() ? "nonResourceAttributes" : "resourceAttributes";
  Json spec = Json::object();
  spec.set(member, attributes_of(right));
  ApiRequest request;
  request.verb = Verb::kCreate;
  request.path.group = "authorization.k8s.io";
  request.path.version = "v1";
  request.path.resource = "selfsubjectaccessreviews";
  request.body = to_text(Json::object({{"kind", "SelfSubjectAccessReview"},
                                       {"apiVersion", "authorization.k8s.io/v1"},
                                       {"spec", std::move(spec)}}));
  request.timeout = kReviewTime;
  return request;
}

/// Whether the server allows it. The error: it did not say.
Result<bool> allowed(const ApiResponse& response) {
  if (!response.status.ok()) return response.status;
  const Result<Json> review = parse_json(response.body);
  if (!review) return review.error().with_context("the API server's SelfSubjectAccessReview");
  const Json* const status = review->find("status");
  if (status == nullptr) {
    return Status(Code::kUnavailable, "the API server's SelfSubjectAccessReview has no status");
  }
  if (status->get("allowed").boolean()) return true;
  // An authorizer that failed has not refused anything.
  const std::string error = status->get("evaluationError").text();
  if (!error.empty() && !mutant("review-error")) return Status(Code::kUnavailable, error);
  return false;
}

void enter(RightsReview& out, const Right& right, const Result<bool>& answer) {
  if (!answer) {
    out.unknown.insert(right);
    out.failure = answer.error();
  } else if (!*answer) {
    out.missing.insert(right);
  }
}

}  // namespace

RightsReview review_rights(RestClient& client, const std::set<Right>& rights,
                           const std::stop_token& stop) {
  RightsReview out;
  if (rights.empty()) return out;
  const Right& first = *rights.begin();
  enter(out, first, allowed(client.call(request_of(first), stop)));
  if (!out.unknown.empty()) {
    out.unknown = rights;
    return out;
  }
  const std::vector<Right> others(std::next(rights.begin()), rights.end());
  std::vector<ApiRequest> requests;
  for (const Right& each : others) requests.push_back(request_of(each));
  const std::vector<ApiResponse> responses = client.batch(requests, stop);
  for (std::size_t i = 0; i < others.size(); ++i) enter(out, others[i], allowed(responses[i]));
  return out;
}

std::string text_of(const Right& right) {
  if (right.resource.empty()) return right.verb + " " + right.url;
  std::string out = right.verb + " ";
  const std::size_t slash = right.resource.find('/');
  out += right.resource.substr(0, slash);
  if (!right.group.empty()) out += "." + right.group;
  if (slash != std::string::npos) out += right.resource.substr(slash);
  if (!right.name.empty()) out += " " + right.name;
  if (!right.ns.empty()) out += " in the namespace " + right.ns;
  return out;
}

}  // namespace davit::host
