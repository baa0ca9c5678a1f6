#include "host/process/cloud_loops.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kCloudId = "davit.cloud/1";
/// An init that fails does so again soon, and each failure is a line of the log.
constexpr int kTicksAfterFailure = 30;

}  // namespace

void CloudLoops::made(const PluginDeclaration& plugin, const std::string& controller) {
  const std::vector<std::string>& needs = plugin.requires_ids;
  if (std::find(needs.begin(), needs.end(), kCloudId) == needs.end()) return;
  MutexLock lock(mutex_);
  if (controller != restarting_) loops_.insert(controller);
}

void CloudLoops::ended(const std::string& controller) {
  MutexLock lock(mutex_);
  if (controller != restarting_) loops_.erase(controller);
}

void CloudLoops::want(const DesiredState& before, const DesiredState& now) {
  for (const DesiredPlugin& plugin : before.plugins) {
    const DesiredPlugin* const next = now.plugin_named(plugin.name);
    const auto on = next == nullptr ? std::vector<std::string>() : next->enabled();
    for (const std::string& each : plugin.enabled()) {
      if (std::find(on.begin(), on.end(), each) == on.end()) forget(each);
    }
  }
}

void CloudLoops::forget(const std::string& controller) {
  MutexLock lock(mutex_);
  loops_.erase(controller);
}

std::set<std::string> CloudLoops::loops() {
  MutexLock lock(mutex_);
  return loops_;
}

void CloudLoops::tick() {
  if (is_busy_.load()) return;
  const std::uint64_t changes = seams_.changes();
  if (changes != seen_) {
    seen_ = changes;
    pending_ = loops();
    ticks_left_ = 0;
  }
  if (pending_.empty() || --ticks_left_ > 0) return;
  is_busy_.store(true);
  if (!start_thread(thread_, "cloud", [this] { restart_all(); })) is_busy_.store(false);
}

void CloudLoops::wait() {
  if (thread_.joinable()) thread_.join();
}

void CloudLoops::restart_all() {
  const std::set<std::string> present = loops();
  ticks_left_ = 0;
  std::set<std::string> left;
  for (const std::string& each : pending_) {
    if (!present.contains(each)) continue;
    const Outcome result = restart(each);
    if (result == Outcome::kDone) continue;
    left.insert(each);
    if (result == Outcome::kFailed) ticks_left_ = kTicksAfterFailure;
  }
  pending_ = std::move(left);
  is_busy_.store(false);
}

CloudLoops::Outcome CloudLoops::restart(const std::string& loop) {
  {
    MutexLock lock(mutex_);
    restarting_ = loop;
  }
  const SwapReport off = seams_.disable(loop);
  Outcome result = Outcome::kDone;
  if (off.ok() || off.outcome == SwapOutcome::kUnknown) {
    result = enable(loop);
  } else if (off.outcome == SwapOutcome::kBusy) {
    result = Outcome::kAgain;
  } else if (off.outcome != SwapOutcome::kStopping) {
    log_.error(
        "Cannot restart a controller for the changed cloud provider, because it does not stop",
        {{"controller", loop}, {"err", off.text}});
    result = Outcome::kFailed;
  }
  MutexLock lock(mutex_);
  restarting_.clear();
  return result;
}

CloudLoops::Outcome CloudLoops::enable(const std::string& loop) {
  // The operator may want it off by now.
  if (!loops().contains(loop)) return Outcome::kDone;
  const SwapReport on = seams_.enable(loop);
  switch (on.outcome) {
    case SwapOutcome::kBusy:
      return Outcome::kAgain;
    case SwapOutcome::kStopping:
      return Outcome::kDone;
    case SwapOutcome::kUnknown:  // Its plugin is not loaded any more.
      forget(loop);
      return Outcome::kDone;
    default:
      break;
  }
  if (!on.ok() && !on.is_skipped) {
    log_.error(
        "Cannot restart a controller for the changed cloud provider, because it does not start",
        {{"controller", loop}, {"err", on.text}});
    return Outcome::kFailed;
  }
  log_.info(0, "The cloud provider has changed: a controller was restarted",
            {{"controller", loop}, {"result", on.text}});
  // The same again: the order of an operator found it off and changed nothing.
  if (on.ok() && !loops().contains(loop)) static_cast<void>(seams_.disable(loop));
  return Outcome::kDone;
}

}  // namespace davit::host
