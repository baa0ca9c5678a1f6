#include "host/metrics/host_metrics.hpp"

namespace davit::host {
namespace {

using Labels = std::vector<std::string>;

Labels queue() { return {"name"}; }
Labels request() { return {"verb", "host"}; }
Labels stale() { return {"group", "resource"}; }
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

/// client-go's, in seconds: from ten minutes to four years.
Buckets rotation_buckets() {
  return {600, 1800, 3600, 14400, 86400, 604800, 2592000, 7776000, 15552000, 31104000, 124416000};
}

Buckets delegated_buckets() { return {0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10}; }

/// Authentication and authorization have these: from 1 ms, each twice the last one.
Buckets access_buckets() {
  Buckets buckets;
  double bound = 0.001;
  for (int i = 0; i < 15; ++i) {
    buckets.push_back(bound);
    bound *= 2;
  }
  return buckets;
}

/// Those of prometheus/client_golang.
Buckets default_buckets() { return {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}; }

/// From none to a year.
Buckets certificate_buckets() {
  return {0,      1800,   3600,   7200,    21600,   43200,    86400,
          172800, 345600, 604800, 2592000, 7776000, 15552000, 31104000};
}

}  // namespace

HostMetrics::HostMetrics(MetricRegistry& registry)
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
      rest_exec_rotation(registry, {"rest_client_exec_plugin_certificate_rotation_age",
                                    "[ALPHA] Histogram of the number of seconds the last auth exec "
                                    "plugin client certificate lived before being rotated. If auth "
                                    "exec plugin client certificates are unused, histogram will "
                                    "contain no data.",
                                    {},
                                    rotation_buckets()}),
      rest_ca_reloads(registry, {"rest_client_transport_ca_reload_total",
                                 "[ALPHA] Number of times that the CA file was checked again, "
                                 "partitioned by result and reason.",
                                 {"result", "reason"}}),
      rest_transports(registry, {"rest_client_transport_cache_entries",
                                 "[ALPHA] Number of transport entries in the internal cache.",
                                 {}}),
      rest_transport_calls(registry, {"rest_client_transport_create_calls_total",
                                      "[ALPHA] Number of calls to get a new transport, partitioned "
                                      "by the result of the operation hit: obtained from the "
                                      "cache, miss: created and added to the cache.",
                                      {"result"}}),
      rest_rotation_collections(
          registry, {"rest_client_transport_cert_rotation_gc_calls_total",
                     "[ALPHA] Always 0: nothing here is collected as garbage. Upstream counts "
                     "certificate rotations that ended with their transport.",
                     {}}),
      rest_transport_collections(
          registry, {"rest_client_transport_cache_gc_calls_total",
                     "[ALPHA] Always absent: nothing here is collected as garbage. Upstream counts "
                     "transports that left the cache.",
                     {"result"}}),
      outbound_requests(registry, {"davit_plugin_http_requests_total",
                                   "[ALPHA] Number of HTTP requests of controllers to servers "
                                   "outside the cluster, by declared host and status code.",
                                   {"controller", "host", "code"}}),
      outbound_duration(registry, {"davit_plugin_http_request_duration_seconds",
                                   "[ALPHA] Latency in seconds of HTTP requests of controllers to "
                                   "servers outside the cluster, by declared host.",
                                   {"controller", "host"},
                                   request_buckets()}),
      spans_exported(registry, {"davit_tracing_spans_exported_total",
                                "[ALPHA] Number of spans that the receiver of traces took.",
                                {}}),
      spans_dropped(registry, {"davit_tracing_spans_dropped_total",
                               "[ALPHA] Number of spans that were sampled and did not arrive: "
                               "queue_full, export_failed, rejected by the receiver, or stopped "
                               "with the host.",
                               {"reason"}}),
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
      authenticated_users(registry,
                          {"authenticated_user_requests",
                           "[ALPHA] Counter of authenticated requests broken out by username.",
                           {"username"}}),
      authentication_attempts(
          registry,
          {"authentication_attempts", "[ALPHA] Counter of authenticated attempts.", {"result"}}),
      authentication_time(registry,
                          {"authentication_duration_seconds",
                           "[ALPHA] Authentication duration in seconds broken out by result.",
                           {"result"},
                           access_buckets()}),
      authorization_attempts(registry,
                             {"authorization_attempts_total",
                              "[ALPHA] Counter of authorization attempts broken down by result. It "
                              "can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
                              {"result"}}),
      authorization_time(registry,
                         {"authorization_duration_seconds",
                          "[ALPHA] Authorization duration in seconds broken out by result.",
                          {"result"},
                          access_buckets()}),
      delegated_authn(registry, {"apiserver_delegated_authn_request_total",
                                 "[ALPHA] Number of HTTP requests partitioned by status code.",
                                 {"code"}}),
      delegated_authn_time(registry,
                           {"apiserver_delegated_authn_request_duration_seconds",
                            "[ALPHA] Request latency in seconds. Broken down by status code.",
                            {"code"},
                            delegated_buckets()}),
      delegated_authz(registry, {"apiserver_delegated_authz_request_total",
                                 "[ALPHA] Number of HTTP requests partitioned by status code.",
                                 {"code"}}),
      delegated_authz_time(registry,
                           {"apiserver_delegated_authz_request_duration_seconds",
                            "[ALPHA] Request latency in seconds. Broken down by status code.",
                            {"code"},
                            delegated_buckets()}),
      token_cache_requests(registry, {"authentication_token_cache_request_total",
                                      "[ALPHA] Requests of the token cache.",
                                      {"status"}}),
      token_cache_time(registry, {"authentication_token_cache_request_duration_seconds",
                                  "[ALPHA] Time that a request of the token cache takes.",
                                  {"status"},
                                  default_buckets()}),
      token_fetches(registry, {"authentication_token_cache_fetch_total",
                               "[ALPHA] Reviews of tokens by the API server.",
                               {"status"}}),
      token_fetches_now(registry, {"authentication_token_cache_active_fetch_count",
                                   "[ALPHA] Reviews of tokens in progress.",
                                   {"status"}}),
      client_certificates(
          registry,
          {"apiserver_client_certificate_expiration_seconds",
           "[ALPHA] Distribution of the remaining lifetime on the certificate used to authenticate "
           "a request.",
           {},
           certificate_buckets()}),
      certificate_reloads(registry,
                          {"davit_serving_certificate_reloads_total",
                           "[ALPHA] New serving certificates, by result: success, or error if "
                           "the old one stayed.",
                           {"result"}}),
      certificate_expiry(
          registry,
          {"davit_serving_certificate_expiration_timestamp_seconds",
           "[ALPHA] When the first serving certificate, those of SNI pairs included, expires, in "
           "seconds since the Unix epoch.",
           {}}),
      own_certificate_expiry(
          registry,
          {"davit_client_certificate_expiration_timestamp_seconds",
           "[ALPHA] When the first client certificate of the kubeconfigs, those for reviews "
           "included, expires, in seconds since the Unix epoch; 0 without one.",
           {}}),
      running_controllers(registry,
                          {"running_managed_controllers",
                           "[BETA] Indicates where instances of a controller are currently running",
                           {"name", "manager"}}),
      overdue_syncs(registry, {"davit_controller_overdue_syncs",
                               "[ALPHA] Syncs that have been running for longer than their limit.",
                               {"controller"}}),
      controller_cpu(registry, {"davit_controller_cpu_seconds_total",
                                "[ALPHA] CPU time of the threads that run a controller: its "
                                "handlers, syncs and timers, with the requests that they send.",
                                {"plugin", "controller"}}),
      controller_syncs(registry,
                       {"davit_controller_syncs_total",
                        "[ALPHA] Number of finished syncs, whether they succeeded or failed.",
                        {"plugin", "controller"}}),
      controller_errors(registry,
                        {"davit_controller_sync_errors_total",
                         "[ALPHA] Number of syncs that failed for a reason other than a conflict.",
                         {"plugin", "controller"}}),
      controller_pending(registry, {"davit_controller_pending_changes",
                                    "[ALPHA] Changes of the cluster that wait for the handlers of "
                                    "a controller.",
                                    {"plugin", "controller"}}),
      controller_delayed(registry, {"davit_controller_delayed_keys",
                                    "[ALPHA] Keys that wait for the end of a back-off, or for a "
                                    "delay that their controller set.",
                                    {"plugin", "controller"}}),
      controller_failing(registry, {"davit_controller_failing_keys",
                                    "[ALPHA] A controller's keys and timers whose last run failed "
                                    "for a reason other than a conflict.",
                                    {"plugin", "controller"}}),
      controller_held(registry,
                      {"davit_controller_held",
                       "[ALPHA] What a controller has of the host and grows without an end if it "
                       "leaks: references to objects, informers that it opened at run time, "
                       "timers, back_offs of keys that have not ended, and unseen_writes, the keys "
                       "and timers with writes that the caches have not shown.",
                       {"plugin", "controller", "kind"}}),
      controller_held_bytes(registry,
                            {"davit_controller_held_bytes",
                             "[ALPHA] Memory that the host holds for a controller: objects that it "
                             "refers to, which a cache may also hold, and its journal.",
                             {"plugin", "controller", "kind"}}),
      opened_informers(registry, {"davit_controller_informers",
                                  "[ALPHA] Informers that a controller has opened at run time, of "
                                  "built_in or custom kinds; 16384 of each are the limit.",
                                  {"controller", "kinds"}}),
      refused_informers(registry, {"davit_controller_informers_refused_total",
                                   "[ALPHA] Number of informers that a controller could not open: "
                                   "it does not see the objects of these resources.",
                                   {"controller", "kinds"}}),
      replicaset_stale_skips(
          registry, {"replicaset_controller_stale_sync_skips_total",
                     "[ALPHA] Number of ReplicaSet syncs skipped due to a stale cache.", stale()}),
      daemonset_stale_skips(
          registry, {"daemonset_controller_stale_sync_skips_total",
                     "[ALPHA] Number of DaemonSet syncs skipped due to a stale cache.", stale()}),
      job_stale_skips(registry,
                      {"job_controller_stale_sync_skips_total",
                       "[ALPHA] Number of Job syncs skipped due to a stale cache.", stale()}),
      stale_skips(registry, {"davit_controller_stale_sync_skips_total",
                             "[ALPHA] Number of syncs that were put off because the cache of this "
                             "resource did not show an earlier write of their key.",
                             {"controller", "group", "resource"}}),
      quarantined(registry, {"davit_plugin_quarantined",
                             "[ALPHA] Whether this build of a plugin is quarantined because it "
                             "is in a crash loop.",
                             {"plugin", "build"}}),
      controller_waits(registry, {"davit_controller_waits",
                                  "[ALPHA] Whether a controller cannot begin because the API "
                                  "server does not serve a resource that it watches, or refuses "
                                  "it.",
                                  {"controller", "group", "resource"}}),
      missing_rights(registry, {"davit_missing_rights",
                                "[ALPHA] Rights that a controller declares and the API server does "
                                "not allow it, as its access reviews say; davit: the host's own.",
                                {"controller"}}),
      plugin_swaps(registry, {"davit_plugin_swaps_total",
                              "[ALPHA] Number of swaps of a plugin for another build, by outcome.",
                              {"plugin", "outcome"}}),
      plugin_swap_pause(registry,
                        {"davit_plugin_swap_pause_seconds",
                         "[ALPHA] Time of a swap from the end of the old build's last sync until "
                         "the new build gets keys.",
                         {"plugin"},
                         {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1}}),
      plugin_refused_calls(registry, {"davit_plugin_refused_calls_total",
                                      "[ALPHA] Host functions that were refused because the plugin "
                                      "may not use its call: it has ended, another thread is in "
                                      "it, or its phase does not allow the function.",
                                      {"plugin", "controller", "reason"}}),
      plugin_generation(registry, {"davit_plugin_generation",
                                   "[ALPHA] Builds of the plugin that this process has begun, "
                                   "the present one included; 0: it is no longer loaded.",
                                   {"plugin"}}),
      resident_generations(registry, {"davit_plugin_resident_generations",
                                      "[ALPHA] Builds in memory that no longer serve.",
                                      {}}),
      plugin_mapped(registry, {"davit_plugin_mapped_bytes",
                               "[ALPHA] Address space of the plugin's code and static data. What "
                               "it allocates is in process_resident_memory_bytes.",
                               {"plugin"}}),
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
      informer_bytes(registry,
                     {"davit_informer_bytes",
                      "[ALPHA] Memory of the cache: its objects and indexes.", informer()}),
      journal_bytes(registry, {"davit_journal_bytes",
                               "[ALPHA] Memory of what controllers did and why, for davit why.",
                               {}}),
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
                                  "[ALPHA] Number of lists that were requested while a watch runs, "
                                  "by reason: stale_cache, verification or versions_went_back.",
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
                      informer()}),
      features(registry, {"kubernetes_feature_enabled",
                          "[BETA] This metric records the data about the stage and enablement of a "
                          "k8s feature.",
                          {"name", "stage"}}),
      version(registry, {"version_info",
                         "[ALPHA] Provides the compatibility version info of the component. The "
                         "component label is the name of the component, usually kube, but is "
                         "relevant for aggregated-apiservers.",
                         {"binary", "component", "emulation", "min_compat"}}),
      disabled_metrics(registry,
                       {"disabled_metrics_total", "[BETA] The count of disabled metrics.", {}}),
      hidden_metrics(registry, {"hidden_metrics_total", "[BETA] The count of hidden metrics.", {}}),
      unexpected_labels(registry, {"cardinality_enforcement_unexpected_categorizations_total",
                                   "[ALPHA] The count of unexpected categorizations during "
                                   "cardinality enforcement.",
                                   {}}) {}

}  // namespace davit::host
