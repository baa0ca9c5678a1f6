#include "plugins/cloud/service_lb_controller.hpp"

#include <algorithm>
#include <chrono>
#include <davit/mutant.hpp>
#include <memory>
#include <utility>

#include "plugins/cloud/provider_wait.hpp"
#include "plugins/cloud/service_rules.hpp"
#include "plugins/cloud/service_writes.hpp"

namespace davit::cloud {
namespace {

/// The end of the key of a Service's Nodes: no name of a Service has a slash.
constexpr std::string_view kHosts = "/hosts";
/// The key of a pass over the Nodes in the queue "node"; the others name Services.
constexpr std::string_view kPass = "nodes";

constexpr std::chrono::milliseconds kBackoffBase{5'000};
constexpr std::chrono::milliseconds kBackoffMax{300'000};

std::vector<double> latency_buckets() {
  constexpr double kLast = 16384;
  std::vector<double> out;
  for (double each = 1; each <= kLast; each *= 2) out.push_back(each);
  return out;
}

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

/// A failure of the provider or of a write, with what it was for.
CloudReply failed(std::string_view what, const CloudReply& reply) {
  return CloudReply::failed(reply.status.with_context(what), reply.retry_after);
}
CloudReply failed(std::string_view what, const Status& status) {
  return CloudReply::failed(status.with_context(what));
}

}  // namespace

InitResult ServiceLbController::open(Context& cluster) {
  const Result<Options> options = read_options(cluster.config());
  if (!options) return options.error();
  const Cloud cloud(cluster, options->cluster);
  constexpr std::string_view kLacks =
      "Failed to start service controller: the cloud provider does not support external load "
      "balancers";
  if (const auto why = reason_to_skip(cloud, DAVIT_CLOUD_LOAD_BALANCERS, kLacks))
    return cluster.skip(*why);
  return std::unique_ptr<Controller>(
      std::make_unique<ServiceLbController>(cluster, *options, cloud));
}

ServiceLbController::ServiceLbController(Context& cluster, const Options& /*options*/,
                                         const Cloud& cloud)
    : cluster_(cluster),
      cloud_(cloud),
      classes_(cloud.offer().value_or(Cloud::Offer()).classes),
      updates_(
          cluster.open_metric({.name = "service_controller_loadbalancer_sync_total",
                               .help = "Calls of the cloud provider with a changed set of Nodes"})),
      update_errors_(
          cluster.open_metric({.name = "service_controller_nodesync_error_total",
                               .help = "Those that failed although the load balancer may exist"})),
      update_latency_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "service_controller_update_loadbalancer_host_latency_seconds",
           .help = "The time that such a call takes",
           .buckets = latency_buckets()})),
      pass_latency_(cluster.open_metric(
          {.type = MetricType::kHistogram,
           .name = "service_controller_nodesync_latency_seconds",
           .help = "The time from a change of the Nodes to the last of its updates",
           .buckets = latency_buckets()})),
      services_queue_(cluster.open_queue(
          {.name = "service", .base_delay = kBackoffBase, .max_delay = kBackoffMax},
          [this](const Key& key) { return sync(key); })),
      nodes_queue_(cluster.open_queue(
          {.name = "node", .workers = 1, .base_delay = kBackoffBase, .max_delay = kBackoffMax},
          [this](const Key& key) { return look(key); })),
      services_(cluster.open_informer<Service>(
          {.any = [this](const Event<Service>& event) { note(event); }})),
      nodes_(
          cluster.open_informer<Node>({.any = [this](const Event<Node>& event) { note(event); }})) {
  cloud_.follow(DAVIT_CLOUD_LOAD_BALANCERS, nodes_queue_);
}

// ---- Handlers

void ServiceLbController::note(const Event<Service>& event) {
  const Service& current = event.current;
  const Key key = current.key();
  switch (event.type) {
    case Event<Service>::Type::kAdded:
      if (wants(current) || needs_cleanup(current, classes_)) queue(key);
      return;
    case Event<Service>::Type::kDeleted:
      // One that is not known may be just before that: its first sync has begun.
      if ((memory_.is_known(key) || wants(current)) && !mutant("leaked-load-balancer")) {
        queue(key);
      }
      return;
    case Event<Service>::Type::kUpdated:
      break;
  }
  const bool was_let_go = current.is_being_deleted() && !current.has_finalizer(kCleanupFinalizer);
  // Such a one is cleaned up once, however long the finalizers of others keep it.
  if (was_let_go ? memory_.is_known(key)
                 : has_changed(*event.old, current, classes_) || needs_cleanup(current, classes_)) {
    return queue(key);
  }
  const std::string ingress = comparable_ingress(current.status()["loadBalancer"]);
  const Time now = cluster_.now();
  if (const auto due = memory_.foreign_ingress(key, ingress, now)) {
    nodes_queue_.add_after(key, *due - now);  // look() adds it with its shard.
  }
}

