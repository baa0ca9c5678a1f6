/// One call from the host into a controller, and what the controller borrows during it.
#pragma once

#include <davit/abi.h>
#include <davit/cloud.h>

#include <cstdint>
#include <davit/result.hpp>
#include <forward_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/object/object.hpp"
#include "host/plugin/call_slots.hpp"
#include "host/trace/work_trace.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

struct ControllerAbi;
class JournaledWork;
class WriteTracker;
struct Change;
struct ResourceId;

/// The phase of the current call into the controller; abi.h's marks state the host functions that
/// each phase may use.
enum class Phase : std::int32_t {
  kInit = DAVIT_CALL_INIT,
  kHandler = DAVIT_CALL_HANDLER,
  kSync = DAVIT_CALL_SYNC,
  kTimer = DAVIT_CALL_TIMER,
  kProbe = DAVIT_CALL_PROBE,
  kDestroy = DAVIT_CALL_DESTROY,
  kProvider = DAVIT_CALL_PROVIDER
};

/// The facts of a call that a plugin reads in its davit_call.
struct CallDetails {
  davit_handle source = 0;           ///< The queue, informer or timer.
  std::string_view key = {};         ///< The sync's; outlives the call.
  std::uint32_t attempt = 0;         ///< Failures in a row until now.
  Time deadline{};                   ///< When the call counts as overdue; zero: never.
  std::stop_token stop = {};         ///< Requested when the call should end.
  WorkTrace* trace = nullptr;        ///< Outlives the call; null: it is not traced.
  JournaledWork* journal = nullptr;  ///< Outlives the call; null: nothing is recorded.
  /// The change that a handler is called for; both outlive the call. Null in other calls.
  const ResourceId* resource = nullptr;
  const Change* change = nullptr;
};

/// The scope of one call into a plugin, on the stack of the thread that makes it. Objects, lists
/// and texts that the host gives out during the call live as long as this. Used by its own thread
/// only.
class CallFrame {
 public:
  /// `controller` outlives this. Throws std::bad_alloc, see CallSlots.
  CallFrame(ControllerAbi& controller, Phase phase, CallDetails details = {});
  ~CallFrame();
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  struct Found {
    CallFrame* frame;  ///< Null unless the code is DAVIT_OK.
    davit_code code;
  };
  /// The call that a plugin passed. DAVIT_STALE: it has ended. DAVIT_MISUSE: another thread is in
  /// it, or it is none.
  [[nodiscard]] static Found find(const davit_call* call) {
    if (call == nullptr || call->host == nullptr) return {nullptr, DAVIT_MISUSE};
    const auto* const slot = static_cast<const CallSlot*>(call->host);
    const ThreadId owner = slot->owner.load(std::memory_order_relaxed);
    if (owner == this_thread()) return {slot->frame, DAVIT_OK};
    return {nullptr, owner == nullptr ? DAVIT_STALE : DAVIT_MISUSE};
  }

