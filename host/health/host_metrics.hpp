/// The families that the host itself fills. Internal to host/health.
#pragma once

#include <prometheus/registry.h>

#include "host/health/series.hpp"

namespace davit::host {

/// Upstream's names, help texts, labels and buckets, and ours with the prefix davit_. Thread-safe.
struct HostMetrics {
  explicit HostMetrics(prometheus::Registry& registry);

  Gauges queue_depth;
  Counters queue_adds;
  Histograms queue_latency;
  Histograms queue_work;
  Gauges queue_unfinished;
  Gauges queue_longest;
  Counters queue_retries;

  Histograms rest_duration;
  Histograms rest_limiter;
  Histograms rest_request_size;
  Histograms rest_response_size;
  Counters rest_requests;
  Counters rest_retries;
  Gauges rest_exec_ttl;
  Counters rest_exec_calls;
  Counters rest_ca_reloads;

  Counters outbound_requests;
  Histograms outbound_duration;

  Gauges leader_status;
  Counters leader_slow_path;

  Gauges running_controllers;
  Gauges overdue_syncs;
  Gauges quarantined;

  Counters plugin_swaps;
  Histograms plugin_swap_pause;
  Gauges plugin_generation;
  Gauges resident_generations;

  Gauges informer_queued;
  Histograms informer_latency;
  Gauges informer_version;
  Gauges informer_objects;
  Counters informer_lists;
  Counters informer_stalled_watches;
  Counters informer_json_fallbacks;
  Counters informer_relists;
  Counters informer_skipped;
  Gauges informer_skipped_now;
  Gauges informer_unconfirmed;
  Gauges informer_stale;
};

}  // namespace davit::host
