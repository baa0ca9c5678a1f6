#include "plugins/nodelifecycle/node_writer.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace davit::nodelifecycle {
namespace {

constexpr int kTriesMax = 5;  // UpdateTaintBackoff.Steps

}  // namespace

template <typename Change>
Status NodeWriter::change(const Key& node, const Change& change) const {
  const Client client = cluster_->client();
  Status last;
  for (int attempt = 0; attempt < kTriesMax; ++attempt) {
    Request read = Request::get<Node>(node);
    // The server's cache will do at first; what conflicts with it shows in the answer.
    if (attempt == 0) read.query = "resourceVersion=0";
    const Result<Value> live = client.call(read);
    if (!live) return live.error();
    const Node present(*live);
    const std::optional<std::vector<Taint>> taints = change(taints_from(present.taints()));
    if (!taints) return {};
    last = client
               .patch<Node>(node, PatchType::kStrategic,
                            taints_patch(present.resource_version(), *taints),
                            {.answer = Answer::kMetadata})
               .error();
    if (last.code() != Code::kConflict) return last;
  }
  return last;
}

Status NodeWriter::add(const Key& node, std::span<const Taint> taints) const {
  return change(node, [taints](std::vector<Taint> present) {
    return with_taints(std::move(present), taints);
  });
}

Status NodeWriter::remove(const Node& at_hand, std::span<const Taint> taints) const {
  const bool has_any = std::any_of(taints.begin(), taints.end(), [&at_hand](const Taint& each) {
    return has_taint(at_hand, each);
  });
  if (!has_any) return {};
  return change(at_hand.key(), [taints](std::vector<Taint> present) {
    return without_taints(std::move(present), taints);
  });
}

Status NodeWriter::swap(const Node& at_hand, TaintSwap swap) const {
  const std::string now = format_time(cluster_->wall_now());
  for (Taint& each : swap.add) each.time_added = now;
  Status done;
  if (!swap.add.empty()) done = add(at_hand.key(), swap.add);
  if (done.ok() && !swap.remove.empty()) done = remove(at_hand, swap.remove);
  if (!done.ok()) {
    cluster_->log().error("taints of a node were not written",
                          {{"node", at_hand.name()}, {"error", done.message()}});
  }
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
