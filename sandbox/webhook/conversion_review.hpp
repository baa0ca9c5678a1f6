/// ConversionReview, as sent to webhooks and as received from them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/webhook/hook_call.hpp"

namespace davit::sandbox {

/// One request for a conversion.
struct ConversionRequest {
  std::string review_version;  ///< "v1" or "v1beta1".
  std::string uid;
  std::string api_version;           ///< The version that is wanted: "example.com/v2".
  const std::vector<Json>& objects;  ///< At least one; of one kind, and none in that version.
};

/// The text of its review.
[[nodiscard]] std::string conversion_text(const ConversionRequest& request);

/// The converted objects in the order of the request.
struct Conversion {
  std::string error;  ///< "conversion webhook for …"; empty: there are objects.
  std::vector<Json> objects;
};
/// Reads a reply. Only labels and annotations of the metadata are the webhook's.
/// k8s: webhookConverter.Convert of apiextensions-apiserver/pkg/apiserver/conversion.
[[nodiscard]] Conversion read_conversion(const ConversionRequest& request, const HookReply& reply);

/// The error of a conversion of `objects` that has failed.
[[nodiscard]] std::string conversion_error(const std::vector<Json>& objects, std::string_view why);

}  // namespace davit::sandbox