void ServiceLbController::note(const Event<Node>& event) {
  const bool is_update = event.type == Event<Node>::Type::kUpdated;
  if (is_update && is_included(*event.old) == is_included(event.current) &&
      event.old->spec()["providerID"] == event.current.spec()["providerID"]) {
    return;
  }
  nodes_queue_.add({"", std::string(kPass)});
}

void ServiceLbController::queue(const Key& key) const {
  services_queue_.add_sharded(key, key.text());
}

// ---- Syncs

Result<Again> ServiceLbController::sync(const Key& key) {
  if (const auto again = wait_for(cloud_)) return *again;
  if (!key.name.ends_with(kHosts)) return sync_service(key);
  return sync_hosts({key.ns, key.name.substr(0, key.name.size() - kHosts.size())});
}

Result<Again> ServiceLbController::look(const Key& key) {
  if (key.ns.empty() && key.name == kPass) {
    const std::vector<Key> stale = memory_.stale(node_set(nodes()));
    pass_began(stale.size());
    for (const Key& each : stale) {
      services_queue_.add_sharded({each.ns, each.name + std::string(kHosts)}, each.text());
    }
    return Again::when_changed();
  }
  const auto add = [this](const Service& service) {
    if (wants(service) || needs_cleanup(service, classes_)) queue(service.key());
  };
  if (key.name.empty()) {
    for (const Service& each : services_.list()) add(each);
  } else if (const Lookup<Service> service = services_.get(key)) {
    add(*service);
  }
  return Again::when_changed();
}

Result<Again> ServiceLbController::sync_service(const Key& key) {
  const Lookup<Service> cached = services_.get(key);
  const std::optional<Service> known = memory_.known(key);
  const bool is_other = known && (!cached || known->uid() != cached->uid());
  CloudReply reply;
  if (is_other && wants(*known)) reply = end(*known);
  if (!cached && reply.status.ok()) memory_.forget(key);
  if (cached && reply.status.ok()) {
    memory_.remember(key, *cached);
    const bool goes = !wants(*cached) || needs_cleanup(*cached, classes_);
    reply = goes ? remove(key, *cached) : ensure(key, *cached);
    if (goes && reply.status.ok()) memory_.forget(key);
    if (!reply.status.ok() && !excuse(cloud_, reply.status)) {
      warn(*cached, "SyncLoadBalancerFailed",
           "Error syncing load balancer: " + reply.status.message());
    }
  }
  if (reply.status.ok()) return Again::when_changed();
  if (const auto again = excuse(cloud_, reply.status)) return *again;
  if (reply.retry_after.count() > 0) return Again::after(reply.retry_after).keeping_backoff();
  return reply.status;
}

CloudReply ServiceLbController::end(const Service& known) {
  normal(known, "DeletingLoadBalancer", "Deleting load balancer");
  CloudReply reply = cloud_.remove_load_balancer(known);
  if (reply.status.ok() && reply.elsewhere) {
    reply.status = {Code::kInvalid, "the load balancer belongs to somebody else"};
  }
  if (reply.status.ok()) {
    normal(known, "DeletedLoadBalancer", "Deleted load balancer");
  } else if (!excuse(cloud_, reply.status)) {
    warn(known, "DeleteLoadBalancerFailed",
         "Error deleting load balancer: " + reply.status.message());
  }
  return reply;
}

CloudReply ServiceLbController::remove(const Key& key, const Service& service) {
  const CloudReply present = cloud_.get_load_balancer(service);
  if (!present.status.ok() && !mutant("unknown-load-balancer")) {
    return failed("failed to check if load balancer exists before cleanup", present);
  }
  if (!present.exists && is_of_another_class(service, classes_) &&
      !mutant("finalizer-of-another-cloud")) {
    cluster_.log().info(
        "The Service is left to the controller of its class",
        {{"service", key.text()}, {"class", service.spec()["loadBalancerClass"].string()}});
    return {};
  }
  if (present.exists) {
    normal(service, "DeletingLoadBalancer", "Deleting load balancer");
    const CloudReply removed = cloud_.remove_load_balancer(service);
    if (!removed.status.ok()) return failed("failed to delete load balancer", removed);
  }
  if (Status s = remove_cleanup_finalizer(cluster_, service); !s.ok()) {
    return failed("failed to remove load balancer cleanup finalizer", s);
  }
  normal(service, "DeletedLoadBalancer", "Deleted load balancer");
  return write_status(key, service, Value());
}

