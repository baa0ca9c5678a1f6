/// The parts that reviews of admission and of conversion have in common. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/webhook/hook_call.hpp"

namespace davit::sandbox {

/// The kind of a review.
struct ReviewKind {
  std::string_view group;  ///< "admission.k8s.io"
  std::string_view kind;   ///< "AdmissionReview"
};

/// The first of a webhook's versions of reviews that the server knows; empty: it knows none.
[[nodiscard]] std::string known_version(const std::vector<std::string>& versions);

/// The text of a review with this request.
[[nodiscard]] std::string request_text(const ReviewKind& kind, std::string_view version,
                                       Json request);

/// "group/version, Kind=kind" of an object.
[[nodiscard]] std::string kind_text(const Json& object);
/// The same of a review of version v1.
[[nodiscard]] std::string kind_text(const ReviewKind& kind);

/// A review as received.
struct ReviewReply {
  std::string error;  ///< In the words of client-go; empty: there is a review.
  Json review;        ///< A missing kind is that of the request.
};
[[nodiscard]] ReviewReply read_reply(const HookReply& reply, const ReviewKind& kind,
                                     std::string_view version);

}  // namespace davit::sandbox
