#include "sandbox/webhook/admission_review.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/base64.hpp"
#include "sandbox/policy/mutated_object.hpp"

namespace davit::sandbox {

namespace {

constexpr int kBadRequest = 400;

std::string quoted(std::string_view text) { return to_text(Json(text)); }

/// The error of client-go about a response that is not one.
std::string http_error(const HookReply& reply) {
  const Result<Json> body = parse_json(reply.body);
  if (body && body->get("kind").text() == "Status" && body->get("status").text() == "Failure") {
    return body->get("message").text();
  }
  std::string text = reply.body;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  switch (reply.status) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
      return text.empty() ? "unknown" : text;
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 409:
      return "the server reported a conflict";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default:
      break;
  }
  if (reply.status < 500)
    return "the server responded with the status code " + std::to_string(reply.status) +
           " but did not return more information";
  return "an error on the server (" + quoted(text.empty() ? "unknown" : text) +
         ") has prevented the request from succeeding";
}

HookVerdict failed(std::string why) {
  HookVerdict out;
  out.error = std::move(why);
  return out;
}

HookVerdict not_called(const std::string& why) { return failed("failed to call webhook: " + why); }
HookVerdict invalid_reply(const std::string& why) {
  return failed("received invalid webhook response: " + why);
}

/// The error of a decoder that got no object; empty: it is one.
std::string decode_error(const HookReply& reply, const Result<Json>& review) {
  if (reply.body.empty()) {
    return "0-length response with status code: " + std::to_string(reply.status) +
           " and content type: " + reply.content_type;
  }
  if (review && review->is_object()) return "";
  return no_object_text(review ? *review : Json(""));
}

/// The error of a decoder that got another object than a review; empty: it got one. A missing kind
/// is that of the review.
std::string kind_error(const Json& review, std::string_view version) {
  const std::string& kind = review.get("kind").text();
  const std::string& given = review.get("apiVersion").text();
  if (kind.empty() || given.empty()) return "";
  constexpr std::string_view kGroup = "admission.k8s.io/";
  const bool known = given == "admission.k8s.io/v1" || given == "admission.k8s.io/v1beta1";
  if (kind != "AdmissionReview" || !known) {
    return "no kind " + quoted(kind) + " is registered for version " + quoted(given) +
           " in scheme \"pkg/util/webhook/client.go:71\"";
  }
  const std::string sent(given.substr(kGroup.size()));
  if (sent == version) return "";
  return "converting (" + sent + ".AdmissionReview) to (" + std::string(version) +
         ".AdmissionReview): unknown conversion";
}

/// "group/version, Kind=kind"
std::string kind_text(const Json& review) {
  const std::string& version = review.get("apiVersion").text();
  return (version.find('/') == std::string::npos ? '/' + version : version) +
         ", Kind=" + review.get("kind").text();
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
  for (const Json& each : hook.get("admissionReviewVersions").items()) {
    if (each.text() == "v1" || each.text() == "v1beta1") return each.text();
  }
  return "";
}

std::string review_text(std::string_view version, Json request) {
  return to_text(Json::object({{"kind", "AdmissionReview"},
                               {"apiVersion", "admission.k8s.io/" + std::string(version)},
                               {"request", std::move(request)}}));
}

HookVerdict read_review(const HookReply& reply, std::string_view version, std::string_view uid,
                        HookKind kind) {
  if (!reply.error.empty()) return not_called(reply.error);
  if (reply.status < 200 || reply.status >= 300) return not_called(http_error(reply));
  const Result<Json> review = parse_json(reply.body);
  if (const std::string fault = decode_error(reply, review); !fault.empty()) {
    return not_called(fault);
  }
  if (const std::string fault = kind_error(*review, version); !fault.empty()) {
    return not_called(fault);
  }
  const Json& response = review->get("response");
  if (!response.is_object()) return invalid_reply("webhook response was absent");
  if (version == "v1") {
    if (response.get("uid").text() != uid) {
      return invalid_reply("expected response.uid=" + quoted(uid) + ", got " +
                           quoted(response.get("uid").text()));
    }
    constexpr std::string_view kWanted = "admission.k8s.io/v1, Kind=AdmissionReview";
    if (kind_text(*review) != kWanted) {
      return invalid_reply("expected webhook response of " + std::string(kWanted) + ", got " +
                           kind_text(*review));
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
