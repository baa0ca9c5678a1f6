#include <cmath>
#include <cstdio>
#include <davit/kube/time.hpp>

#include "host/status/host_status.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

/// A number with three digits after the point; JSON has no infinity.
std::string json_decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", std::isfinite(value) ? value : 0.0);
  return text;
}

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

template <typename Items, typename Json>
std::string json_list(const Items& items, const Json& json) {
  JsonText out('[');
  for (const auto& each : items) out.raw("", json(each));
  return out.str();
}

std::string json_of_leadership(const LeadershipState& leadership) {
  using Role = LeadershipState::Role;
  return JsonText('{')
      .text("role", leadership.role == Role::kLeader    ? "leader"
                    : leadership.role == Role::kStandby ? "standby"
                                                        : "no-election")
      .text("lease", leadership.lease)
      .text("holder", leadership.holder)
      .str();
}

std::string json_of_failing(const FailingKey& failing) {
  JsonText out('{');
  if (failing.key.empty()) {
    out.boolean("timer", true);
  } else {
    out.text("queue", failing.queue).text("key", failing.key);
  }
  return out.text("error", failing.error)
      .text("since", format_time(failing.since))
      .number("failures", failing.failures)
      .str();
}

std::string json_of_holdings(const ControllerHoldings& held) {
  return JsonText('{')
      .number("objects", held.objects)
      .number("objectBytes", held.object_bytes)
      .number("informers", held.informers)
      .number("timers", held.timers)
      .number("backOffs", held.backing_off)
      .number("unseenWrites", held.unseen_writes)
      .number("journalBytes", held.journal_bytes)
      .str();
}

std::string json_of_controller(const PluginState& plugin, const ControllerState& controller,
                               const ControllerRates& rates) {
  return JsonText('{')
      .text("name", controller.name)
      .text("plugin", plugin.name)
      .text("state", controller.state)
      .number("generation", plugin.build.generation)
      .number("waiting", controller.waiting)
      .number("running", controller.use.running)
      .number("delayed", controller.use.delayed)
      .number("pendingChanges", controller.use.pending_changes)
      .number("syncs", controller.syncs.syncs)
      .number("errors", controller.syncs.errors)
      .number("faults", controller.syncs.faults)
      .raw("syncsPerSecond", json_decimal(rates.syncs))
      .raw("errorsPerSecond", json_decimal(rates.errors))
      .raw("cpu", json_decimal(rates.cpu))
      .raw("cpuSeconds", json_decimal(seconds(controller.use.cpu)))
      .raw("failing", json_list(controller.failing.keys, json_of_failing))
      .number("failingOthers", controller.failing.others)
      .raw("held", json_of_holdings(controller.held))
      .str();
}

std::string json_of_cache(const CacheState& cache, Time now) {
  return JsonText('{')
      .text("resource", cache.resource.text())
      .text("selection", cache.selection)
      .number("objects", cache.objects)
      .number("bytes", cache.bytes)
      .raw("unconfirmedSeconds", json_decimal(seconds(unconfirmed_time(cache.freshness, now))))
      .boolean("stale", cache.freshness.is_stale(now))
      .text("failure", cache.freshness.failure.ok() ? "" : cache.freshness.failure.message())
      .number("skipped", cache.skipped.size())
      .str();
}

std::string json_of_plugin(const PluginState& plugin) {
  return JsonText('{')
      .text("name", plugin.name)
      .text("file", plugin.file.string())
      .text("version", plugin.build.version)
      .text("digest", plugin.build.digest)
      .number("generation", plugin.build.generation)
      .text("grade", to_string(plugin.grade))
      .raw("probationSeconds", json_decimal(seconds(plugin.probation)))
      .text("shadow", plugin.shadow ? plugin.shadow->digest : "")
      .number("mappedBytes", plugin.mapped_bytes)
      .str();
}

std::string json_of_swap(const PastSwap& swap) {
  return JsonText('{')
      .text("time", format_time(swap.time))
      .text("plugin", swap.plugin)
      .text("outcome", swap.outcome)
      .text("text", swap.text)
      .number("from", swap.from)
      .number("to", swap.to)
      .raw("pauseSeconds", json_decimal(seconds(swap.pause)))
      .str();
}

std::string json_of_crash(const CrashRecord& crash) {
  return JsonText('{')
      .text("time", format_time(crash.time))
      .text("signal", crash.signal)
      .text("plugin", crash.plugin)
      .text("build", crash.build)
      .text("controller", crash.controller)
      .text("key", crash.key)
      .str();
}

std::string json_of_write(const RecentWrite& recent, const Write& write) {
  JsonText out('{');
  out.text("time", format_time(recent.time))
      .text("controller", recent.controller)
      .text("verb", write.verb)
      .text("resource", write.object.resource)
      .text("group", write.object.group)
      .text("namespace", write.object.ns)
      .text("name", write.object.name)
      .text("subresource", write.subresource)
      .number("status", write.http_status)
      .text("reason", write.reason)
      .text("key", recent.work.key);
  if (!recent.work.wakes.empty()) {
    const JournalObject& cause = recent.work.wakes.back().object;
    out.raw("cause", JsonText('{')
                         .text("resource", cause.resource)
                         .text("namespace", cause.ns)
                         .text("name", cause.name)
                         .str());
  }
  return out.str();
}

}  // namespace

std::string status_json(const StatusView& view) {
  const HostStatus& status = view.status;
  JsonText controllers('[');
  std::size_t at = 0;
  for (const PluginState& plugin : status.set.plugins) {
    for (const ControllerState& each : plugin.controllers) {
      const ControllerRates rates = at < view.rates.size() ? view.rates[at] : ControllerRates{};
      controllers.raw("", json_of_controller(plugin, each, rates));
      ++at;
    }
  }
  JsonText writes('[');
  for (const RecentWrite& recent : view.writes) {
    for (const Write& each : recent.work.writes) writes.raw("", json_of_write(recent, each));
  }
  return JsonText('{')
      .text("time", format_time(status.time))
      .text("version", status.version)
      .raw("startTimeSeconds", json_decimal(status.start_time_seconds))
      .raw("cpu", json_decimal(view.cpu))
      .number("residentBytes", status.resident_bytes)
      .number("allocatedBytes", status.allocated_bytes)
      .number("threads", status.threads)
      .raw("journal", JsonText('{')
                          .number("bytes", status.journal_bytes)
                          .number("bytesMax", status.journal_bytes_max)
                          .str())
      .raw("leadership", json_of_leadership(status.leadership))
      .raw("controllers", controllers.str())
      .raw("informers",
           json_list(status.caches,
                     [&](const CacheState& each) { return json_of_cache(each, status.now); }))
      .raw("plugins", json_list(status.set.plugins, json_of_plugin))
      .raw("residents", json_list(status.set.residents,
                                  [](const Resident& each) {
                                    return JsonText('{')
                                        .text("plugin", each.plugin)
                                        .number("generation", each.build.generation)
                                        .text("reason", each.reason)
                                        .str();
                                  }))
      .raw("swaps", json_list(view.swaps, json_of_swap))
      .raw("crashes", json_list(status.crashes, json_of_crash))
      .texts("quarantined", status.quarantined)
      .text("busy", status.set.busy)
      .texts("notes", status.notes)
      .raw("writes", writes.str())
      .str();
}

}  // namespace davit::host
