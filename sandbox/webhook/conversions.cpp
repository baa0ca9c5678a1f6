#include "sandbox/webhook/conversions.hpp"

#include <chrono>
#include <utility>

#include "lib/base/uuid.hpp"
#include "sandbox/webhook/conversion_review.hpp"
#include "sandbox/webhook/hook_call.hpp"
#include "sandbox/webhook/review_reply.hpp"

namespace davit::sandbox {

namespace {

/// k8s: setGlobalDefaults of k8s.io/apiserver/pkg/util/webhook.
constexpr std::chrono::seconds kConversionTimeMax{30};

}  // namespace

ApiResult<std::vector<Json>> call_conversion(const ConversionParts& parts,
                                             const ConversionHook& hook,
                                             const std::vector<Json>& objects,
                                             const std::string& api_version,
                                             const std::stop_token& stop) {
  const ConversionRequest review{known_version(hook.review_versions), random_uuid(parts.random),
                                 api_version, objects};
  if (review.review_version.empty()) {
    return internal_error("no supported conversion review versions");
  }
  std::string why_not;
  HookRequest request = request_to(hook.client_config, parts.store, why_not);
  request.timeout = kConversionTimeMax;
  if (!why_not.empty()) {
    return internal_error(conversion_error(objects, post_error(request, why_not)));
  }
  request.body = conversion_text(review);
  const std::vector<HookReply> replies = call_hooks(parts.connector, parts.clock, {request}, stop);
  Conversion out = read_conversion(review, replies.front());
  if (!out.error.empty()) return internal_error(std::move(out.error));
  return std::move(out.objects);
}

}  // namespace davit::sandbox
