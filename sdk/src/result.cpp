#include <davit/result.hpp>

namespace davit {

NoValue::NoValue(const Status& error)
    : what_("used a value that is not there: " + error.message()), code_(error.code()) {}

Status::Status(Code code, std::string message, ApiDetail detail)
    : code_(code),
      message_(std::move(message)),
      detail_(std::make_shared<const ApiDetail>(std::move(detail))) {}

bool Status::has_cause(std::string_view cause) const {
  if (detail_ == nullptr) return false;
  for (const std::string& each : detail_->causes) {
    if (each == cause) return true;
  }
  return false;
}

Status Status::with_context(std::string_view context) const {
  if (ok()) return *this;
  Status copy = *this;
  copy.message_ = std::string(context) + ": " + message_;
  return copy;
}

}  // namespace davit
