#include "plugins/cloud/node_route_controller.hpp"

#include <algorithm>
#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/kube/signed_duration.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "plugins/cloud/provider_wait.hpp"
#include "plugins/shared/cidrs/cluster_cidrs.hpp"

namespace davit::cloud {
namespace {

/// The keys of the queue "passes": each other one begins a pass, too.
constexpr std::string_view kBegin = "begin";
constexpr std::string_view kEnd = "end";

constexpr int kConditionTries = 5;  // updateNetworkConditionBackoff
constexpr std::chrono::milliseconds kConditionPause{100};

constexpr std::string_view kNetworkUnavailable = "NetworkUnavailable";

std::string_view condition_status(bool is_routed) { return is_routed ? "False" : "True"; }
std::string_view condition_reason(bool is_routed) {
  return is_routed ? "RouteCreated" : "NoRouteCreated";
}

std::string condition_body(std::string_view uid, bool is_routed, WallTime now) {
  const std::string time = format_time(now);
  JsonWriter out;
  // The UID: another Node of this name may have no route.
  out.begin_object().key("metadata").begin_object().member("uid", uid).end_object();
  out.key("status").begin_object().key("conditions").begin_array().begin_object();
  out.member("type", kNetworkUnavailable).member("status", condition_status(is_routed));
  out.member("lastHeartbeatTime", time).member("lastTransitionTime", time);
  out.member("reason", condition_reason(is_routed));
  out.member("message", is_routed ? "RouteController created a route"
                                  : "RouteController failed to create a route");
  out.end_object().end_array().end_object().end_object();
  return std::move(out).text();
}

}  // namespace

InitResult NodeRouteController::open(Context& cluster) {
  const Result<RouteOptions> options = read_route_options(cluster.config());
  if (!options) return options.error();
  const Cloud cloud(cluster, options->cluster);
  const std::optional<Cloud::Offer> offer = cloud.offer();
  if (!offer) return cluster.skip("there is no cloud provider");
  if (!options->is_on) {
    return cluster.skip(
        "Will not configure cloud provider routes, --configure-cloud-routes: false");
  }
  if ((offer->parts & DAVIT_CLOUD_ROUTES) == 0) {
    return cluster.skip(
        "--configure-cloud-routes is set, but cloud provider does not support routes. Will not "
        "configure cloud provider routes.");
  }
  // An empty value is refused, too: nothing says which routes are those of this cluster.
  Result<std::vector<ip::Prefix>> cidrs = cidrs::read_cluster_cidrs(options->cluster_cidrs);
  if (!cidrs) return cidrs.error();
  return std::unique_ptr<Controller>(
      std::make_unique<NodeRouteController>(cluster, *options, *std::move(cidrs), cloud));
}

NodeRouteController::NodeRouteController(Context& cluster, const RouteOptions& options,
                                         std::vector<ip::Prefix> cluster_cidrs, const Cloud& cloud)
    : cluster_(cluster),
      cloud_(cloud),
      period_(options.period),
      cluster_cidrs_(std::move(cluster_cidrs)),
      passes_made_(cluster.open_metric(
          {.name = "route_controller_route_sync_total",
           .help = "A metric counting the amount of times routes have been synced with the cloud "
                   "provider."})),
      removals_failed_(
          cluster.open_metric({.type = MetricType::kGauge,
                               .name = "route_controller_route_removals_failed",
                               .help = "Routes that the last pass could not have removed"})),
      passes_(cluster.open_queue({.name = {}, .workers = 1},
                                 [this](const Key& key) { return sync_pass(key); })),
      destinations_(
          cluster.open_queue({}, [this](const Key& key) { return sync_destination(key); })),
      nodes_(cluster.open_informer<Node>()) {
  cloud_.follow(DAVIT_CLOUD_ROUTES, passes_);
  cluster.start_timer({}, [this] { passes_.add({"", std::string(kBegin)}); });
}

// ---- Passes

Result<Again> NodeRouteController::sync_pass(const Key& key) {
  const bool is_under_way = pass_.is_under_way();
  wants_again_ = wants_again_ || (is_under_way && key.name.empty());
  // One at a time: the end of this one queues the next.
  if (key.name == kEnd || is_under_way) return end_pass();
  const std::optional<std::uint64_t> generation = generation_of(cloud_);
  if (!generation) return after_busy();
  return begin_pass({cluster_.now(), *generation});
}

Result<Again> NodeRouteController::begin_pass(const RoutePass::Beginning& beginning) {
  passes_made_.record(1);
  const CloudReply listed = cloud_.list_routes();
  Status failure = listed.status;
  std::vector<CloudRoute> routes;
  if (failure.ok()) {
    // The host parses objects only.
    const std::string wrapped = R"({"routes":)" + listed.text.value_or("[]") + "}";
    const Result<Value> json = parse_json(cluster_.api(), wrapped);
    failure = json.error();
    if (json) routes = read_routes((*json)["routes"]);
  }
  if (!failure.ok()) {
    if (const auto again = excuse(cloud_, failure)) return *again;
    cluster_.log().error("Couldn't reconcile node routes",
                         {{"err", "error listing routes: " + failure.message()}});
    queue_next(beginning.at);
    return Again::when_changed();
  }
  std::vector<RoutedNode> nodes;
  for (const Node& each : nodes_.list()) nodes.push_back(RoutedNode::from(each));
  const auto destinations = pass_.begin(plan_routes(nodes, routes, cluster_cidrs_), beginning);
  if (destinations.empty()) return end_pass();
  queue_destinations(destinations);
  return Again::when_changed();
}

Result<Again> NodeRouteController::end_pass() {
  const std::optional<RoutePass::Results> results = pass_.results();
  if (!results) return Again::when_changed();
  if (results->is_void) {
    // Another provider has taken over: what it has is listed at once.
    pass_.end();
    wants_again_ = false;
    passes_.add({"", std::string(kBegin)});
    return Again::when_changed();
  }
  if (Status s = write(changed_conditions(*results)); !s.ok()) return s;
  removals_failed_.record(results->removals_failed);
  pass_.end();
  queue_next(std::exchange(wants_again_, false) ? results->began - period_ : results->began);
  return Again::when_changed();
}

void NodeRouteController::queue_next(Time began) const {
  passes_.add_after({"", std::string(kBegin)}, began + period_ - cluster_.now());
}

void NodeRouteController::queue_destinations(const std::vector<std::string>& destinations) const {
  for (const std::string& each : destinations) destinations_.add(Key::parse(each));
}

// ---- Calls

Result<Again> NodeRouteController::sync_destination(const Key& key) {
  const std::string destination = key.text();
  while (true) {
    const std::optional<std::uint64_t> generation = generation_of(cloud_);
    if (!generation) return after_busy();
    const std::optional<RoutePass::Step> step = pass_.next(destination, *generation);
    if (!step) break;
    const std::optional<RoutePass::StepResult> result = take(*step);
    if (!result) return after_busy();
    pass_.took(destination, *step, *result);
  }
  const RoutePass::Progress progress = pass_.finish(destination);
  queue_destinations(progress.next);
  if (progress.is_over) passes_.add({"", std::string(kEnd)});
  return Again::when_changed();
}

std::optional<RoutePass::StepResult> NodeRouteController::take(const RoutePass::Step& step) {
  const Time began = cluster_.now();
  const CloudReply reply = step.remove
                               ? cloud_.remove_route(*step.remove)
                               : cloud_.create_route(step.create->node_uid, step.create->route);
  if (reply.status.ok()) return RoutePass::StepResult::kDone;
  if (excuse(cloud_, reply.status)) return std::nullopt;
  if (step.remove) {
    cluster_.log().error("Could not delete route", {{"name", step.remove->name},
                                                    {"destination", step.remove->destination},
                                                    {"err", reply.status.message()}});
  } else {
    report_creation(*step.create, reply.status, cluster_.now() - began);
  }
  return RoutePass::StepResult::kFailed;
}

void NodeRouteController::report_creation(const NewRoute& wanted, const Status& failure,
                                          Duration took) const {
  const EventSubject about{.name = wanted.route.node, .uid = wanted.node_uid};
  cluster_.events().record(Node::kResource, about, "Warning", "FailedToCreateRoute",
                           "Could not create route " + wanted.node_uid + " " +
                               wanted.route.destination + " for node " + wanted.route.node +
                               " after " + format_duration(took) + ": " + failure.message());
}

// ---- Conditions

std::vector<NodeRouteController::Condition> NodeRouteController::changed_conditions(
    const RoutePass::Results& of) const {
  std::vector<Condition> out;
  for (const auto& [name, state] : of.nodes) {
    const Lookup<Node> node = nodes_.get({"", name});
    if (!node || node->uid() != state.uid) continue;
    const std::optional<ConditionView> present = node->condition(kNetworkUnavailable);
    const bool is_routed = state.is_routed();
    const bool is_there = present && present->status() == condition_status(is_routed) &&
                          present->reason() == condition_reason(is_routed);
    if (!is_there) out.push_back({node->key(), state.uid, is_routed});
  }
  return out;
}

Status NodeRouteController::write(std::vector<Condition> conditions) const {
  for (int attempt = 1; !conditions.empty(); ++attempt) {
    std::vector<Request> requests;
    for (const Condition& each : conditions) {
      requests.push_back(
          Request::patch<Node>(each.node, PatchType::kStrategic,
                               condition_body(each.uid, each.is_routed, cluster_.wall_now()),
                               {.subresource = "status", .answer = Answer::kMetadata}));
    }
    std::vector<Condition> again;
    const Status sent = cluster_.client().fan_out(
        std::span<const Request>(requests),
        [&](std::size_t index, const Result<Value>& written) -> Status {
          const Status failure = written.error();
          if (failure.ok() || failure.code() == Code::kNotFound) return {};
          if (failure.code() == Code::kCancelled) return failure;
          if (failure.code() == Code::kConflict && attempt < kConditionTries) {
            again.push_back(conditions[index]);
            return {};
          }
          cluster_.log().error("Error updating node",
                               {{"node", conditions[index].node.name}, {"err", failure.message()}});
          return {};
        });
    if (!sent.ok()) return sent;
    conditions = std::move(again);
    if (conditions.empty()) break;
    const auto more = static_cast<std::int64_t>(
        cluster_.random() % static_cast<std::uint64_t>(kConditionPause.count()));
    const Status paused = cluster_.pause(kConditionPause + std::chrono::milliseconds(more));
    if (!paused.ok()) return paused;
  }
  return {};
}

}  // namespace davit::cloud