CloudReply ServiceLbController::ensure(const Key& key, const Service& service) {
  normal(service, "EnsuringLoadBalancer", "Ensuring load balancer");
  if (Status s = add_cleanup_finalizer(cluster_, service); !s.ok()) {
    return failed("failed to add load balancer cleanup finalizer", s);
  }
  const std::vector<Node> all = nodes();
  if (all.empty()) {
    warn(service, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer");
  }
  memory_.set_nodes(key, node_set(all));
  const CloudReply made = cloud_.ensure_load_balancer(service, all);
  if (!made.status.ok()) return failed("failed to ensure load balancer", made);
  if (made.elsewhere) {
    memory_.expect_any_ingress(key);
    return made;
  }
  if (!made.text) {
    return CloudReply::failed(
        Status(Code::kInvalid, "service status returned by EnsureLoadBalancer is nil"));
  }
  const Result<Value> status = parse_json(cluster_.api(), *made.text);
  if (!status) return failed("failed to ensure load balancer", status.error());
  normal(service, "EnsuredLoadBalancer", "Ensured load balancer");
  return write_status(key, service, *status);
}

CloudReply ServiceLbController::write_status(const Key& key, const Service& service, Value status) {
  // Before the write, because its event may come first.
  memory_.expect_ingress(key, comparable_ingress(status),
                         comparable_ingress(service.status()["loadBalancer"]));
  Status written = write_load_balancer(cluster_, service, status);
  if (written.ok()) return {};
  memory_.expect_any_ingress(key);
  return failed("failed to update load balancer status", written);
}

// ---- Nodes

std::vector<Node> ServiceLbController::nodes() const {
  std::vector<Node> out;
  for (const Node& each : nodes_.list()) {
    if (takes_traffic(each)) out.push_back(each);
  }
  std::sort(out.begin(), out.end(),
            [](const Node& a, const Node& b) { return a.name() < b.name(); });
  return out;
}

Result<Again> ServiceLbController::sync_hosts(const Key& key) {
  const std::vector<Node> all = nodes();
  const NodeSet set = node_set(all);
  const std::optional<Service> known = memory_.known(key);
  if (known && memory_.has_other_nodes(key, set)) {
    memory_.set_nodes(key, set);
    update(key, *known, all);
  }
  update_ended();
  return Again::when_changed();
}

void ServiceLbController::update(const Key& key, const Service& known,
                                 const std::vector<Node>& nodes) {
  const Time began = cluster_.now();
  updates_.record(1);
  const CloudReply reply = cloud_.update_load_balancer(known, nodes);
  update_latency_.record(seconds(cluster_.now() - began));
  if (reply.status.ok() && reply.elsewhere) return;
  if (reply.status.ok() && nodes.empty()) {
    return warn(known, "UnAvailableLoadBalancer", "There are no available nodes for LoadBalancer");
  }
  if (reply.status.ok()) {
    return normal(known, "UpdatedLoadBalancer", "Updated load balancer with new hosts");
  }
  if (excuse(cloud_, reply.status)) return queue(key);
  const CloudReply present = cloud_.get_load_balancer(known);
  if (present.status.ok() && !present.exists) return;
  update_errors_.record(1);
  warn(known, "UpdateLoadBalancerFailed",
       "Error updating load balancer with new hosts " + limited_names(nodes) +
           " [node names limited, total number of nodes: " + std::to_string(nodes.size()) +
           "], error: " + reply.status.message());
  queue(key);
}

void ServiceLbController::pass_began(std::size_t updates) {
  const std::lock_guard lock(pass_mutex_);
  if (updates == 0 && updates_left_ == 0) return pass_latency_.record(0);
  if (updates_left_ == 0) pass_began_ = cluster_.now();
  updates_left_ = std::max(updates_left_, updates);
}

void ServiceLbController::update_ended() {
  const std::lock_guard lock(pass_mutex_);
  if (updates_left_ == 0 || --updates_left_ > 0) return;
  pass_latency_.record(seconds(cluster_.now() - pass_began_));
}

}  // namespace davit::cloud
