/// Undoing half of a change.
#pragma once

#include <utility>

namespace davit {

/// Calls `undo` at the end of the scope unless dismiss() came first. For containers that belong
/// together: when the second one has no memory left, the first one must not keep its part.
template <typename Undo>
class OnFailure {
 public:
  explicit OnFailure(Undo undo) : undo_(std::move(undo)) {}
  OnFailure(const OnFailure&) = delete;
  OnFailure& operator=(const OnFailure&) = delete;
  ~OnFailure() {
    if (armed_) undo_();
  }
  void dismiss() { armed_ = false; }

 private:
  Undo undo_;
  bool armed_ = true;
};

}  // namespace davit
