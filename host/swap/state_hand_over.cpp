#include "host/swap/state_hand_over.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace davit::host {
namespace {

using End = StateHandOver::End;

/// The calls into both builds. Shared with the thread that makes them, which may outlive the wait.
struct StateCall {
  HostedController& from;
  HostedController& to;
  std::optional<Gate::Pass> from_stays;  // Neither ends before the calls have.
  std::optional<Gate::Pass> to_stays;
  StateHandOver result{};  // The thread's until it has ended.

  void run() {
    result = carry();
    from_stays.reset();
    to_stays.reset();
  }

 private:
  [[nodiscard]] StateHandOver carry() const {
    const std::optional<ControllerHost::StateForms> written = from.host->state_forms();
    if (!written) return {};
    const Result<std::string> state = from.host->write_state();
    if (!state) {
      return {End::kRefused, "the old build does not give its state: " + state.error().message()};
    }
    const Status read = to.host->read_state(written->writes, *state);
    if (read.ok()) return {End::kHanded, "", state->size()};
    return {End::kRefused, "the new build refuses the old one's state: " + read.message()};
  }
};

}  // namespace

StateHandOver judge_state(const ControllerHost& from, const ControllerHost& to) {
  const std::optional<ControllerHost::StateForms> old = from.state_forms();
  if (!old) return {};
  const std::optional<ControllerHost::StateForms> next = to.state_forms();
  if (!next) return {End::kLeft};
  if (next->reads(old->writes)) return {End::kHanded};
  return {End::kRefused, "the old build writes its state in form " + std::to_string(old->writes) +
                             ", and the new one reads the forms " + std::to_string(next->oldest) +
                             " to " + std::to_string(next->writes)};
}

StateHandOver hand_state(HostedController& from, HostedController& to, Clock& clock,
                         Time deadline) {
  StateHandOver judged = judge_state(*from.host, *to.host);
  if (judged.end != End::kHanded) return judged;
  StateHandOver result{End::kTimedOut, "its handlers did not end in time"};
  if (from.host->hold_handlers(*to.host, deadline)) {
    auto call =
        std::make_shared<StateCall>(StateCall{from, to, from.probes.enter(), to.probes.enter()});
    to.state_call = std::make_unique<LimitedCall>(clock, [call] { call->run(); });
    result.text = "writing or reading its state did not end in time";
    if (to.state_call->wait(deadline)) {
      result = std::move(call->result);
      to.state_call.reset();
    }
  }
  from.host->release_handlers();
  to.host->release_handlers();
  return result;
}

}  // namespace davit::host
