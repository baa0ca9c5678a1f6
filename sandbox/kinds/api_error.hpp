/// The reasons for refusing a request, and the Status objects that report them. All reasons and
/// message formats are in this file (k8s.io/apimachinery/pkg/api/errors).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/kube/status_reason.hpp"
#include "lib/net/http_message.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The details of a Status. Empty members are omitted.
struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  FieldErrors causes;
  int retry_after_seconds = 0;
};

/// A response other than success.
struct ApiError {
  int code = 500;
  std::string reason;  ///< Empty: the Status has no reason.
  std::string message;
  std::optional<StatusDetails> details;
  std::string continue_token;  ///< metadata.continue of an expired list.
  bool plain = false;          ///< The body is `message` as text, not a Status.
  /// If set, the response changes once the store has reached this revision.
  std::optional<Revision> awaited = std::nullopt;
  /// If set, another client's write may change the response within this time.
  std::optional<Duration> retry_for = std::nullopt;
};

/// The error of a check; nothing: continue.
using ApiFailure = std::optional<ApiError>;

/// A T or the ApiError that is the response instead.
template <typename T>
class [[nodiscard]] ApiResult {
 public:
  ApiResult(T value) : state_(std::in_place_index<0>, std::move(value)) {}         // NOLINT
  ApiResult(ApiError error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  /// Requires a value.
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  /// Requires an error.
  [[nodiscard]] ApiError& error() { return std::get<1>(state_); }
  [[nodiscard]] const ApiError& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, ApiError> state_;
};

/// The requested object in a message: "deployments.apps" and its parts. Messages of Invalid have
/// the Kind instead of the resource.
struct Subject {
  std::string group;
  std::string kind;  ///< "deployments" or "Deployment"
  std::string name;

  [[nodiscard]] static Subject resource(const Resource& resource, std::string name = "");
  [[nodiscard]] static Subject kind_of(const Resource& resource, std::string name = "");
  /// "deployments.apps"
  [[nodiscard]] std::string qualified() const;
};

/// For errors that have no separate function below.
[[nodiscard]] ApiError without_details(const StatusReason& reason, std::string message);
[[nodiscard]] ApiError bad_request(std::string message);
[[nodiscard]] ApiError unauthorized();
/// 403: `<res> "<n>" is forbidden: <why>`
[[nodiscard]] ApiError forbidden(Subject subject, std::string_view why, FieldErrors causes = {});
[[nodiscard]] ApiError not_found(Subject subject);
/// 404 for an unknown path below a known group version.
[[nodiscard]] ApiError unknown_resource();
/// 404 for an unknown group or version, as plain text.
[[nodiscard]] ApiError page_not_found();
[[nodiscard]] ApiError method_not_allowed();
[[nodiscard]] ApiError already_exists(Subject subject);
/// The same while the object there is being deleted.
[[nodiscard]] ApiError already_exists_deleting(Subject subject);
/// 409: `Operation cannot be fulfilled on <res> "<n>": <why>`
[[nodiscard]] ApiError conflict(Subject subject, std::string_view why);
/// 409 for a stale resourceVersion.
[[nodiscard]] ApiError stale(Subject subject);
/// 410 with reason Expired.
[[nodiscard]] ApiError expired(std::string message);
[[nodiscard]] ApiError body_too_large(std::size_t bytes_max);
[[nodiscard]] ApiError unsupported_media_type(std::string message);
[[nodiscard]] ApiError not_acceptable(std::string message);
/// 422: `<Kind> "<n>" is invalid: …` with one cause for each of `errors`, which must not be empty.
[[nodiscard]] ApiError invalid(Subject subject, FieldErrors errors);
/// 422 for options of group meta.k8s.io: `kind` is "ListOptions", "DeleteOptions", ….
[[nodiscard]] ApiError invalid_options(std::string kind, FieldErrors errors);
[[nodiscard]] ApiError too_many_requests(std::string message, FieldErrors causes,
                                         int retry_after_seconds);
/// 500 without a reason.
[[nodiscard]] ApiError internal_error(std::string message);
/// 500 with the reason InternalError: `Internal error occurred: <why>`.
[[nodiscard]] ApiError internal_failure(std::string_view why);
/// 504: `Timeout: Too large resource version: <asked>, current: <current>`
[[nodiscard]] ApiError future_revision(Revision asked, Revision current);

/// The Status object.
[[nodiscard]] Json to_status(const ApiError& error);
/// The response with Retry-After. Its body is a Status even if the client requested a Table.
[[nodiscard]] HttpServerResponse to_response(const ApiError& error);
/// A Status of success with these details, for deletions.
[[nodiscard]] Json success_status(const StatusDetails& details);
/// A Status of success with code 201, for bindings and evictions.
[[nodiscard]] Json created_status();

}  // namespace davit::sandbox
