#include "host/swap/state_hand_over.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace davit::host {
namespace {

using End = StateHandOver::End;

constexpr std::string_view kWriteHangs =
    "write() of the old build has not returned, and its controllers sync nothing until it does: if "
    "it never "
    "does, swap without state or restart the host";
constexpr std::string_view kReadHangs = "read() of the new build did not return in time";

/// The calls into both builds. Shared with the thread that makes them, which may outlive the wait.
class StateCall {
 public:
  StateCall(HostedController& from, HostedController& to, std::uint32_t form)
      : from_(from),
        to_(to),
        form_(form),
        from_stays_(from.probes.enter()),
        to_stays_(to.probes.enter()) {}

  void run() {
    result_ = carry();
    from_stays_.reset();
    to_stays_.reset();
  }
  /// Once run() has ended.
  [[nodiscard]] StateHandOver take() { return std::move(result_); }
  /// Ends the wait. The old build stays suspended until its call has returned. Returns which one
  /// has not.
  [[nodiscard]] std::string_view abandon() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    is_abandoned_ = true;
    if (is_written_) return kReadHangs;
    from_.host->hand_over().suspend();
    return kWriteHangs;
  }

 private:
  [[nodiscard]] StateHandOver carry() {
    const Result<std::string> state = from_.host->plugin().write_state();
    if (!note_written()) {
      from_.host->hand_over().end_suspension();
      return {};
    }
    if (!state) {
      return {End::kRefused, "the old build cannot write its state: " + state.error().message()};
    }
    const Status read = to_.host->plugin().read_state(form_, *state);
    if (read.ok()) return {End::kHanded, "", state->size()};
    return {End::kRefused, "the new build refuses the old one's state: " + read.message()};
  }
  /// Whether a caller still waits.
  [[nodiscard]] bool note_written() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    is_written_ = true;
    return !is_abandoned_;
  }

  HostedController& from_;
  HostedController& to_;
  const std::uint32_t form_;              // The format of the old build's state.
  std::optional<Gate::Pass> from_stays_;  // Neither ends before the calls have.
  std::optional<Gate::Pass> to_stays_;
  StateHandOver result_{};  // The thread's until it has ended.
  Mutex mutex_;
  bool is_written_ GUARDED_BY(mutex_) = false;
  bool is_abandoned_ GUARDED_BY(mutex_) = false;
};

}  // namespace

StateHandOver judge_state(ControllerHost& from, ControllerHost& to) {
  if (from.hand_over().is_suspended()) return {End::kTimedOut, std::string(kWriteHangs)};
  const std::optional<StateForms> old = from.plugin().state_forms();
  if (!old) return {};
  const std::optional<StateForms> next = to.plugin().state_forms();
  if (!next) return {End::kLeft};
  if (next->reads(old->writes)) return {End::kHanded};
  return {End::kRefused, "the old build writes its state in format " + std::to_string(old->writes) +
                             ", and the new one reads the formats " + std::to_string(next->oldest) +
                             " to " + std::to_string(next->writes)};
}

StateHandOver hand_state(HostedController& from, HostedController& to, Clock& clock,
                         Time deadline) {
  StateHandOver judged = judge_state(*from.host, *to.host);
  if (judged.end != End::kHanded) return judged;
  StateHandOver result{End::kTimedOut, "its handlers did not return in time"};
  if (from.host->hand_over().hold_handlers(to.host->hand_over(), deadline)) {
    const auto call =
        std::make_shared<StateCall>(from, to, from.host->plugin().state_forms()->writes);
    to.state_call = std::make_unique<LimitedCall>(clock, [call] { call->run(); });
    if (!to.state_call->started()) {
      result = {End::kRefused, "cannot start a thread for the calls: try again"};
      to.state_call.reset();
    } else if (!to.state_call->wait(deadline)) {
      result.text = call->abandon();
    } else {
      result = call->take();
      to.state_call.reset();
    }
  }
  if (!from.host->hand_over().is_suspended()) from.host->hand_over().release_handlers();
  // A build that will not serve gets no more changes, above all not beside its read().
  if (result.end == End::kHanded) to.host->hand_over().release_handlers();
  return result;
}

}  // namespace davit::host
