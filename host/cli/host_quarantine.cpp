/// HostProcess: plugins that were left out, because they crash in a loop, and builds that went
/// back.
#include <algorithm>
#include <utility>

#include "host/cli/host_process.hpp"

namespace davit::host {

void HostProcess::want(const DesiredState& desired) {
  MutexLock lock(mutex_);
  desired_ = desired;
  settings_.clear();
  for (const DesiredPlugin& plugin : desired.plugins) {
    for (const DesiredController& each : plugin.controllers) {
      settings_[each.name] = {each.workers, each.config};
    }
  }
}

Reference HostProcess::lease() const {
  // The lease stands for the host: an Event needs an object that it is about.
  Reference lease;
  lease.api_version = "coordination.k8s.io/v1";
  lease.kind = "Lease";
  lease.ns = manifest_.leader_election.ns;
  lease.name = manifest_.leader_election.name;
  return lease;
}

void HostProcess::report_rolled_back(const std::string& text) {
  events_->of(kHostEvents).record(lease(), "Warning", "PluginRolledBack", text, "davit");
}

void HostProcess::announce_quarantine() {
  if (seams_.quarantine == nullptr) return;
  for (const LeftOutPlugin& each : seams_.quarantine->left_out()) {
    log_.warning("A plugin is left out, because it crashes in a loop",
                 {{"plugin", each.plugin},
                  {"build", each.why.build},
                  {"crashes", each.why.crashes},
                  {"controller", each.why.last.controller},
                  {"key", each.why.last.key},
                  {"signal", each.why.last.signal}});
    metrics_->plugin_quarantined(each.plugin, each.why.build, Metrics::Quarantined::kYes);
    events_->of(kHostEvents).record(lease(), "Warning", "PluginQuarantined", each.text(), "davit");
  }
  note_quarantine();
}

void HostProcess::note_quarantine() {
  std::vector<std::string> lines;
  for (const LeftOutPlugin& each : seams_.quarantine->left_out()) lines.push_back(each.text());
  checks_.note("quarantine", std::move(lines));
}

SwapReport HostProcess::load(const std::filesystem::path& file) {
  LoadOrder order{file};
  {
    MutexLock lock(mutex_);
    if (const DesiredPlugin* const here = desired_.plugin_at(file)) {
      order.sha256 = here->sha256;
      order.controllers = here->enabled();
    } else {
      // What is pinned is the plugin: neither another way of writing the path nor a copy of the
      // file elsewhere evades that. Its name is known once the loader has judged the bytes.
      order.pin = [this](const std::string& plugin) {
        MutexLock name_lock(mutex_);
        const DesiredPlugin* const pinned = desired_.plugin_named(plugin);
        return pinned == nullptr ? std::string() : pinned->sha256;
      };
    }
  }
  SwapReport report = plugins_->load(order);
  if (!report.ok() || seams_.quarantine == nullptr) return report;
  if (const auto lifted = seams_.quarantine->lift(report.plugin)) {
    log_.info(0, "A plugin is in quarantine no more", {{"plugin", report.plugin}});
    metrics_->plugin_quarantined(report.plugin, lifted->why.build, Metrics::Quarantined::kNo);
    note_quarantine();
  }
  return report;
}

}  // namespace davit::host
