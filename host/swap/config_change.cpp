#include "host/swap/config_change.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace davit::host {
namespace {

/// Shared with the thread of the call, which may outlive the wait.
struct ConfigCall {
  ConfigCall(HostedController& to, std::string text)
      : host(*to.host), config(std::move(text)), stays(to.probes.enter()) {}

  void run() {
    result = host.configure(config);
    stays.reset();
  }

  ControllerHost& host;
  const std::string config;
  std::optional<Gate::Pass> stays;  // The controller does not end before the call has.
  Status result;                    // The thread's until it has ended.
};

}  // namespace

bool is_being_configured(HostedController& controller, Clock& clock) {
  if (controller.config_call != nullptr && controller.config_call->wait(clock.now())) {
    controller.config_call.reset();
  }
  return controller.config_call != nullptr;
}

ConfigChange change_config(HostedController& controller, std::string config, Clock& clock,
                           Time deadline) {
  using End = ConfigChange::End;
  if (is_being_configured(controller, clock)) {
    return {End::kTimedOut, "changed() for an earlier change has not returned"};
  }
  const auto call = std::make_shared<ConfigCall>(controller, std::move(config));
  controller.config_call = std::make_unique<LimitedCall>(clock, [call] { call->run(); });
  if (!controller.config_call->started()) {
    controller.config_call.reset();
    return {End::kRefused, "the host has no thread for the call: try again"};
  }
  if (!controller.config_call->wait(deadline)) {
    return {End::kTimedOut, "changed() did not return in time"};
  }
  controller.config_call.reset();
  if (call->result.ok()) return {};
  const bool needs_build = call->result.code() == Code::kUnsupported;
  return {needs_build ? End::kNeedsBuild : End::kRefused, call->result.message()};
}

}  // namespace davit::host
