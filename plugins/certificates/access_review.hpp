/// SubjectAccessReview: asks the server about a right. Rule: docs/spec/certificates.md, B2.4.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "plugins/certificates/views.hpp"

namespace davit::certificates {

class AccessReview : public ObjectView {
 public:
  static constexpr Resource kResource = {"authorization.k8s.io", "v1", "subjectaccessreviews",
                                         "SubjectAccessReview"};
  using ObjectView::ObjectView;

  [[nodiscard]] bool is_allowed() const { return status()["allowed"].is_true(); }
};

/// The review whether the requester of `object` may create a subresource of requests.
[[nodiscard]] inline std::string access_review(const SigningRequest& object,
                                               std::string_view subresource) {
  const Value spec = object.spec();
  JsonWriter out;
  out.begin_object().member("kind", "SubjectAccessReview");
  out.member("apiVersion", "authorization.k8s.io/v1").key("spec").begin_object();
  out.key("resourceAttributes").begin_object().member("verb", "create").member("group", kGroup);
  out.member("version", "*").member("resource", SigningRequest::kResource.resource);
  out.member("subresource", subresource).end_object();
  out.member("user", spec["username"].string()).member("groups", spec["groups"]);
  out.member("extra", spec["extra"]);
  if (const std::string_view uid = spec["uid"].string(); !uid.empty()) out.member("uid", uid);
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::certificates
