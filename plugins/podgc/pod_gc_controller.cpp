#include "plugins/podgc/pod_gc_controller.hpp"

#include <algorithm>
#include <cstddef>
#include <davit/options.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plugins/podgc/selection_plan.hpp"

namespace davit::podgc {
namespace {

constexpr std::string_view kThresholdOption = "terminatedPodGCThreshold";
constexpr std::int64_t kDefaultThreshold = 12500;
constexpr std::chrono::seconds kPeriod{20};      // gcCheckPeriod
constexpr std::chrono::seconds kQuarantine{40};  // quarantineTime
constexpr std::string_view kPodsByNode = "node";

Result<std::int64_t> read_threshold(Value config) {
  if (Status s = check_options(config, {kThresholdOption}); !s.ok()) return s;
  const Value option = config[kThresholdOption];
  if (option.is_absent()) return kDefaultThreshold;
  if (const std::optional<std::int64_t> threshold = option.integer()) return *threshold;
  return Status(Code::kInvalid,
                std::string(kThresholdOption) +
                    " must be an integer such as 12500; 0 keeps all terminated pods");
}

template <typename Predicate>
std::vector<Pod> those(const List<Pod>& pods, Predicate is_wanted) {
  std::vector<Pod> out;
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(out), is_wanted);
  return out;
}

}  // namespace

InitResult PodGcController::open(Context& cluster) {
  const Result<std::int64_t> threshold = read_threshold(cluster.config());
  if (!threshold) return threshold.error();
  return std::unique_ptr<Controller>(std::make_unique<PodGcController>(cluster, *threshold));
}

PodGcController::PodGcController(Context& cluster, std::int64_t threshold)
    : cluster_(cluster),
      threshold_(threshold),
      missing_nodes_(cluster.open_queue({.name = "orphaned_pods_nodes"},
                                        [this](const Key& node) { return sync(node); })),
      pods_(cluster.open_informer<Pod>()),
      nodes_(cluster.open_informer<Node>()),
      terminator_(cluster) {
  cluster.add_index(pods_, kPodsByNode, "spec.nodeName");
  cluster.start_timer({.period = kPeriod}, [this] { pass(); });
}

void PodGcController::pass() const {
  const List<Pod> pods = pods_.list();
  delete_terminated(pods);
  delete_out_of_service(pods);
  quarantine_missing_nodes(pods);
  delete_unscheduled(pods);
}

void PodGcController::delete_terminated(const List<Pod>& pods) const {
  if (threshold_ <= 0) return;
  terminator_.run(surplus(those(pods, is_terminated), static_cast<std::size_t>(threshold_)),
                  kTerminated);
}

void PodGcController::delete_out_of_service(const List<Pod>& pods) const {
  std::unordered_set<std::string_view> nodes;
  for (const Node& each : nodes_.list()) {
    if (is_out_of_service(each)) nodes.insert(each.name());
  }
  if (nodes.empty()) return;
  std::vector<Pod> found = those(pods, [&nodes](const Pod& each) {
    return each.is_being_deleted() && nodes.contains(each.node_name());
  });
  sort_for_deletion(found);
  terminator_.run(found, kOutOfService);
}

void PodGcController::quarantine_missing_nodes(const List<Pod>& pods) const {
  std::unordered_set<std::string_view> nodes;
  for (const Node& each : nodes_.list()) nodes.insert(each.name());
  std::set<std::string_view> missing;
  for (const Pod& each : pods) {
    const std::string_view node = each.node_name();
    if (!node.empty() && !nodes.contains(node)) missing.insert(node);
  }
  // A Node that waits already keeps its earlier time.
  for (const std::string_view each : missing) {
    missing_nodes_.add_after(Key::parse(each), kQuarantine);
  }
}

void PodGcController::delete_unscheduled(const List<Pod>& pods) const {
  terminator_.run(
      those(pods,
            [](const Pod& each) { return each.is_being_deleted() && each.node_name().empty(); }),
      kUnscheduled);
}

Result<Again> PodGcController::sync(const Key& node) const {
  const std::string name = node.text();
  if (nodes_.get({}, name)) return Again::when_changed();
  const Status found = look_up(name);
  if (found.code() == Code::kCancelled) return found;
  if (found.code() == Code::kNotFound) {
    const List<Pod> list = pods_.by_index(kPodsByNode, name);
    terminator_.run(std::vector<Pod>(list.begin(), list.end()), kOrphaned);
  } else if (!found.ok()) {
    // The next pass puts the Node into quarantine again.
    cluster_.log().error("could not read a node", {{"node", name}, {"error", found.message()}});
  }
  return Again::when_changed();
}

Status PodGcController::look_up(std::string_view node) const {
  Request request = Request::get<Node>({{}, std::string(node)});
  request.answer = Answer::kMetadata;
  return cluster_.client().call(request).error();
}

}  // namespace davit::podgc
