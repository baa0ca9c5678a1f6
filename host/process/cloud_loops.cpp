#include "host/process/cloud_loops.hpp"

#include <algorithm>

#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kCloudId = "davit.cloud/1";

}  // namespace

void CloudLoops::initialised(const LoadedPlugin& plugin, const std::string& controller,
                             InitOutcome outcome) {
  const std::vector<std::string>& needs = plugin.declaration().requires_ids;
  if (std::find(needs.begin(), needs.end(), kCloudId) == needs.end()) return;
  loops_.push_back(controller);
  if (outcome == InitOutcome::kSkipped) skipped_.insert(controller);
  seen_ = exchange_.changes();
}

void CloudLoops::tick() {
  if (loops_.empty() || is_busy_.load()) return;
  const std::uint64_t changes = exchange_.changes();
  if (changes == seen_ && was_whole_.load()) return;
  seen_ = changes;
  is_busy_.store(true);
  if (!start_thread(thread_, "cloud", [this] { restart(); })) {
    was_whole_.store(false);
    is_busy_.store(false);
  }
}

void CloudLoops::restart() {
  bool is_whole = true;
  for (const std::string& each : loops_) is_whole = restart(each) && is_whole;
  was_whole_.store(is_whole);
  is_busy_.store(false);
}

bool CloudLoops::restart(const std::string& loop) {
  const SwapReport ended = plugins_.disable(loop);
  if (ended.outcome == SwapOutcome::kBusy) return false;
  // One that did not run is the operator's to enable, unless it had found nothing to do.
  if (!ended.ok() && !skipped_.contains(loop)) return true;
  skipped_.insert(loop);
  const SwapReport begun = plugins_.enable(loop);
  if (begun.outcome == SwapOutcome::kBusy) return false;
  if (begun.ok()) skipped_.erase(loop);
  log_.info(0, "The cloud provider offers something else: a controller was restarted",
            {{"controller", loop}, {"result", begun.text}});
  return true;
}

}  // namespace davit::host
