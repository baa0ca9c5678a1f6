/// The host as one controller sees it: what the functions of the capability tables use.
#pragma once

#include <davit/abi.h>

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include "host/api/hold_switch.hpp"
#include "host/journal/journal.hpp"
#include "host/object/object.hpp"
#include "host/plugin/call_slots.hpp"
#include "host/plugin/controller_http.hpp"
#include "host/plugin/controller_informers.hpp"
#include "host/plugin/controller_metrics.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/controller_requests.hpp"
#include "host/plugin/controller_work.hpp"
#include "host/plugin/dynamic_informers.hpp"
#include "host/plugin/intended_writes.hpp"
#include "host/plugin/running_config.hpp"
#include "host/plugin/slot_table.hpp"
#include "host/run/controller_runner.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

/// Any thread that is inside a call of the controller may use it.
struct ControllerAbi {
  /// The references outlive this.
  ControllerAbi(const ControllerHostOptions& of, const HostServices& with, const Logger& to,
                ControllerRunner& runner)
      : options(of),
        services(with),
        log(to),
        journal(with.journal == nullptr ? nullptr : with.journal->of(of.declared.name)),
        author(call_slots().author(of.plugin, of.declared.name)),
        informers(*this, of.declared, with),
        requests(of, with, to, informers, intended),
        http(of, with, to, intended),
        work(*this, of, with, to, runner, informers, intended),
        dynamic(of.declared, with),
        metrics(with.metrics) {}
  ControllerAbi(const ControllerAbi&) = delete;
  ControllerAbi& operator=(const ControllerAbi&) = delete;

  /// Whether nothing of the controller reaches the cluster: no write, no Event, no metric.
  [[nodiscard]] bool is_shadow() const {
    return intended.mode() == IntendedWrites::Mode::kSimulate;
  }

  /// Whether this replica leads, or the controller needs no leadership.
  [[nodiscard]] bool may_act() const { return !options.write_gate || options.write_gate().ok(); }

  /// Reports a call of this controller that the host refuses.
  void observe_refusal(std::string_view why) const {
    if (services.observer != nullptr) services.observer->refused(options.declared.name, why);
  }
  /// Reports an argument or handle that abi.h does not allow there.
  void observe_misuse(std::string_view function, davit_code code, std::string_view why) const {
    if (services.observer == nullptr) return;
    services.observer->misused(options.declared.name, {function, code, why});
  }
  /// Reports a read outside the projections of the call that ends.
  void observe_undeclared_read() const {
    if (services.observer == nullptr) return;
    if (const std::string read = informers.undeclared_read_text(); !read.empty()) {
      observe_refusal(read);
    }
  }

  struct RetainedObject {
    ObjectRef object;
    davit_value value{};
  };

  const ControllerHostOptions& options;
  const HostServices& services;
  const Logger& log;
  ControllerJournal* const journal;  // Null: nothing is recorded.
  CallAuthor& author;
  RunningConfig config;
  HoldSwitch hold;          // Its syncs should end: a swap waits for them.
  IntendedWrites intended;  // Its intended writes; kSimulate is set before init().
  ControllerInformers informers;
  ControllerRequests requests;
  ControllerHttp http;
  ControllerWork work;
  DynamicInformers dynamic;  // Its informers add keys to queues of the former.
  ControllerMetrics metrics;
  SlotTable<RetainedObject, HandleKind::kObject> retained;
  /// The objects of `retained`. Relaxed: a sum for people.
  std::atomic<std::size_t> retained_bytes{0};
};

}  // namespace davit::host
