#include <algorithm>

#include "host/object/field_path.hpp"
#include "host/object/object_space.hpp"
#include "host/object/object_space_rows.hpp"

namespace davit::host {

namespace {
constexpr std::string_view kAlwaysReadable[] = {
    "apiVersion",         "kind",         "metadata.name",
    "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
};
constexpr std::string_view kReadByHost[] = {
    "metadata.ownerReferences[].controller",
    "metadata.ownerReferences[].uid",
};
}  // namespace

/// A projection while it is being made: a tree that is laid out flat at the end.
struct ObjectSpace::Draft {
  struct Node {
    std::vector<std::pair<davit_name, std::size_t>> members;  // Name and node.
    std::size_t every = 0;                                    // A node; 0 for none.
    bool whole = false;                                       // A path ends here.
  };
  std::vector<Node> nodes{Node{}};

  /// The node for member `name` below `node`, or for every element when `name` is 0.
  std::size_t below(std::size_t node, davit_name name) {
    if (name == 0) {
      if (nodes[node].every == 0) {
        nodes[node].every = nodes.size();
        nodes.emplace_back();
      }
      return nodes[node].every;
    }
    for (const auto& [known, next] : nodes[node].members) {
      if (known == name) return next;
    }
    nodes[node].members.emplace_back(name, nodes.size());
    nodes.emplace_back();
    return nodes.size() - 1;
  }
};

Status ObjectSpace::add_path(Draft& draft, std::string_view path) {
  Result<std::vector<PathStep>> steps = parse_path(path);
  if (!steps) return steps.error();
  std::size_t node = 0;
  for (const PathStep& step : *steps) {
    if (draft.nodes[node].whole) return Status();  // A shorter path includes this one.
    const davit_name name = step.every ? 0 : intern(step.member);
    if (name == 0 && !step.every) {
      return Status(Code::kUnsupported, "no room for the name \"" + step.member + "\"");
    }
    node = draft.below(node, name);
  }
  draft.nodes[node].whole = true;
  return Status();
}

Result<Mask> ObjectSpace::add_projection(std::span<const std::string> paths) {
  std::vector<std::string> sorted(paths.begin(), paths.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::string canonical;
  for (const std::string& path : sorted) canonical.append(path).push_back('\n');

  Draft draft;
  for (const std::string& path : sorted) {
    if (Status s = add_path(draft, path); !s.ok()) return s;
  }
  for (const std::string_view path : kAlwaysReadable) {
    if (Status s = add_path(draft, path); !s.ok()) return s;
  }
  const MutexLock lock(mutex_);
  if (const auto known = projections_.find(canonical); known != projections_.end()) {
    return known->second;
  }
  Result<Mask> mask = publish(draft);
  if (mask) projections_.emplace(std::move(canonical), *mask);
  return mask;
}

Result<Mask> ObjectSpace::add_keep_projection(std::span<const std::string> paths) {
  std::vector<std::string> all(paths.begin(), paths.end());
  all.insert(all.end(), std::begin(kReadByHost), std::end(kReadByHost));
  return add_projection(all);
}

Result<Mask> ObjectSpace::publish(Draft& draft) {
  // Places are numbered in the draft's order; a node that a path ends at needs none.
  std::vector<Mask> masks(draft.nodes.size());
  std::size_t next = place_count_;
  std::size_t edge_count = 0;
  for (std::size_t i = 0; i < draft.nodes.size(); ++i) {
    masks[i] = draft.nodes[i].whole ? kFullMask : static_cast<Mask>(next++);
    edge_count += draft.nodes[i].members.size();
  }
  if (next > kPlacesMax) return Status(Code::kUnsupported, "too many projections");

  owned_edges_.push_back(std::make_unique<Edge[]>(edge_count));
  Edge* edge = owned_edges_.back().get();
  for (std::size_t i = 0; i < draft.nodes.size(); ++i) {
    const Draft::Node& node = draft.nodes[i];
    if (node.whole) continue;
    std::atomic<Place*>& chunk = place_chunks_[masks[i] / kPlacesPerChunk];
    if (chunk.load(std::memory_order_relaxed) == nullptr) {
      owned_places_.push_back(std::make_unique<Place[]>(kPlacesPerChunk));
      chunk.store(owned_places_.back().get(), std::memory_order_release);
    }
    Place& here = chunk.load(std::memory_order_relaxed)[masks[i] % kPlacesPerChunk];
    here.edges = edge;
    here.edge_count = static_cast<std::uint32_t>(node.members.size());
    here.every = node.every == 0 ? kNothingMask : masks[node.every];
    for (const auto& [name, below] : node.members) *edge++ = {name, masks[below], text(name)};
  }
  place_count_ = next;
  return masks[0];  // The caller hands it to other threads, which publishes the rows.
}

}  // namespace davit::host
