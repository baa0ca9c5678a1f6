#include "plugins/nodeipam/node_ipam_controller.hpp"

#include <chrono>
#include <davit/mutant.hpp>
#include <memory>
#include <utility>

namespace davit::nodeipam {
namespace {

constexpr int kAttempts = 3;
constexpr int kServerErrors = 500;
/// The pause before others try a block whose write was refused: if none may be written, they would
/// pass it on without end.
constexpr std::chrono::seconds kRefusedPause{10};

NodeFacts facts_of(const Node& node) {
  NodeFacts out{std::string(node.name()), std::string(node.uid()), {}};
  for (const Value each : node.spec()["podCIDRs"].elements()) out.cidrs.emplace_back(each.string());
  return out;
}

/// Whether the server may have carried out a write that failed so, or may still do it.
bool may_be_done(const Status& error) {
  switch (error.code()) {
    case Code::kUndeclared:
    case Code::kUnsupported:
    case Code::kMisuse:
      return false;  // The host has sent nothing.
    default:
      return error.detail() == nullptr || error.detail()->http_status == 0 ||
             error.detail()->http_status >= kServerErrors;
  }
}

std::string blocks_body(const Node& node, const std::vector<ip::Prefix>& blocks) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object();
  if (!mutant("cidr-of-a-namesake")) out.member("uid", node.uid());
  out.end_object().key("spec").begin_object();
  out.member("podCIDR", blocks.front().text()).key("podCIDRs").begin_array();
  for (const ip::Prefix& each : blocks) out.string(each.text());
  out.end_array().end_object().end_object();
  return std::move(out).text();
}

void record_status(const Context& cluster, const Node& node, std::string_view reason) {
  cluster.events().normal(
      node, reason, "Node " + std::string(node.name()) + " status is now: " + std::string(reason));
}

/// Logs service CIDRs that are no CIDRs, and those that take blocks away (D3).
void log_services(const Context& cluster, const Options& options,
                  const std::vector<CidrSet>& sets) {
  for (const std::string& each : options.services_ignored) {
    cluster.log().error("a service CIDR is no CIDR, and Nodes may get its addresses",
                        {{"cidr", each}});
  }
  for (const ip::Prefix& service : options.services) {
    for (const CidrSet& set : sets) {
      if (!set.blocks_of(service)) continue;
      cluster.log().warning("a service CIDR overlaps a cluster CIDR; Nodes get none of its blocks",
                            {{"service", service.text()},
                             {"cluster", set.cidr().text()},
                             {"blocksLeft", std::to_string(set.size() - set.used())}});
    }
  }
}

}  // namespace

NodeIpamController::NodeIpamController(Context& cluster, const Options& options)
    : cluster_(cluster),
      ledger_(options),
      metrics_(cluster),
      queue_(cluster.open_queue({.name = "cidrallocator_node"},
                                [this](const Key& key) { return sync(key); })),
      nodes_(
          cluster.open_informer<Node>({.any = [this](const Event<Node>& event) { note(event); }})) {
  log_services(cluster, options, ledger_.sets());
  metrics_.record(ledger_.sets());
}

InitResult NodeIpamController::open(Context& cluster) {
  const Result<Options> options = read_options(cluster.config());
  if (!options) return options.error();
  if (!options->is_on) return cluster.skip("--allocate-node-cidrs is not set");
  return std::unique_ptr<Controller>(std::make_unique<NodeIpamController>(cluster, *options));
}

void NodeIpamController::note(const Event<Node>& event) {
  const NodeFacts facts = facts_of(event.current);
  bool is_due = true;
  {
    const std::lock_guard lock(mutex_);
    if (event.type == Event<Node>::Type::kDeleted) {
      ledger_.forget(facts);
    } else {
      is_due = ledger_.see(facts);
    }
  }
  changed();
  if (is_due) queue_.add(event.current);
}

void NodeIpamController::changed(Duration delay) {
  std::vector<std::string> waiting;
  {
    const std::lock_guard lock(mutex_);
    metrics_.record(ledger_.sets());
    waiting = ledger_.take_waiting();
  }
  for (std::string& each : waiting) {
    queue_.add_after(Key{.ns = "", .name = std::move(each)}, delay);
  }
}

