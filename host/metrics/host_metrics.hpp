/// The families that the host itself fills. Internal to host/health.
#pragma once

#include "host/metrics/series.hpp"

namespace davit::host {

/// Upstream's names, help texts, labels and buckets, and ours with the prefix davit_. Thread-safe.
struct HostMetrics {
  explicit HostMetrics(MetricRegistry& registry);

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
  Histograms rest_exec_rotation;
  Counters rest_ca_reloads;
  Gauges rest_transports;
  Counters rest_transport_calls;
  Counters rest_rotation_collections;
  Counters rest_transport_collections;

  Counters outbound_requests;
  Histograms outbound_duration;

  Counters spans_exported;
  Counters spans_dropped;

  Gauges leader_status;
  Counters leader_slow_path;

  Counters authenticated_users;
  Counters authentication_attempts;
  Histograms authentication_time;
  Counters authorization_attempts;
  Histograms authorization_time;
  Counters delegated_authn;
  Histograms delegated_authn_time;
  Counters delegated_authz;
  Histograms delegated_authz_time;
  Counters token_cache_requests;
  Histograms token_cache_time;
  Counters token_fetches;
  Gauges token_fetches_now;
  Histograms client_certificates;
  Counters certificate_reloads;
  Gauges certificate_expiry;
  Gauges own_certificate_expiry;

  Gauges running_controllers;
  Gauges overdue_syncs;
  Counters controller_cpu;
  Counters controller_syncs;
  Counters controller_errors;
  Gauges controller_pending;
  Gauges controller_delayed;
  Gauges controller_failing;
  Gauges controller_held;
  Gauges controller_held_bytes;
  Gauges opened_informers;
  Counters refused_informers;
  Counters replicaset_stale_skips;
  Counters daemonset_stale_skips;
  Counters job_stale_skips;
  Counters stale_skips;
  Gauges quarantined;
  Gauges controller_waits;
  Gauges missing_rights;

  Counters plugin_swaps;
  Histograms plugin_swap_pause;
  Counters plugin_refused_calls;
  Gauges plugin_generation;
  Gauges resident_generations;
  Gauges plugin_mapped;

  Gauges informer_queued;
  Histograms informer_latency;
  Gauges informer_version;
  Gauges informer_objects;
  Gauges informer_bytes;
  Gauges journal_bytes;
  Counters informer_lists;
  Counters informer_stalled_watches;
  Counters informer_json_fallbacks;
  Counters informer_relists;
  Counters informer_skipped;
  Gauges informer_skipped_now;
  Gauges informer_unconfirmed;
  Gauges informer_stale;

  Gauges features;
  Gauges version;
  Counters disabled_metrics;
  Counters hidden_metrics;
  Counters unexpected_labels;
};

}  // namespace davit::host
