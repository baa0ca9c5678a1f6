#include "sandbox/webhook/admission_review.hpp"

#include <algorithm>
#include <davit/base64.hpp>
#include <utility>

#include "sandbox/webhook/review_reply.hpp"

namespace davit::sandbox {

namespace {

constexpr int kBadRequest = 400;
constexpr ReviewKind kAdmissionReview{"admission.k8s.io", "AdmissionReview"};

std::string quoted(std::string_view text) { return to_text(Json(text)); }

HookVerdict failed(std::string why) {
  HookVerdict out;
  out.error = std::move(why);
  return out;
}

HookVerdict not_called(const std::string& why) { return failed("failed to call webhook: " + why); }
HookVerdict invalid_reply(const std::string& why) {
  return failed("received invalid webhook response: " + why);
}

/// The fault of patch and patchType; empty: there is none.
std::string patch_fault(const Json& response, HookKind kind) {
  const bool has_patch = !response.get("patch").text().empty();
  const Json* type = response.find("patchType");
  const bool has_type = type != nullptr && !type->is_null();
  if (kind == HookKind::kValidating) {
    if (has_patch) return "validating webhook may not return response.patch";
    return has_type ? "validating webhook may not return response.patchType" : "";
  }
  if (has_patch && !has_type) {
    return "webhook returned response.patch but not response.patchType";
  }
  if (!has_patch && has_type) {
    return "webhook returned response.patchType but not response.patch";
  }
  if (has_type && type->text().empty()) {
    return "webhook returned invalid response.patchType of \"\"";
  }
  return "";
}

/// Reads the patch of an allowed write into `out`.
void read_patch(const Json& response, HookVerdict& out) {
  const std::string& text = response.get("patch").text();
  if (text.empty()) return;
  const Result<Json> patch = parse_json(decode_base64(text).value_or(""));
  if (!patch || !patch->is_array()) {
    out.error = "received undecodable patch in webhook response: " +
                (patch ? std::string("json: cannot unmarshal object into Go value of type "
                                     "jsonpatch.Patch")
                       : patch.error().message());
    return;
  }
  const std::string& type = response.get("patchType").text();
  if (patch->items().empty()) return;
  if (!type.empty() && type != "JSONPatch") {
    out.error = "unsupported patch type " + quoted(type);
    return;
  }
  out.patch = *patch;
}

StatusDetails details_of(const Json& details) {
  StatusDetails out;
  out.name = details.get("name").text();
  out.group = details.get("group").text();
  out.kind = details.get("kind").text();
  out.uid = details.get("uid").text();
  for (const Json& each : details.get("causes").items()) {
    out.causes.push_back(
        {each.get("reason").text(), each.get("field").text(), each.get("message").text()});
  }
  out.retry_after_seconds = static_cast<int>(
      std::clamp<std::int64_t>(details.get("retryAfterSeconds").integer_or(0), 0, 3600));
  return out;
}

}  // namespace

std::string review_version(const Json& hook) {
  std::vector<std::string> versions;
  for (const Json& each : hook.get("admissionReviewVersions").items()) {
    versions.push_back(each.text());
  }
  return known_version(versions);
}

std::string review_text(std::string_view version, Json request) {
  return request_text(kAdmissionReview, version, std::move(request));
}

HookVerdict read_review(const HookReply& reply, std::string_view version, std::string_view uid,
                        HookKind kind) {
  const ReviewReply read = read_reply(reply, kAdmissionReview, version);
  if (!read.error.empty()) return not_called(read.error);
  const Json& response = read.review.get("response");
  if (!response.is_object()) return invalid_reply("webhook response was absent");
  if (version == "v1") {
    if (response.get("uid").text() != uid) {
      return invalid_reply("expected response.uid=" + quoted(uid) + ", got " +
                           quoted(response.get("uid").text()));
    }
    const std::string wanted = kind_text(kAdmissionReview);
    if (kind_text(read.review) != wanted) {
      return invalid_reply("expected webhook response of " + wanted + ", got " +
                           kind_text(read.review));
    }
    if (const std::string fault = patch_fault(response, kind); !fault.empty()) {
      return invalid_reply(fault);
    }
  }
  HookVerdict out;
  out.allowed = response.get("allowed").boolean();
  for (const Json& each : response.get("warnings").items()) out.warnings.push_back(each.text());
  if (response.get("status").is_object()) out.status = response.get("status");
  if (out.allowed && kind == HookKind::kMutating) read_patch(response, out);
  return out;
}

ApiError refused_by_hook(std::string_view name, const Json& status) {
  ApiError out;
  out.code = static_cast<int>(
      std::clamp<std::int64_t>(status.get("code").integer_or(0), kBadRequest, 599));
  out.reason = status.get("reason").text();
  const std::string& message = status.get("message").text();
  const std::string denied = "admission webhook " + quoted(name) + " denied the request";
  out.message = !message.empty()      ? denied + ": " + message
                : !out.reason.empty() ? denied + ": " + out.reason
                                      : denied + " without explanation";
  if (const Json& details = status.get("details"); details.is_object()) {
    out.details = details_of(details);
  }
  return out;
}

}  // namespace davit::sandbox
