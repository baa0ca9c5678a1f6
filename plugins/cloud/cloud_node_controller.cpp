#include "plugins/cloud/cloud_node_controller.hpp"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "plugins/cloud/new_node.hpp"
#include "plugins/cloud/node_addresses.hpp"
#include "plugins/cloud/node_patch.hpp"
#include "plugins/cloud/provider_wait.hpp"

namespace davit::cloud {
namespace {

/// UpdateNodeSpecBackoff.
constexpr NodePatchTries kInitialTries{.most = 20, .pause = std::chrono::milliseconds(50)};

constexpr int kFailuresToReport = 3;
constexpr std::chrono::minutes kReportPause{5};

MetricOptions delay_metric(std::string_view name, std::string_view help) {
  return {.type = MetricType::kHistogram,
          .name = name,
          .help = help,
          .buckets = {1, 4, 16, 64, 256, 1024}};
}

double age_in_seconds(const Context& cluster, const Node& node) {
  const std::optional<WallTime> created = node.creation_time();
  if (!created) return 0;
  return std::chrono::duration<double>(cluster.wall_now() - *created).count();
}

}  // namespace

InitResult CloudNodeController::open(Context& cluster) {
  const Result<NodeOptions> options = read_node_options(cluster.config());
  if (!options) return options.error();
  const Cloud cloud(cluster, "");  // The functions of instances have no name of a cluster.
  constexpr std::string_view kLacks =
      "failed to start cloud node controller: cloud provider does not support instances";
  if (const auto why = reason_to_skip(cloud, DAVIT_CLOUD_INSTANCES, kLacks))
    return cluster.skip(*why);
  return std::unique_ptr<Controller>(
      std::make_unique<CloudNodeController>(cluster, *options, cloud));
}

CloudNodeController::CloudNodeController(Context& cluster, const NodeOptions& options,
                                         const Cloud& cloud)
    : cluster_(cluster),
      cloud_(cloud),
      taint_delay_(cluster.open_metric(
          delay_metric("node_controller_cloud_provider_taint_removal_delay_seconds",
                       "Number of seconds after node creation when NodeController removed the "
                       "cloud-provider taint of a single node."))),
      sync_delay_(cluster.open_metric(
          delay_metric("node_controller_initial_node_sync_delay_seconds",
                       "Number of seconds after node creation when NodeController finished the "
                       "initial synchronization of a single node."))),
      queue_(cluster.open_queue({.name = "Nodes"}, [this](const Key& key) { return sync(key); })),
      addresses_(cluster.open_queue({.name = {}, .workers = options.address_workers},
                                    [this](const Key& key) { return sync_addresses(key); })),
      nodes_(cluster.open_informer<Node>({.any = [this](const Event<Node>& event) {
        if (event.type != Event<Node>::Type::kDeleted) return queue_.add(event.current);
        static_cast<void>(note_success(std::string(event.current.name())));
      }})) {
  cloud_.follow(DAVIT_CLOUD_INSTANCES, addresses_);
  cluster.start_timer(
      {.period = std::chrono::duration_cast<std::chrono::milliseconds>(options.address_period)},
      [this] { queue_addresses(); });
}

void CloudNodeController::queue_addresses() const {
  for (const Node& each : nodes_.list()) addresses_.add(each);
}

// ---- New Nodes

Result<Again> CloudNodeController::sync(const Key& key) {
  const Lookup<Node> node = nodes_.get(key);
  if (!node) return Again::when_changed();
  if (!is_uninitialized(*node)) {
    if (note_success(key.name) == Addresses::kOwed) addresses_.add(key);
    return repeat_labels(*node);
  }
  if (const auto again = wait_for(cloud_)) return *again;
  return initialize(*node);
}

Result<Again> CloudNodeController::initialize(const Node& node) {
  const std::string name(node.name());
  const std::string what = "failed to get instance metadata for node " + name;
  const CloudReply reply = cloud_.metadata(node);
  const Result<std::optional<CloudMetadata>> facts = facts_of(reply);
  Status failure = facts.error().with_context(what);
  if (facts && !*facts) {
    static_cast<void>(note_success(name));
    return Again::when_changed();
  }
  if (facts) failure = write_facts(node, **facts);
  if (failure.ok()) return Again::when_changed();
  if (const auto again = excuse(cloud_, failure)) return *again;
  note_failure(node, failure);
  if (reply.retry_after.count() > 0) return Again::after(reply.retry_after).keeping_backoff();
  return failure;
}

Status CloudNodeController::write_facts(const Node& node, const CloudMetadata& facts) {
  const std::string name(node.name());
  if (facts.provider_id.empty() && node.spec()["providerID"].string().empty()) {
    return {Code::kInvalid, "failed to get instance metadata for node " + name +
                                ": cloud provider does not set node provider ID for node " + name};
  }
  // A Node whose addresses cannot be those of its machine may get no pods.
  const Result<std::vector<CloudAddress>> usable = prefer_node_ip(node, facts.addresses);
  if (!usable) {
    return usable.error().with_context(
        "failed to get node modifiers from cloud provider: provided node ip for node \"" + name +
        "\" is not valid");
  }
  for (const std::string& each : machine_labels(node, facts).discarded) {
    cluster_.log().warning("Discarding node label", {{"node", name}, {"label", each}});
  }
  bool is_written = false;
  const Status written = patch_node(
      cluster_, node,
      [&](const Node& now) -> std::optional<std::string> {
        is_written = is_uninitialized(now);
        return is_written ? std::optional(initial_body(now, facts)) : std::nullopt;
      },
      kInitialTries);
  if (written.code() == Code::kNotFound) return {};  // The event of its end forgets it.
  // A fresh read may show the write of an earlier sync, which got no answer.
  if (!written.ok() || !is_written) {
    note_owed_addresses(name);
    return written;
  }
  static_cast<void>(note_success(name));
  taint_delay_.record(age_in_seconds(cluster_, node));
  // It has its facts; the addresses can follow, once the cache shows it without the taint.
  if (!write_addresses(node, facts).ok()) note_owed_addresses(name);
  cluster_.events().normal(node, "Synced", "Node synced successfully");
  sync_delay_.record(age_in_seconds(cluster_, node));
  return {};
}

Result<std::optional<CloudMetadata>> CloudNodeController::facts_of(const CloudReply& reply) const {
  if (!reply.status.ok()) return reply.status;
  if (reply.elsewhere || !reply.text) return std::optional<CloudMetadata>();
  const Result<Value> json = parse_json(cluster_.api(), *reply.text);
  if (!json) return json.error();
  return std::optional(CloudMetadata::read(*json));
}

Result<Again> CloudNodeController::repeat_labels(const Node& node) const {
  const Status written = patch_node(cluster_, node, &repeated_labels_body);
  if (written.code() == Code::kCancelled) return written;
  if (written.unless(Code::kNotFound).ok()) return Again::when_changed();
  return written.with_context("failed update labels for node " + std::string(node.name()));
}

void CloudNodeController::note_failure(const Node& node, const Status& why) {
  {
    const std::lock_guard lock(mutex_);
    Wait& wait = waits_[std::string(node.name())];
    ++wait.failures;
    const Time now = cluster_.now();
    const bool is_due = !wait.reported || now - *wait.reported >= kReportPause;
    if (wait.failures < kFailuresToReport || !is_due) return;
    wait.reported = now;
  }
  cluster_.events().warning(node, "CloudNodeNotInitialized", why.message());
}

void CloudNodeController::note_owed_addresses(const std::string& node) {
  const std::lock_guard lock(mutex_);
  waits_[node].addresses = Addresses::kOwed;
}

CloudNodeController::Addresses CloudNodeController::note_success(const std::string& node) {
  const std::lock_guard lock(mutex_);
  const auto wait = waits_.find(node);
  if (wait == waits_.end()) return Addresses::kNone;
  const Addresses addresses = wait->second.addresses;
  waits_.erase(wait);
  return addresses;
}

// ---- Addresses

Result<Again> CloudNodeController::sync_addresses(const Key& key) {
  if (key.name.empty()) {  // The provider wants all looked at.
    queue_addresses();
    return Again::when_changed();
  }
  const Lookup<Node> node = nodes_.get(key);
  if (!node) return Again::when_changed();
  if (is_uninitialized(*node)) {
    queue_.add(key);
    return Again::when_changed();
  }
  if (const auto again = wait_for(cloud_)) return *again;
  const CloudReply reply = cloud_.metadata(*node);
  const Result<std::optional<CloudMetadata>> facts = facts_of(reply);
  if (facts) {
    const Status written = *facts ? write_addresses(*node, **facts) : Status();
    if (written.code() == Code::kCancelled) return written;
    return written.ok() ? Again::when_changed() : Again::with_backoff();
  }
  if (const auto again = excuse(cloud_, facts.error())) return *again;
  cluster_.log().error("Error getting instance metadata for node addresses",
                       {{"node", node->name()}, {"err", facts.error().message()}});
  // Another loop may be asking about the same Node.
  if (reply.retry_after.count() > 0) return Again::after(reply.retry_after);
  return Again::when_changed();
}

Status CloudNodeController::write_addresses(const Node& node, const CloudMetadata& facts) const {
  const Result<std::vector<CloudAddress>> wanted = wanted_addresses(node, facts.addresses);
  if (!wanted) {
    cluster_.log().error("Failed to update node addresses",
                         {{"node", node.name()}, {"err", wanted.error().message()}});
    return {};
  }
  if (wanted->empty() || *wanted == read_addresses(node.status()["addresses"])) return {};
  Status written =
      cluster_.client()
          .patch<Node>(node.key(), PatchType::kStrategic, addresses_body(node, *wanted),
                       {.subresource = "status", .answer = Answer::kMetadata})
          .error()
          .unless(Code::kNotFound);
  if (written.ok() || written.code() == Code::kCancelled) return written;
  cluster_.log().error("Error patching node with cloud ip addresses",
                       {{"node", node.name()}, {"err", written.message()}});
  return written;
}

}  // namespace davit::cloud
