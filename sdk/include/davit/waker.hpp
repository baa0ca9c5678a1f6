/// Waker: adds keys from threads that a library of the plugin starts.
#pragma once

#include <davit/api.hpp>
#include <davit/key.hpp>
#include <string>
#include <utility>

namespace davit {

/// Adds keys to a queue from any thread, at any time. After the end of the controller it does
/// nothing; after a swap its keys go to the queue of that name in the next build. Cheap to copy.
/// The threads must have ended when the controller's destructor returns, because the library is
/// then unloaded.
class Waker {
 public:
  /// Wakes nothing.
  Waker() = default;
  /// Takes over a reference to `raw`. Use Context::open_waker instead.
  Waker(const davit_waker_v1& table, davit_waker* raw) : table_(table), raw_(raw) {}
  Waker(const Waker& other) : table_(other.table_), raw_(other.raw_) {
    if (raw_ != nullptr) table_.retain(raw_);
  }
  Waker(Waker&& other) noexcept : table_(other.table_), raw_(std::exchange(other.raw_, nullptr)) {}
  Waker& operator=(Waker other) noexcept {
    std::swap(table_, other.table_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Waker() {
    if (raw_ != nullptr) table_.release(raw_);
  }

  /// kStale: the controller has ended.
  Status wake(const Key& key) const {
    if (raw_ == nullptr) return Status(Code::kStale, "the waker has no queue");
    const std::string text = key.text();
    const davit_code code = table_.wake(raw_, to_c(text));
    return code == DAVIT_OK ? Status() : Status(from_c(code), "the controller has ended");
  }

 private:
  davit_waker_v1 table_{};  // A copy: it outlives the controller.
  davit_waker* raw_ = nullptr;
};

}  // namespace davit
