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

std::string Retirement::retire(Generation generation, Time deadline,
                               std::unique_ptr<GenerationBuilder> stray) {
  auto kept = std::make_unique<Kept>();
  kept->resident.build = name_of(generation);
  if (generation.plugin) kept->resident.plugin = generation.plugin->declaration().name;
  kept->generation = std::move(generation);
  kept->builder = std::move(stray);
  if (end(*kept, deadline)) return "";
  std::string reason = kept->resident.reason;
  log_.warning("A build of a plugin stays in memory",
               {{"plugin", kept->resident.plugin},
                {"generation", kept->resident.build.generation},
                {"reason", reason}});
  kept_.push_back(std::move(kept));
  return reason;
}

void Retirement::sweep() {
  const Time now = clock_.now();
  std::erase_if(kept_, [&](const std::unique_ptr<Kept>& each) { return end(*each, now); });
}

bool Retirement::end(Kept& kept, Time deadline) {
  if (kept.builder != nullptr) {
    if (!kept.builder->wait(deadline)) {
      kept.resident.reason = "its InitFunc does not end";
      return false;
    }
    kept.generation = kept.builder->take().generation;
    kept.builder.reset();
    kept.resident.build = name_of(kept.generation);
  }
  if (!end_controllers(kept, deadline)) return false;
  if (kept.generation.plugin != nullptr) close(kept);
  if (kept.generation.plugin != nullptr) return false;
  if (kept.library.empty() || !is_open_library(kept.library)) return true;
  kept.resident.reason = "stays in memory although it was closed";
  return false;
}

bool Retirement::end_controllers(Kept& kept, Time deadline) {
  auto& controllers = kept.generation.controllers;
  if (controllers.empty() && kept.ending == nullptr) return true;
  if (kept.ending == nullptr) {
    for (const auto& each : controllers) each->probes.close();
    for (const auto& each : controllers) {
      const bool ended = each->probes.wait_empty(clock_, deadline) &&
                         each->host->retire({.cancel_at = clock_.now(), .give_up_at = deadline});
      if (ended) continue;
      kept.resident.reason = "a call into its controller " + each->host->name() + " does not end";
      return false;
    }
    // destroy() is foreign code too.
    kept.ending = std::make_unique<LimitedCall>(clock_, [&controllers] { controllers.clear(); });
  }
  if (kept.ending->wait(deadline)) {
    kept.ending.reset();
    return true;
  }
  kept.resident.reason = "its destroy() does not end";
  return false;
}

void Retirement::close(Kept& kept) {
  if (kept.generation.plugin.use_count() > 1) {
    // Other controllers of the build go on: the last to end closes it.
    kept.generation.plugin.reset();
    return;
  }
  const std::vector<Finding>& findings = kept.generation.plugin->file().findings;
  if (overall(findings) != Grade::kSwappable) {
    // Closing could take code away from under a thread, a signal handler or an exit handler.
    kept.resident.reason = "kept open, because it " + findings.front().text;
    return;
  }
  kept.library = kept.generation.plugin->opened();
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
