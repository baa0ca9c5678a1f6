#include "sandbox/crd/api_approval.hpp"

#include <string_view>

#include "lib/cel/url.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
constexpr std::string_view kField = "metadata.annotations[api-approved.kubernetes.io]";
constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";

bool is_protected(std::string_view group) {
  return group == "k8s.io" || group == "kubernetes.io" || group.ends_with(".k8s.io") ||
         group.ends_with(".kubernetes.io");
}

const std::string& annotation_of(const Json& definition) {
  return definition.get("metadata").get("annotations").get(kAnnotation).text();
}

bool names_host(std::string_view text) {
  const Result<cel::Url> url = cel::parse_request_url(text);
  return url && !url->scheme.empty() && !url->host.empty();
}

}  // namespace

std::optional<ApiApproval> api_approval(const Json& definition) {
  using State = ApiApproval::State;
  if (!is_protected(definition.text_at({"spec", "group"}))) return std::nullopt;
  const std::string& text = annotation_of(definition);
  const std::string need =
      "protected groups must have approval annotation " + to_text(Json(kAnnotation));
  if (text.empty()) return ApiApproval{State::kMissing, need + ", " + std::string(kSee)};
  if (text.starts_with("unapproved")) {
    return ApiApproval{State::kBypassed, "not approved: " + to_text(Json(text))};
  }
  if (names_host(text)) return ApiApproval{State::kApproved, "approved in " + text};
  return ApiApproval{
      State::kInvalid,
      need + R"( with either a URL or a reason starting with "unapproved", )" + std::string(kSee)};
}

void check_approval(const Json& definition, const Json* old, FieldErrors& errors) {
  using State = ApiApproval::State;
  const std::optional<ApiApproval> approval = api_approval(definition);
  if (!approval) return;
  if (old != nullptr) {
    const std::optional<ApiApproval> before = api_approval(*old);
    if (before && before->state == approval->state) return;
  }
  if (approval->state == State::kMissing) {
    errors.push_back(field_required(std::string(kField), approval->message));
  } else if (approval->state == State::kInvalid) {
    errors.push_back(
        field_invalid(std::string(kField), Json(annotation_of(definition)), approval->message));
  }
}

}  // namespace davit::sandbox