  /// The call as the plugin sees it.
  [[nodiscard]] const davit_call* call() const { return &slot_.call; }
  [[nodiscard]] ControllerAbi& controller() const { return controller_; }
  [[nodiscard]] Phase phase() const { return phase_; }
  /// Requested when the call should end: the host stops.
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }
  /// The configuration as it was when this was first asked for.
  [[nodiscard]] davit_value config();
  /// Null: the call is not traced.
  [[nodiscard]] WorkTrace* trace() const { return trace_; }
  /// Null: nothing is recorded.
  [[nodiscard]] JournaledWork* journal() const { return journal_; }
  /// Notes in the controller's journal that this call adds `key` to a queue; before it does.
  void note_wake(davit_handle queue, std::string_view key) const;
  /// Adds the trace to the fields of a log line, if it is sampled. They borrow from this.
  void add_trace(std::vector<LogPair>& fields) const;
  /// Counts a use of the call in a phase that does not allow it.
  void note_wrong_phase() const;

  /// Keeps the object for the rest of the call and gives its root as seen through `mask`.
  davit_value lend(ObjectRef object, Mask mask);
  davit_list lend(std::vector<ObjectRef> objects, Mask mask);
  /// The root of an object that outlives the call anyway.
  davit_value show(const ObjectRef& object, Mask mask);
  davit_str lend(std::string text);
  /// Keeps anything else for the rest of the call.
  void keep(std::shared_ptr<const void> lent) { kept_.push_front(std::move(lent)); }

  /// Sets the tracker that notes the writes of this sync or timer, and their key; null in other
  /// calls. `key` must outlive the frame.
  void track_writes(WriteTracker& writes, std::string_view key) {
    writes_ = &writes;
    writer_ = key;
  }
  [[nodiscard]] WriteTracker* writes() const { return writes_; }
  [[nodiscard]] std::string_view writer() const { return writer_; }

  /// A request of this call was not sent because the host holds requests back or stops.
  void note_cancelled() { cancelled_ = true; }
  [[nodiscard]] bool was_cancelled() const { return cancelled_; }

  /// Keeps the last text that the controller passed to error_text.
  void set_error(std::string_view text) { error_.assign(text); }
  /// A host function answers the code of `why`, with its text as that of the call until the
  /// controller says another.
  davit_code fail(const Status& why);
  /// The same, of a mistake at this place of a text.
  davit_code fail_at(const Status& why, std::uint64_t position);
  /// Notes a failure whose text the controller gets in another way.
  void keep_failure(const Status& why) { failure_ = Failure::of(why); }
  /// As fail(), for what the plugin may not do: the text stays beside the controller's own.
  davit_code refuse(const Status& why);
  /// The host's `function` answers `code`, with or without one of the above.
  void note_failure(davit_code code, std::string_view function = {});
  /// The last failure of a host function; its texts live as long as this.
  [[nodiscard]] davit_error last_error();

  /// Logs that a request of this call was refused before it was sent. During a sync or timer it
  /// waits for log_refusals(), because the failure of the call may say the same.
  void log_refusal(const Logger& log, const Status& why);
  /// Logs the refusals that wait, each text once, but those that `said` contains.
  void log_refusals(const Logger& log, std::string_view said);

  /// Notes a refusal and the declaration that would allow the request; keeps all, up to a limit.
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
  /// The error that last_error() shows.
  struct Failure {
    davit_code code = DAVIT_OK;
    Status status;
    std::uint64_t position = 0;
    bool is_new = false;  // The function that runs has set it.
    static Failure of(const Status& why, std::uint64_t at = 0) {
      return {static_cast<davit_code>(why.code()), why, at, true};
    }
  };

  /// In a host that looks for kept values (see ObjectDebugging), a copy that ends with the call.
  [[nodiscard]] ObjectRef for_this_call(ObjectRef object) const;

  CallSlot& slot_;
  ControllerAbi& controller_;
  const Phase phase_;
  const std::stop_token stop_;
  WorkTrace* const trace_;
  JournaledWork* const journal_;
  const ResourceId* const resource_;
  const Change* const change_;
  Failure failure_;
  WriteTracker* writes_ = nullptr;
  std::string_view writer_;
  bool cancelled_ = false;
  std::optional<ObjectRef> config_;
  std::string error_;
  std::string refusal_;
  std::vector<std::string> unlogged_;  // Refusals for log_refusals().
  std::vector<ObjectRef> objects_;
  // Node based: what was lent does not move.
  std::forward_list<std::vector<ObjectRef>> lists_;
  std::forward_list<std::vector<davit_value>> roots_;
  std::forward_list<std::string> texts_;
  std::forward_list<std::shared_ptr<const void>> kept_;
};

/// The reasons of the causes, as abi.h has them.
[[nodiscard]] std::string joined_causes(const ApiDetail& detail);

/// abi.h's strings and ours.
[[nodiscard]] inline std::string_view view(davit_str text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}
[[nodiscard]] inline davit_str lend_view(std::string_view text) {
  return davit_str{text.data(), text.size()};
}

}  // namespace davit::host
