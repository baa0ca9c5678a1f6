/// Errors as values: Code, Status and Result<T>. Shared by the SDK and the host. Only the use of a
/// missing value throws.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// Error codes that a caller can act on. The values are those of davit_code, as davit/api.hpp
/// asserts; abi.h describes the reaction to each. This header does not include abi.h, so that code
/// unrelated to plugins does not depend on it.
enum class Code : std::int32_t {
  kOk = 0,
  kNotFound = 1,
  kAlreadyExists = 2,
  kConflict = 3,
  kInvalid = 4,
  kForbidden = 5,
  kExpired = 6,
  kThrottled = 7,
  kUnavailable = 8,
  kCancelled = 9,
  kUndeclared = 10,
  kWrongType = 11,
  kStale = 12,
  kMisuse = 13,
  kUnsupported = 14,
  kInternal = 15,
};

/// Details of an API server's error. Present only on errors that a server's response contained.
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
  Status(Code code, std::string message, ApiDetail detail);

  [[nodiscard]] bool ok() const { return code_ == Code::kOk; }
  [[nodiscard]] Code code() const { return code_; }
  /// Empty on success.
  [[nodiscard]] const std::string& message() const { return message_; }
  /// The server's detail, or null. Lives as long as this Status or a copy.
  [[nodiscard]] const ApiDetail* detail() const { return detail_.get(); }

  [[nodiscard]] bool has_cause(std::string_view cause) const;

  /// Success if the code is `code`, otherwise this. For codes that are not a failure to the caller,
  /// such as "already gone".
  [[nodiscard]] Status unless(Code code) const { return code_ == code ? Status() : *this; }

  /// The same error with `context` and ": " prepended to its message; success stays success.
  [[nodiscard]] Status with_context(std::string_view context) const;

 private:
  Code code_ = Code::kOk;
  std::string message_;
  std::shared_ptr<const ApiDetail> detail_;
};

/// Thrown by the use of a missing value of a Result, a Lookup or a List, which is a bug in the
/// calling code. In a plugin, the SDK catches it at the boundary, so that the sync, handler, timer,
/// probe or InitFunc fails with this text; in the host it ends the process.
class NoValue : public std::exception {
 public:
  /// `error` is the reason why there is no value.
  explicit NoValue(const Status& error);

  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }
  [[nodiscard]] Code code() const { return code_; }

 private:
  std::string what_;
  Code code_;
};

/// A T, or the Status that explains its absence. Member names follow std::expected.
template <typename T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : value_(std::in_place, std::move(value)) {}
  /// Throws NoValue if `error` is ok.
  Result(Status error) : error_(std::move(error)) {  // NOLINT(google-explicit-constructor)
    if (error_.ok()) throw NoValue(Status(Code::kMisuse, "a Result was made of an ok Status"));
  }

  [[nodiscard]] bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }

  /// Throws NoValue if there is none: check has_value() first.
  [[nodiscard]] T& value() & { return checked(); }
  [[nodiscard]] const T& value() const& { return const_cast<Result*>(this)->checked(); }
  [[nodiscard]] T&& value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &value(); }

  /// The error; success if there is a value.
  [[nodiscard]] Status error() const { return error_; }

  [[nodiscard]] T value_or(T fallback) const& {
    return has_value() ? *value_ : std::move(fallback);
  }

 private:
  T& checked() {
    if (!has_value()) throw NoValue(error_);
    return *value_;
  }

  // Not a std::variant, which takes a fifth of the compile time of a plugin that is rebuilt on
  // every save.
  std::optional<T> value_;
  Status error_;
};

}  // namespace davit
