#include "host/plugin/controller_host.hpp"

#include <davit/mutant.hpp>
#include <utility>

#include "host/loading/declared_config.hpp"

namespace davit::host {

ControllerHost::ControllerHost(ControllerHostOptions options, const HostServices& services)
    : options_(std::move(options)),
      configured_(apply_config(options_.declared, options_.config)),
      services_(services),
      log_(services.log.named(options_.declared.name)),
      delta_source_(delta_queue_),
      runner_(RunnerOptions{.controller = options_.declared.name,
                            .plugin = options_.plugin,
                            .build_id = options_.build_id,
                            .generation = options_.generation,
                            .sync_limit = options_.sync_limit,
                            .threads = options_.threads},
              &delta_source_, services_.metrics, services_.clock, services_.log),
      abi_(options_, services_, log_, runner_),
      plugin_(abi_),
      hand_over_(abi_.work, abi_.metrics, delta_queue_, services_.clock),
      cloud_(abi_, plugin_, runner_) {}

InitResult ControllerHost::init(const InitFunction& function) {
  if (!configured_.ok()) return {InitOutcome::kFailed, configured_.message()};
  if (Status s = abi_.http.check_roots(); !s.ok()) return {InitOutcome::kFailed, s.message()};
  InitResult result = plugin_.init(function);
  if (result.outcome != InitOutcome::kStarted) return result;
  if (Status s = cloud_.open(); !s.ok()) return {InitOutcome::kFailed, s.message()};
  return result;
}

ControllerHost::~ControllerHost() {
  // Nothing of the controller runs any more, but its last call may still use its host: the runner
  // stays until then.
  (void)stop({services_.clock.now(), Time::max()});
  plugin_.destroy();
}

Status ControllerHost::commit(Reach reach) {
  const auto on_change = [this](const OpenedInformer& informer, const Change& change) {
    plugin_.handle(informer, change);
  };
  if (Status s = abi_.informers.commit(reach, delta_queue_, on_change); !s.ok()) return s;
  return abi_.dynamic.commit(
      delta_queue_,
      {.on_change = [this](const DynamicInformer& informer,
                           const Change& change) { plugin_.handle(informer.opened, change); },
       .on_closed = [this](const DynamicInformer& informer) { plugin_.close(informer); }});
}

void ControllerHost::lead(std::optional<Time> won) {
  if (abi_.journal != nullptr) abi_.journal->begin(services_.clock.now());
  cloud_.lead();
  if (!won || mutant("takeover-verify")) return runner_.begin_syncing();
  // First: no sync may find a dynamic informer current by its content of before.
  abi_.dynamic.begin(*won);
  delta_queue_.when_current(*won, [this] { runner_.begin_syncing(); });
  abi_.informers.verify(*won);
}

bool ControllerHost::drain(Time deadline) {
  abi_.hold.hold();
  abi_.requests.hold();
  abi_.http.hold();
  const bool idle = (runner_.pause({.cancel_at = Time::max(), .give_up_at = deadline}) &&
                     cloud_.wait_idle(deadline)) ||
                    mutant("drain");
  abi_.requests.release();
  abi_.http.release();
  abi_.hold.release();
  return idle;
}

Status ControllerHost::configure(const std::string& config) {
  if (config == abi_.config.text()) return {};
  const Result<ObjectRef> parsed = RunningConfig::parse(services_.space, config);
  if (!parsed) return parsed.error();
  DeclaredController declared = options_.declared;
  if (Status s = apply_config(declared, config); !s.ok()) return s;
  if (!(declared == options_.declared)) {
    return Status(Code::kUnsupported, "the note takes what has changed from the configuration");
  }
  if (Status s = plugin_.configure(*parsed); !s.ok()) return s;
  abi_.config.set(config, *parsed);
  return {};
}

Status ControllerHost::health() const {
  Status status = runner_.overdue(options_.sync_limit);
  return status.ok() ? plugin_.health() : status;
}

}  // namespace davit::host
