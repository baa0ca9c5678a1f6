/// Mistakes of a test that show in the middle of a controller's call.
#pragma once

#include <exception>
#include <utility>

namespace davit::testing {

/// Keeps the first one: to the host, what is thrown there is a failure of the call.
/// Single-threaded.
class Mistakes {
 public:
  /// Returns what `call` returns. What it throws is remembered, and thrown on.
  template <typename Call>
  auto remembered(const Call& call) -> decltype(call()) {
    try {
      return call();
    } catch (...) {
      if (first_ == nullptr) first_ = std::current_exception();
      throw;
    }
  }
  /// Throws the first mistake since the last time, if there was one.
  void rethrow() {
    if (first_ != nullptr) std::rethrow_exception(std::exchange(first_, nullptr));
  }

 private:
  std::exception_ptr first_;
};

}  // namespace davit::testing
