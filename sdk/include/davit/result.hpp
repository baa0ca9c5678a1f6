/// Errors as values: Code, Status and Result<T>. Shared by the SDK and the host; nothing here
/// throws.
#pragma once

#include <davit/abi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// Error codes that a caller can act on. The values are those of davit_code; abi.h describes the
/// reaction to each.
enum class Code : std::int32_t {
  kOk = DAVIT_OK,
  kNotFound = DAVIT_NOT_FOUND,
  kAlreadyExists = DAVIT_ALREADY_EXISTS,
  kConflict = DAVIT_CONFLICT,
  kInvalid = DAVIT_INVALID,
  kForbidden = DAVIT_FORBIDDEN,
  kExpired = DAVIT_EXPIRED,
  kThrottled = DAVIT_THROTTLED,
  kUnavailable = DAVIT_UNAVAILABLE,
  kCancelled = DAVIT_CANCELLED,
  kUndeclared = DAVIT_UNDECLARED,
  kWrongType = DAVIT_WRONG_TYPE,
  kStale = DAVIT_STALE,
  kMisuse = DAVIT_MISUSE,
  kUnsupported = DAVIT_UNSUPPORTED,
  kInternal = DAVIT_INTERNAL,
};

/// The API server's error beyond a code. Present only on errors that came in a server's response.
struct ApiDetail {
  int http_status = 0;
  std::string reason;               ///< Kubernetes reason: "AlreadyExists".
  std::vector<std::string> causes;  ///< details.causes[].reason: "NamespaceTerminating".
  std::uint32_t retry_after_ms = 0;
};

/// Success, or a code with a message for people. Cheap to move; copying shares the detail.
class [[nodiscard]] Status {
 public:
  Status() = default;  ///< Success.
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  Status(Code code, std::string message, ApiDetail detail)
      : code_(code),
        message_(std::move(message)),
        detail_(std::make_shared<const ApiDetail>(std::move(detail))) {}

  [[nodiscard]] bool ok() const { return code_ == Code::kOk; }
  [[nodiscard]] Code code() const { return code_; }
  /// Empty on success.
  [[nodiscard]] const std::string& message() const { return message_; }
  /// The server's detail, or null. Lives as long as this Status or a copy.
  [[nodiscard]] const ApiDetail* detail() const { return detail_.get(); }

  [[nodiscard]] bool has_cause(std::string_view cause) const {
    if (detail_ == nullptr) return false;
    for (const std::string& each : detail_->causes) {
      if (each == cause) return true;
    }
    return false;
  }

  /// Success if the code is `code`, else this: for results that are not a failure to the caller,
  /// such as "already gone".
  [[nodiscard]] Status unless(Code code) const { return code_ == code ? Status() : *this; }

  /// The same error with `context` and ": " before its message; success stays success.
  [[nodiscard]] Status with_context(std::string_view context) const {
    if (ok()) return *this;
    Status copy = *this;
    copy.message_ = std::string(context) + ": " + message_;
    return copy;
  }

 private:
  Code code_ = Code::kOk;
  std::string message_;
  std::shared_ptr<const ApiDetail> detail_;
};

/// A T or the Status that says why there is none. Member names follow std::expected.
template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : value_(std::in_place, std::move(value)) {}
  /// `error` must not be ok.
  Result(Status error) : error_(std::move(error)) {  // NOLINT(google-explicit-constructor)
    if (error_.ok()) fail("Result made from a successful Status");
  }

  [[nodiscard]] bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }

  /// Asking for a value that is not there is a bug and ends the process.
  [[nodiscard]] T& value() & { return checked(); }
  [[nodiscard]] const T& value() const& { return const_cast<Result*>(this)->checked(); }
  [[nodiscard]] T&& value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &value(); }

  /// The error; success when there is a value.
  [[nodiscard]] Status error() const { return error_; }

  [[nodiscard]] T value_or(T fallback) const& {
    return has_value() ? *value_ : std::move(fallback);
  }

 private:
  T& checked() {
    if (!has_value()) fail(error_.message().c_str());
    return *value_;
  }
  [[noreturn]] static void fail(const char* why) {
    std::fprintf(stderr, "davit: bad use of a Result: %s\n", why);
    std::abort();
  }

  // Not a std::variant: a plugin that is rebuilt on every save spends a fifth of its compile time
  // on one.
  std::optional<T> value_;
  Status error_;
};

}  // namespace davit
