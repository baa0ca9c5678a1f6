#include "host/swap/retirement.hpp"

#include <algorithm>
#include <utility>

namespace davit::host {
namespace {

BuildName name_of(const Generation& generation) {
  if (generation.plugin == nullptr) return {"", "", generation.number};
  return {generation.plugin->declaration().version, generation.plugin->file().digest,
          generation.number};
}

}  // namespace

Retirement::~Retirement() = default;

Retired Retirement::retire(Generation generation, Time deadline,
                           std::unique_ptr<GenerationBuilder> stray) {
  auto kept = std::make_unique<Kept>();
  kept->resident.build = name_of(generation);
  if (generation.plugin) kept->resident.plugin = generation.plugin->declaration().name;
  kept->generation = std::move(generation);
  kept->builder = std::move(stray);
  Retired retired;
  const bool left = end(*kept, deadline);
  retired.blockers = kept->resident.blockers;
  if (left) {
    for (const std::filesystem::path& each : kept->brought) {
      if (is_open_library(each)) retired.left_behind.push_back(each.string());
    }
    return retired;
  }
  log_.warning("A build of a plugin stays in memory",
               {{"plugin", kept->resident.plugin},
                {"generation", kept->resident.build.generation},
                {"reason", kept->resident.reason}});
  kept_.push_back(std::move(kept));
  return retired;
}

void Retirement::sweep() {
  const Time now = clock_.now();
  std::erase_if(kept_, [&](const std::unique_ptr<Kept>& each) { return end(*each, now); });
}

bool Retirement::end(Kept& kept, Time deadline) {
  kept.blockers.clear();
  const bool left = try_end(kept, deadline);
  kept.resident.blockers = kept.blockers;
  kept.resident.reason = Retired{kept.blockers, {}}.reason();
  return left;
}

bool Retirement::try_end(Kept& kept, Time deadline) {
  if (kept.builder != nullptr) {
    if (!kept.builder->wait(deadline)) {
      kept.blockers.push_back({Grade::kLoadOnce, "init", "has an InitFunc that has not returned"});
      return false;
    }
    kept.generation = kept.builder->take().generation;
    kept.builder.reset();
    kept.resident.build = name_of(kept.generation);
  }
  const bool ended = end_controllers(kept, deadline);
  // The findings in its file are reported, too: fixing one reason should not reveal another. Those
  // of a swappable file are warnings, and keep nothing in memory.
  if (kept.generation.plugin != nullptr && kept.generation.plugin.use_count() == 1) {
    for (const Finding& each : kept.generation.plugin->file().findings) {
      if (each.grade != Grade::kSwappable) kept.blockers.push_back(each);
    }
  }
  if (!ended) return false;
  if (kept.generation.plugin != nullptr) close(kept);
  if (kept.generation.plugin != nullptr) return false;
  if (kept.library.empty() || !is_open_library(kept.library)) return true;
  kept.blockers.push_back({Grade::kLoadOnce, "mapped",
                           "stays mapped although it was closed and none of its code runs"});
  return false;
}

bool Retirement::end_controllers(Kept& kept, Time deadline) {
  auto& controllers = kept.generation.controllers;
  if (controllers.empty() && kept.ending == nullptr) return true;
  if (kept.ending == nullptr) {
    for (const auto& each : controllers) each->probes.close();
    bool all_ended = true;
    for (const auto& each : controllers) {
      const bool ended = each->probes.wait_empty(clock_, deadline) &&
                         each->host->stop({.cancel_at = clock_.now(), .give_up_at = deadline},
                                          ControllerRunner::Successor::kRuns);
      if (ended) continue;
      all_ended = false;
      kept.blockers.push_back(
          {Grade::kLoadOnce, "call",
           "has a call into its controller " + each->host->name() + " that has not returned"});
    }
    if (!all_ended) return false;
    // destroy() is foreign code too.
    kept.ending = std::make_unique<LimitedCall>(clock_, [&controllers] { controllers.clear(); });
    if (!kept.ending->started()) {
      kept.ending.reset();
      kept.blockers.push_back(
          {Grade::kLoadOnce, "destroy", "waits for a thread to call its destroy() on"});
      return false;
    }
  }
  if (kept.ending->wait(deadline)) {
    kept.ending.reset();
    return true;
  }
  kept.blockers.push_back({Grade::kLoadOnce, "destroy", "has a destroy() that has not returned"});
  return false;
}

void Retirement::close(Kept& kept) {
  if (kept.generation.plugin.use_count() > 1) {
    // Other controllers of the build still run: the last to end closes it.
    kept.generation.plugin.reset();
    return;
  }
  // Closing could take code away from under a thread, a signal handler or an exit handler.
  if (overall(kept.generation.plugin->file().findings) != Grade::kSwappable) return;
  kept.library = kept.generation.plugin->opened();
  kept.brought = kept.generation.plugin->brought();
  kept.generation.plugin.reset();
}

std::vector<Resident> Retirement::residents() const {
  std::vector<Resident> out;
  for (const auto& each : kept_) out.push_back(each->resident);
  return out;
}

bool Retirement::runs_stray_code() const {
  return std::any_of(kept_.begin(), kept_.end(), [](const std::unique_ptr<Kept>& each) {
    return each->builder != nullptr || each->ending != nullptr ||
           !each->generation.controllers.empty();
  });
}

}  // namespace davit::host
