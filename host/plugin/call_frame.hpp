/// One call from the host into a controller, and what the controller borrows during it.
#pragma once

#include <davit/abi.h>

#include <forward_list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/object/object.hpp"

namespace davit::host {

class WriteTracker;

/// Which call into the controller is under way; abi.h's marks say which host functions each may
/// use.
enum class Phase { kInit, kHandler, kSync, kProbe };

/// The scope of one call into a plugin, on the stack of the thread that makes it. Objects, lists
/// and texts that the host gives out during the call live as long as this. Used by its own thread
/// only.
class CallFrame {
 public:
  /// `controller` identifies the davit_host that calls through this frame may use. `key` must
  /// outlive the frame.
  CallFrame(const davit_host* controller, Phase phase, std::string_view key, std::stop_token stop);
  ~CallFrame();
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  /// The innermost frame of this thread if it belongs to `controller`, else null: a call from
  /// outside any call, from a thread of the plugin's own, or with another controller's host.
  [[nodiscard]] static CallFrame* current(const davit_host* controller);

  [[nodiscard]] Phase phase() const { return phase_; }
  /// The key of the sync; empty in other phases.
  [[nodiscard]] std::string_view key() const { return key_; }
  /// Requested when the call should end: the host stops.
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }

  /// Keeps the object for the rest of the call and gives its root as seen through `mask`.
  davit_value lend(ObjectRef object, Mask mask);
  davit_list lend(std::vector<ObjectRef> objects, Mask mask);
  davit_str lend(std::string text);
  /// Keeps anything else for the rest of the call.
  void keep(std::shared_ptr<const void> lent) { kept_.push_front(std::move(lent)); }

  /// Where the writes of this sync or timer are noted, and as whose; null in other calls. `key`
  /// must outlive the frame.
  void track_writes(WriteTracker& writes, std::string_view key) {
    writes_ = &writes;
    writer_ = key;
  }
  [[nodiscard]] WriteTracker* writes() const { return writes_; }
  [[nodiscard]] std::string_view writer() const { return writer_; }

  /// A request of this call was not sent because the host holds requests back or stops.
  void note_cancelled() { cancelled_ = true; }
  [[nodiscard]] bool was_cancelled() const { return cancelled_; }

  /// What the controller said through error_text; the last one.
  void set_error(std::string_view text) { error_.assign(text); }
  /// What the host refused, and what to write for it to be allowed; all of it, up to a limit.
  void note_refusal(std::string_view text) {
    constexpr std::size_t kRefusalBytesMax = 2000;  // Several lines of a log.
    if (refusal_.size() > kRefusalBytesMax || refusal_.find(text) != std::string::npos) return;
    if (!refusal_.empty()) refusal_.append("; ");
    refusal_.append(text);
  }
  /// Both, because a controller often sees that a call was refused, but not why.
  [[nodiscard]] std::string error() const {
    const bool said = !refusal_.empty() && error_.find(refusal_) != std::string::npos;
    if (refusal_.empty() || said) return error_;
    return error_.empty() ? refusal_ : error_ + ": " + refusal_;
  }

 private:
  const davit_host* controller_;
  Phase phase_;
  std::string_view key_;
  std::stop_token stop_;
  CallFrame* outer_;
  WriteTracker* writes_ = nullptr;
  std::string_view writer_;
  bool cancelled_ = false;
  std::string error_;
  std::string refusal_;
  std::vector<ObjectRef> objects_;
  // Node based: what was lent does not move.
  std::forward_list<std::vector<ObjectRef>> lists_;
  std::forward_list<std::vector<davit_value>> roots_;
  std::forward_list<std::string> texts_;
  std::forward_list<std::shared_ptr<const void>> kept_;
};

/// abi.h's strings and ours.
[[nodiscard]] inline std::string_view view(davit_str text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}
[[nodiscard]] inline davit_str lend_view(std::string_view text) {
  return davit_str{text.data(), text.size()};
}

}  // namespace davit::host
