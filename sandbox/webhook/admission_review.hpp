/// AdmissionReview, as sent to webhooks and as received from them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/webhook/hook_call.hpp"

namespace davit::sandbox {

/// Whether a webhook may change objects.
enum class HookKind : std::uint8_t { kMutating, kValidating };

/// The decision of a webhook.
struct HookVerdict {
  /// Why there is no decision: the end of "failed calling webhook …: "; empty: there is one.
  std::string error;
  bool allowed = false;
  Json patch;   ///< A JSON patch, an array; null: none.
  Json status;  ///< The Status of a refusal; null: none.
  std::vector<std::string> warnings;
};

/// The version of AdmissionReview that a webhook gets; empty: it knows none of ours.
[[nodiscard]] std::string review_version(const Json& hook);

/// The text of a review. `request`: an AdmissionRequest with its uid.
[[nodiscard]] std::string review_text(std::string_view version, Json request);

/// Reads a reply to a request with `uid`.
/// k8s: VerifyAdmissionResponse of k8s.io/apiserver/pkg/admission/plugin/webhook/request.
[[nodiscard]] HookVerdict read_review(const HookReply& reply, std::string_view version,
                                      std::string_view uid, HookKind kind);

/// The response to a write that the webhook `name` refused with `status`.
[[nodiscard]] ApiError refused_by_hook(std::string_view name, const Json& status);

}  // namespace davit::sandbox