void NodeIpamController::note_failure(const std::string& name, const Status& error,
                                      bool is_unknown) {
  {
    const std::lock_guard lock(mutex_);
    if (is_unknown && !mutant("block-of-a-lost-answer")) {
      ledger_.keep(name);
    } else if (error.code() == Code::kNotFound) {
      ledger_.cancel(name);
    } else {
      ledger_.refuse(name);
    }
  }
  changed(kRefusedPause);
}

Result<Again> NodeIpamController::sync(const Key& key) {
  const Lookup<Node> node = nodes_.get(key);
  if (!node) {
    {
      // The handler may have seen another UID than the sync that reserved.
      const std::lock_guard lock(mutex_);
      ledger_.cancel(key.name);
    }
    changed();
    return Again::when_changed();
  }
  if (node->is_being_deleted()) return Again::when_changed();
  if (node->spec()["podCIDRs"].at(0).is_absent()) return allocate(*node);
  report(*node);
  return Again::when_changed();
}

void NodeIpamController::report(const Node& node) {
  std::optional<std::string> cidr;
  {
    const std::lock_guard lock(mutex_);
    cidr = ledger_.report_misplaced(std::string(node.name()));
  }
  if (!cidr) return;
  cluster_.log().warning("a Node's CIDR is no block of the cluster CIDRs",
                         {{"node", node.name()}, {"cidr", *cidr}});
  cluster_.events().warning(node, "PodCIDROutOfRange",
                            "podCIDR " + *cidr +
                                " of the Node is not a block of the cluster CIDRs " +
                                ledger_.cluster_text());
}

Result<Again> NodeIpamController::allocate(const Node& node) {
  const std::string name(node.name());
  Result<CidrLedger::Reserved> reserved = CidrLedger::Reserved{};
  {
    const std::lock_guard lock(mutex_);
    reserved = ledger_.reserve(name, std::string(node.uid()));
    if (reserved) metrics_.tried(ledger_.sets(), reserved->tries);
  }
  changed();
  if (!reserved) {
    record_status(cluster_, node, "CIDRNotAvailable");
    return reserved.error();
  }
  if (reserved->blocks.empty()) return Again::when_changed();
  bool is_unknown = false;
  const Status written = write_blocks(node, reserved->blocks, is_unknown);
  if (written.ok()) return Again::when_changed();
  note_failure(name, written, is_unknown);
  if (written.code() == Code::kCancelled) return written;
  if (written.code() == Code::kNotFound && !is_unknown) return Again::when_changed();
  record_status(cluster_, node, "CIDRAssignmentFailed");
  return written;
}

Status NodeIpamController::write_blocks(const Node& node, const std::vector<ip::Prefix>& blocks,
                                        bool& is_unknown) const {
  Status last;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    last = cluster_.client()
               .patch<Node>(node.key(), PatchType::kStrategic, blocks_body(node, blocks),
                            {.answer = Answer::kMetadata})
               .error();
    if (last.ok()) return last;
    is_unknown = is_unknown || may_be_done(last);
    if (last.code() == Code::kCancelled || last.code() == Code::kNotFound) break;
  }
  return last;
}

Result<DebugPage> NodeIpamController::debug(std::string_view path,
                                            std::string_view /*query*/) const {
  if (path != "cidrs") return Status(Code::kNotFound, "the only page is cidrs");
  DebugPage out;
  const std::lock_guard lock(mutex_);
  for (const CidrSet& each : ledger_.sets()) {
    out.body += each.cidr().text() + ": " + std::to_string(each.used()) + " of " +
                std::to_string(each.size()) + " blocks used\n";
  }
  return out;
}

void NodeIpamController::write(JsonWriter& out) const {
  const std::lock_guard lock(mutex_);
  ledger_.write(out);
}

Status NodeIpamController::read(std::uint32_t /*version*/, Value state) {
  Status read;
  {
    const std::lock_guard lock(mutex_);
    read = ledger_.read(state);
  }
  changed();
  return read;
}

}  // namespace davit::nodeipam
