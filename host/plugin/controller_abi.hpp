/// The host as one controller sees it: what the functions of the capability tables use.
#pragma once

#include <davit/abi.h>

#include <string>
#include <string_view>

#include "host/object/object.hpp"
#include "host/plugin/controller_informers.hpp"
#include "host/plugin/controller_metrics.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/plugin/controller_requests.hpp"
#include "host/plugin/controller_work.hpp"
#include "host/plugin/dynamic_informers.hpp"
#include "host/plugin/intended_writes.hpp"
#include "host/plugin/slot_table.hpp"
#include "host/run/controller_runner.hpp"
#include "lib/base/log.hpp"

/// What abi.h leaves opaque. Its address identifies the calls of the controller; any thread that is
/// inside such a call may use it.
struct davit_host {
  /// The references outlive this.
  davit_host(const davit::host::ControllerHostOptions& of, const davit::host::HostServices& with,
             const davit::Logger& to, davit::host::ControllerRunner& runner)
      : options(of),
        services(with),
        log(to),
        informers(this, of.declared, with),
        requests(of, with, to, informers, intended),
        work(this, of, with, to, runner, informers, intended),
        dynamic(of.declared, with),
        metrics(with.metrics) {}
  davit_host(const davit_host&) = delete;
  davit_host& operator=(const davit_host&) = delete;

  /// Whether nothing of the controller reaches the cluster: no write, no Event, no metric.
  [[nodiscard]] bool is_shadow() const {
    return intended.mode() == davit::host::IntendedWrites::Mode::kSimulate;
  }

  /// Reports a call of this controller that the host refuses.
  void observe_refusal(std::string_view why) const {
    if (services.observer != nullptr) services.observer->refused(options.declared.name, why);
  }
  /// Reports a read outside the projections of the call that ends.
  void observe_undeclared_read() const {
    if (services.observer == nullptr) return;
    if (const std::string read = informers.undeclared_read_text(); !read.empty()) {
      observe_refusal(read);
    }
  }

  struct RetainedObject {
    davit::host::ObjectRef object;
    davit_value value{};
  };

  const davit::host::ControllerHostOptions& options;
  const davit::host::HostServices& services;
  const davit::Logger& log;
  davit::host::ObjectRef config;         // Set before init().
  davit::host::IntendedWrites intended;  // Its intended writes; kSimulate is set before init().
  davit::host::ControllerInformers informers;
  davit::host::ControllerRequests requests;
  davit::host::ControllerWork work;
  davit::host::DynamicInformers dynamic;  // Its informers add keys to queues of the former.
  davit::host::ControllerMetrics metrics;
  davit::host::SlotTable<RetainedObject, davit::host::HandleKind::kObject> retained;
};
