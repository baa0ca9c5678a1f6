/// What a hosted controller works with.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/events/event_recorder.hpp"
#include "host/health/metrics.hpp"
#include "host/object/object_space.hpp"
#include "host/plugin/note.hpp"
#include "host/run/controller_runner.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

/// What all controllers share. Every reference outlives every controller.
struct HostServices {
  ObjectSpace& space;
  InformerFactory& informers;
  Transport& transport;
  Discovery& discovery;
  EventRecorder& events;
  Metrics& metrics;
  Clock& clock;
  Random& random;
  Logger log;
};

struct ControllerHostOptions {
  DeclaredController declared;
  std::string plugin;
  std::string build_id;
  std::uint64_t generation = 1;          ///< Of the plugin in this process; for crash reports.
  std::optional<std::uint32_t> workers;  ///< The operator's number; nothing: the plugin's.
  std::string config;                    ///< JSON text of an object; empty: none.
  TokenBucket::Rate rate;                ///< Of this controller's API client.
  std::optional<FailureBackoffLimits> failure_backoff{};  ///< Of the connection.
  WriteGate write_gate;                ///< Asked before each write goes on the wire.
  std::function<void()> on_success{};  ///< See RestOptions::on_success.
  Duration sync_limit = RunnerOptions{}.sync_limit;
  DryRun dry_run = DryRun::kOff;
};

}  // namespace davit::host
