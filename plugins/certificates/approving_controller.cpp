#include "plugins/certificates/approving_controller.hpp"

#include <davit/kube/time.hpp>
#include <string>
#include <utility>

#include "plugins/certificates/access_review.hpp"
#include "plugins/certificates/certificate_request.hpp"
#include "plugins/certificates/request_rules.hpp"
#include "plugins/certificates/signers.hpp"

namespace davit::certificates {
namespace {

/// B1
struct Recognizer {
  std::string_view subresource;
  std::string_view message;
  bool self;  ///< The requester is the node.
};
constexpr Recognizer kRecognizers[] = {
    {"selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview.",
     true},
    {"nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview.", false},
};

}  // namespace

ApprovingController::ApprovingController(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = kQueueName, .base_delay = kFirstBackoff},
                                [this](const Key& key) { return sync(key); })),
      requests_(cluster.open_informer<SigningRequest>(
          {.any = [this](const Event<SigningRequest>& event) { queue_.add(event.current); }})) {}

Result<Again> ApprovingController::sync(const Key& key) const {
  const Lookup<SigningRequest> object = requests_.get(key);
  if (!object || !object->certificate().empty()) return Again::when_changed();
  if (object->has_condition(kApproved) || object->has_condition(kDenied)) {
    return Again::when_changed();
  }
  // Requests of other signers are theirs to parse.
  if (object->signer() != kKubeletClientSigner) return Again::when_changed();
  const Result<CertificateRequest> request = CertificateRequest::parse(object->request());
  if (!request) return request.error().with_context("unable to parse csr \"" + key.name + "\"");
  if (!refusal(Signer::Check::kKubeletClient, *request, *object).empty()) {
    return Again::when_changed();
  }
  std::string tried;
  for (const Recognizer& each : kRecognizers) {
    const std::string_view user = object->spec()["username"].string();
    if (each.self && user != request->subject().common_name) continue;
    tried += (tried.empty() ? "" : " ") + std::string(each.subresource);
    const Result<bool> allowed = is_allowed(*object, each.subresource);
    if (!allowed) return allowed.error();
    if (!*allowed) continue;
    if (Status s = approve(*object, each.message); !s.ok()) {
      return s.with_context("error updating approval for csr");
    }
    return Again::when_changed();
  }
  // A right that is granted later takes effect without an event.
  cluster_.log().verbose(4, "recognized csr but subject access review was not approved",
                         {{"csr", key.name}, {"recognized", tried}});
  return Again::with_backoff();
}

Result<bool> ApprovingController::is_allowed(const SigningRequest& object,
                                             std::string_view subresource) const {
  const Result<AccessReview> review =
      cluster_.client().create<AccessReview>("", access_review(object, subresource));
  if (!review) return review.error();
  return review->is_allowed();
}

Status ApprovingController::approve(const SigningRequest& object, std::string_view message) const {
  const std::string now = format_time(cluster_.wall_now());
  return cluster_.client()
      .patch<SigningRequest>(
          object.key(), PatchType::kMerge,
          condition_patch(
              object,
              {.type = kApproved, .reason = "AutoApproved", .message = message, .time = now}),
          {.subresource = "approval", .answer = Answer::kMetadata})
      .error();
}

}  // namespace davit::certificates
