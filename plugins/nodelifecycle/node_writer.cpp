#include "plugins/nodelifecycle/node_writer.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <optional>
#include <utility>

namespace davit::nodelifecycle {
namespace {

constexpr int kTriesMax = 5;  // UpdateTaintBackoff.Steps

}  // namespace

/// A node's taints at one of its versions.
struct NodeWriter::Seen {
  explicit Seen(const Node& node, std::optional<Ready> judged_as = std::nullopt)
      : key(node.key()),
        version(node.resource_version()),
        taints(taints_from(node.taints())),
        judged(judged_as) {}

  [[nodiscard]] bool is_still_right(const Node& live) const {
    if (!judged || mutant("judged-readiness")) return true;
    const std::optional<ReadyFacts> ready = ReadyFacts::from(live);
    return ready && ready->status == *judged;
  }

  Key key;
  std::string version;
  std::vector<Taint> taints;
  std::optional<Ready> judged;
};

template <typename Change>
Status NodeWriter::change(Seen& node, const Change& change) const {
  const Client client = cluster_->client();
  Status last;
  for (int attempt = 0; attempt < kTriesMax; ++attempt) {
    if (attempt != 0) {
      const Result<Node> live = client.get<Node>(node.key);
      if (!live) return live.error();
      // A taint would have the pods of a node deleted that has recovered.
      if (!node.is_still_right(*live)) {
        return {Code::kExpired, "its readiness has changed meanwhile"};
      }
      node = Seen(*live, node.judged);
    }
    std::optional<std::vector<Taint>> taints = change(node.taints);
    if (!taints) return {};
    const Result<Node> written =
        client.patch<Node>(node.key, PatchType::kStrategic, taints_patch(node.version, *taints),
                           {.answer = Answer::kMetadata});
    if (written) {
      node.version = written->resource_version();
      node.taints = std::move(*taints);
      return {};
    }
    last = written.error();
    if (last.code() != Code::kConflict) return last;
  }
  return last;
}

Status NodeWriter::add(Seen& node, std::span<const Taint> taints) const {
  return change(
      node, [taints](const std::vector<Taint>& present) { return with_taints(present, taints); });
}

Status NodeWriter::remove(Seen& node, std::span<const Taint> taints) const {
  return change(node, [taints](const std::vector<Taint>& present) {
    return without_taints(present, taints);
  });
}

Status NodeWriter::remove(const Node& at_hand, std::span<const Taint> taints) const {
  Seen node(at_hand);
  return remove(node, taints);
}

Status NodeWriter::remove(const Key& node, std::span<const Taint> taints) const {
  const Result<Node> live = cluster_->client().get<Node>(node);
  if (live) return remove(*live, taints);
  return live.error().code() == Code::kNotFound ? Status() : live.error();
}

Status NodeWriter::swap(const Node& at_hand, TaintSwap swap, std::optional<Ready> judged) const {
  const std::string now = format_time(cluster_->wall_now());
  for (Taint& each : swap.add) each.time_added = now;
  Status done;
  Seen node(at_hand, judged);
  const bool removes = std::any_of(swap.remove.begin(), swap.remove.end(),
                                   [&](const Taint& each) { return has_taint(at_hand, each); });
  if (!swap.add.empty()) done = add(node, swap.add);
  if (done.ok() && removes) done = remove(node, swap.remove);
  return done;
}

Status NodeWriter::repeat_labels(const Node& node) const {
  std::optional<std::string> patch = labels_patch(node);
  if (!patch) return {};
  return cluster_->client()
      .patch<Node>(node.key(), PatchType::kStrategic, std::move(*patch),
                   {.answer = Answer::kMetadata})
      .error();
}

}  // namespace davit::nodelifecycle
