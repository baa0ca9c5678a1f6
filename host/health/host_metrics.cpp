#include "host/health/host_metrics.hpp"

namespace davit::host {
namespace {

using Labels = std::vector<std::string>;

Labels queue() { return {"name"}; }
Labels request() { return {"verb", "host"}; }
Labels informer() { return {"name", "group", "version", "resource"}; }

/// Powers of ten from 10 ns on as Go's ExponentialBuckets computes them, rounding errors included:
/// the text of a bound is a label.
Buckets queue_buckets() {
  Buckets buckets;
  double bound = 10e-9;
  for (int i = 0; i < 10; ++i) {
    buckets.push_back(bound);
    bound *= 10;
  }
  return buckets;
}

Buckets request_buckets() {
  return {0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0};
}

Buckets size_buckets() {
  return {64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};
}

Buckets informer_buckets() {
  return {0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

}  // namespace

HostMetrics::HostMetrics(prometheus::Registry& registry)
    : queue_depth(registry, {"workqueue_depth", "[BETA] Current depth of workqueue", queue()}),
      queue_adds(registry, {"workqueue_adds_total",
                            "[BETA] Total number of adds handled by workqueue", queue()}),
      queue_latency(
          registry,
          {"workqueue_queue_duration_seconds",
           "[BETA] How long in seconds an item stays in workqueue before being requested.", queue(),
           queue_buckets()}),
      queue_work(registry, {"workqueue_work_duration_seconds",
                            "[BETA] How long in seconds processing an item from workqueue takes.",
                            queue(), queue_buckets()}),
      queue_unfinished(
          registry,
          {"workqueue_unfinished_work_seconds",
           "[BETA] How many seconds of work has done that is in progress and hasn't been observed "
           "by work_duration. Large values indicate stuck threads. One can deduce the number of "
           "stuck threads by observing the rate at which this increases.",
           queue()}),
      queue_longest(registry, {"workqueue_longest_running_processor_seconds",
                               "[BETA] How many seconds has the longest running processor for "
                               "workqueue been running.",
                               queue()}),
      queue_retries(registry, {"workqueue_retries_total",
                               "[BETA] Total number of retries handled by workqueue", queue()}),
      rest_duration(registry, {"rest_client_request_duration_seconds",
                               "[ALPHA] Request latency in seconds. Broken down by verb, and host.",
                               request(), request_buckets()}),
      rest_limiter(registry,
                   {"rest_client_rate_limiter_duration_seconds",
                    "[ALPHA] Client side rate limiter latency in seconds. Broken down by verb, "
                    "and host.",
                    request(), request_buckets()}),
      rest_request_size(registry, {"rest_client_request_size_bytes",
                                   "[ALPHA] Request size in bytes. Broken down by verb and host.",
                                   request(), size_buckets()}),
      rest_response_size(registry, {"rest_client_response_size_bytes",
                                    "[ALPHA] Response size in bytes. Broken down by verb and host.",
                                    request(), size_buckets()}),
      rest_requests(registry, {"rest_client_requests_total",
                               "[ALPHA] Number of HTTP requests, partitioned by status code, "
                               "method, and host.",
                               {"code", "method", "host"}}),
      rest_retries(registry, {"rest_client_request_retries_total",
                              "[ALPHA] Number of request retries, partitioned by status code, "
                              "verb, and host.",
                              {"code", "verb", "host"}}),
      rest_exec_ttl(registry, {"rest_client_exec_plugin_ttl_seconds",
                               "[ALPHA] Gauge of the shortest TTL (time-to-live) of the client "
                               "certificate(s) managed by the auth exec plugin. The value is in "
                               "seconds until certificate expiry (negative if already expired). "
                               "If auth exec plugins are unused or manage no TLS certificates, "
                               "the value will be +INF.",
                               {}}),
      rest_exec_calls(registry, {"rest_client_exec_plugin_call_total",
                                 "[ALPHA] Number of calls to an exec plugin, partitioned by the "
                                 "type of event encountered (no_error, plugin_execution_error, "
                                 "plugin_not_found_error, client_internal_error) and an optional "
                                 "exit code. The exit code will be set to 0 if and only if the "
                                 "plugin call was successful.",
                                 {"code", "call_status"}}),
      rest_ca_reloads(registry, {"rest_client_transport_ca_reload_total",
                                 "[ALPHA] Number of times that the CA file was looked at again, "
                                 "partitioned by result and reason.",
                                 {"result", "reason"}}),
      outbound_requests(registry, {"davit_plugin_http_requests_total",
                                   "[ALPHA] Number of HTTP requests of controllers to servers "
                                   "outside the cluster, by declared host and status code.",
                                   {"controller", "host", "code"}}),
      outbound_duration(registry, {"davit_plugin_http_request_duration_seconds",
                                   "[ALPHA] Latency in seconds of HTTP requests of controllers to "
                                   "servers outside the cluster, by declared host.",
                                   {"controller", "host"},
                                   request_buckets()}),
      leader_status(registry,
                    {"leader_election_master_status",
                     "[ALPHA] Gauge of if the reporting system is master of the relevant lease, "
                     "0 indicates backup, 1 indicates master. 'name' is the string used to "
                     "identify the lease. Please make sure to group by name.",
                     {"name"}}),
      leader_slow_path(registry,
                       {"leader_election_slowpath_total",
                        "[ALPHA] Total number of slow path exercised in renewing leader leases. "
                        "'name' is the string used to identify the lease. Please make sure to "
                        "group by name.",
                        {"name"}}),
      running_controllers(registry,
                          {"running_managed_controllers",
                           "[BETA] Indicates where instances of a controller are currently running",
                           {"name", "manager"}}),
      overdue_syncs(registry, {"davit_controller_overdue_syncs",
                               "[ALPHA] Syncs that have been running for longer than their limit.",
                               {"controller"}}),
      quarantined(registry, {"davit_plugin_quarantined",
                             "[ALPHA] Whether this build of a plugin is quarantined because it "
                             "is in a crash loop.",
                             {"plugin", "build"}}),
      plugin_swaps(registry, {"davit_plugin_swaps_total",
                              "[ALPHA] Number of swaps of a plugin for another build, by outcome.",
                              {"plugin", "outcome"}}),
      plugin_swap_pause(registry,
                        {"davit_plugin_swap_pause_seconds",
                         "[ALPHA] Time of a swap from the end of the old build's last sync until "
                         "the new build gets keys.",
                         {"plugin"},
                         {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1}}),
      plugin_generation(registry, {"davit_plugin_generation",
                                   "[ALPHA] Builds of the plugin that this process has begun, "
                                   "the present one included; 0: it is no longer loaded.",
                                   {"plugin"}}),
      resident_generations(registry, {"davit_plugin_resident_generations",
                                      "[ALPHA] Builds in memory that no longer serve.",
                                      {}}),
      informer_queued(
          registry,
          {"informer_queued_items",
           "[ALPHA] Number of items that were read and are not in the store yet.", informer()}),
      informer_latency(registry, {"informer_processing_latency_seconds",
                                  "[ALPHA] Time from reading a change to its being in the store "
                                  "and with all handlers' queues.",
                                  informer(), informer_buckets()}),
      informer_version(registry,
                       {"informer_store_resource_version",
                        "[ALPHA] The last 15 digits of the store's resource version.", informer()}),
      informer_objects(registry, {"davit_informer_objects",
                                  "[ALPHA] Number of objects in the cache.", informer()}),
      informer_lists(registry,
                     {"davit_informer_lists_total",
                      "[ALPHA] Number of lists that filled or replaced the cache.", informer()}),
      informer_stalled_watches(
          registry,
          {"davit_informer_deaf_watches_total",
           "[ALPHA] Number of watches that were closed because they received nothing for too long.",
           informer()}),
      informer_json_fallbacks(registry, {"davit_informer_json_fallbacks_total",
                                         "[ALPHA] Number of resources that are read as JSON "
                                         "because their protobuf cannot be read.",
                                         informer()}),
      informer_relists(registry, {"davit_informer_relists_total",
                                  "[ALPHA] Number of lists that were requested while a watch runs.",
                                  {"name", "group", "version", "resource", "reason"}}),
      informer_skipped(registry, {"davit_informer_skipped_objects_total",
                                  "[ALPHA] Number of object versions that could not be read and "
                                  "were left out of the cache.",
                                  {"name", "group", "version", "resource", "reason"}}),
      informer_skipped_now(registry,
                           {"davit_informer_skipped_objects",
                            "[ALPHA] Number of objects of the server that the cache lacks or holds "
                            "in an older state, because they cannot be read.",
                            informer()}),
      informer_unconfirmed(registry, {"davit_informer_unconfirmed_seconds",
                                      "[ALPHA] Time since the cache was last confirmed to be "
                                      "current.",
                                      informer()}),
      informer_stale(registry,
                     {"davit_informer_stale",
                      "[ALPHA] Whether that time exceeds the limit, so that the cache must "
                      "not be taken for current.",
                      informer()}) {}

}  // namespace davit::host
