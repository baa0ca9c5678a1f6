/// One call from the host into a controller, and what the controller borrows during it.
#pragma once

#include <davit/abi.h>

#include <forward_list>
#include <stop_token>
#include <string>
#include <string_view>
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

  /// Where the writes of this sync are noted; null outside a sync of a key.
  void track_writes(WriteTracker& writes) { writes_ = &writes; }
  [[nodiscard]] WriteTracker* writes() const { return writes_; }

  /// What the controller said through error_text; the last one.
  void set_error(std::string_view text) { error_.assign(text); }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  const davit_host* controller_;
  Phase phase_;
  std::string_view key_;
  std::stop_token stop_;
  CallFrame* outer_;
  WriteTracker* writes_ = nullptr;
  std::string error_;
  std::vector<ObjectRef> objects_;
  // Node based: what was lent does not move.
  std::forward_list<std::vector<ObjectRef>> lists_;
  std::forward_list<std::vector<davit_value>> roots_;
  std::forward_list<std::string> texts_;
};

/// abi.h's strings and ours.
[[nodiscard]] inline std::string_view view(davit_str text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}
[[nodiscard]] inline davit_str lend_view(std::string_view text) {
  return davit_str{text.data(), text.size()};
}

}  // namespace davit::host
