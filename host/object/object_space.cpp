#include "host/object/object_space.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "host/object/field_path.hpp"
#include "lib/base/assert.hpp"

namespace davit::host {

struct ObjectSpace::Name {
  const char* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t hash = 0;
};

/// Open addressing over name ids; 0 is an empty slot. Replaced by a larger one when half full, and
/// kept then, because readers may still be in it. All tables together are at most twice the last
/// one.
struct ObjectSpace::NameTable {
  explicit NameTable(std::size_t slot_count)
      : mask(slot_count - 1), slots(std::make_unique<std::atomic<std::uint32_t>[]>(slot_count)) {}
  std::size_t mask;  // Number of slots, a power of two, minus one.
  std::unique_ptr<std::atomic<std::uint32_t>[]> slots;
};

struct ObjectSpace::Edge {
  davit_name name = 0;
  Mask mask = kFullMask;
  std::string_view text;  // The name's text; lives as long as the space.
};

/// One place of a projection: what is visible below it.
struct ObjectSpace::Place {
  const Edge* edges = nullptr;
  std::uint32_t edge_count = 0;
  Mask every = kNothingMask;  // The mask of array elements.
};

namespace {
constexpr std::size_t kFirstSlots = 1024;

/// FNV-1a over words; names are short, and the table is bounded, so spread matters less than speed.
std::uint32_t hash_of(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  std::uint64_t hash = text.size() * kFactor;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, 8);
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 29;
  }
  std::uint64_t rest = 0;
  for (; at < text.size(); ++at) rest = rest << 8 | static_cast<unsigned char>(text[at]);
  hash = (hash ^ rest) * kFactor;
  return static_cast<std::uint32_t>(hash >> 32);
}

constexpr std::string_view kAlwaysReadable[] = {
    "apiVersion",         "kind",         "metadata.name",
    "metadata.namespace", "metadata.uid", "metadata.resourceVersion",
};
constexpr std::string_view kReadByHost[] = {
    "metadata.ownerReferences[].controller",
    "metadata.ownerReferences[].uid",
};

}  // namespace

ObjectSpace::ObjectSpace() {
  const MutexLock lock(mutex_);
  owned_tables_.push_back(std::make_unique<NameTable>(kFirstSlots));
  table_.store(owned_tables_.back().get(), std::memory_order_release);
}

ObjectSpace::~ObjectSpace() = default;

davit_name ObjectSpace::intern(std::string_view name) {
  if (const davit_name known = find(name); known != 0) return known;
  return add_name(name, kNamesMax - 1);
}

davit_name ObjectSpace::intern_data(std::string_view key) {
  if (key.size() > kDataNameBytesMax) return 0;
  if (const davit_name known = find(key); known != 0) return known;
  // Relaxed: a late view of it costs a lock and nothing else.
  if (data_full_.load(std::memory_order_relaxed)) return 0;
  return add_name(key, kDataNamesMax);
}

davit_name ObjectSpace::find(std::string_view name) const {
  const std::uint32_t hash = hash_of(name);
  const NameTable* table = table_.load(std::memory_order_acquire);
  for (std::size_t at = hash & table->mask;; at = (at + 1) & table->mask) {
    const std::uint32_t id = table->slots[at].load(std::memory_order_acquire);
    if (id == 0) return 0;
    const Name& row =
        name_chunks_[id / kNamesPerChunk].load(std::memory_order_acquire)[id % kNamesPerChunk];
    if (row.hash == hash && std::string_view(row.data, row.size) == name) return id;
  }
}

std::string_view ObjectSpace::text(davit_name name) const {
  if (name == 0 || name >= kNamesMax) return {};
  const Name* chunk = name_chunks_[name / kNamesPerChunk].load(std::memory_order_acquire);
  if (chunk == nullptr) return {};
  const Name& row = chunk[name % kNamesPerChunk];
  return {row.data, row.size};
}

davit_name ObjectSpace::add_name(std::string_view name, std::size_t limit) {
  constexpr std::size_t kNameBytesMax = 4096;
  if (name.empty() || name.size() > kNameBytesMax) return 0;
  const MutexLock lock(mutex_);
  if (const davit_name known = find(name); known != 0) return known;  // Another thread was faster.
  if (name_count_ >= limit) return 0;
  const auto id = static_cast<davit_name>(++name_count_);
  if (name_count_ >= kDataNamesMax) data_full_.store(true, std::memory_order_relaxed);
  std::atomic<Name*>& chunk = name_chunks_[id / kNamesPerChunk];
  if (chunk.load(std::memory_order_relaxed) == nullptr) {
    owned_names_.push_back(std::make_unique<Name[]>(kNamesPerChunk));
    chunk.store(owned_names_.back().get(), std::memory_order_release);
  }
  owned_text_.push_back(std::make_unique<char[]>(name.size()));
  std::memcpy(owned_text_.back().get(), name.data(), name.size());
  const std::uint32_t hash = hash_of(name);
  chunk.load(std::memory_order_relaxed)[id % kNamesPerChunk] = {
      owned_text_.back().get(), static_cast<std::uint32_t>(name.size()), hash};

  NameTable& table = *owned_tables_.back();
  std::size_t at = hash & table.mask;
  while (table.slots[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & table.mask;
  table.slots[at].store(id, std::memory_order_release);  // Publishes the row.
  if (name_count_ * 2 > table.mask) grow_table();
  return id;
}

void ObjectSpace::grow_table() {
  const NameTable& old = *owned_tables_.back();
  auto larger = std::make_unique<NameTable>((old.mask + 1) * 2);
  for (std::size_t i = 0; i <= old.mask; ++i) {
    const std::uint32_t id = old.slots[i].load(std::memory_order_relaxed);
    if (id == 0) continue;
    std::size_t at = hash_of(text(id)) & larger->mask;
    while (larger->slots[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & larger->mask;
    larger->slots[at].store(id, std::memory_order_relaxed);
  }
  table_.store(larger.get(), std::memory_order_release);  // Publishes the slots.
  owned_tables_.push_back(std::move(larger));
}

const ObjectSpace::Place* ObjectSpace::place(Mask mask) const {
  if (mask <= kNothingMask || mask >= kPlacesMax) return nullptr;
  const Place* chunk = place_chunks_[mask / kPlacesPerChunk].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : &chunk[mask % kPlacesPerChunk];
}

Mask ObjectSpace::entered(Mask from, const Edge& edge) const {
  if (debugging_.reads != nullptr && edge.mask == kFullMask) {
    debugging_.reads->reached(*this, from, edge.text);
  }
  return edge.mask;
}

Mask ObjectSpace::member_mask(Mask mask, davit_name name) const {
  if (mask == kFullMask) return kFullMask;
  const Place* here = place(mask);
  if (here == nullptr) return kNothingMask;
  for (std::uint32_t i = 0; i < here->edge_count; ++i) {
    if (here->edges[i].name == name) return entered(mask, here->edges[i]);
  }
  return kNothingMask;
}

Mask ObjectSpace::member_mask(Mask mask, std::string_view key) const {
  if (mask == kFullMask) return kFullMask;
  const Place* here = place(mask);
  if (here == nullptr) return kNothingMask;
  for (std::uint32_t i = 0; i < here->edge_count; ++i) {
    if (here->edges[i].text == key) return entered(mask, here->edges[i]);
  }
  return kNothingMask;
}

Mask ObjectSpace::element_mask(Mask mask) const {
  if (mask == kFullMask) return kFullMask;
  const Place* here = place(mask);
  if (here == nullptr) return kNothingMask;
  if (debugging_.reads != nullptr && here->every == kFullMask) {
    debugging_.reads->reached(*this, mask, {});
  }
  return here->every;
}

std::size_t ObjectSpace::member_count(Mask mask) const {
  const Place* here = place(mask);
  return here == nullptr ? 0 : here->edge_count;
}

ObjectSpace::MaskLocation ObjectSpace::location_of(Mask mask) const {
  const MutexLock lock(mutex_);
  Mask at = mask;
  std::vector<std::string_view> steps;  // From below; empty for every element.
  // A place does not know what it is below of, and only messages ask.
  for (Mask above = kNothingMask + 1; above < place_count_; ++above) {
    const Place& here = *place(above);
    const Edge* const end = here.edges + here.edge_count;
    const Edge* const edge =
        std::find_if(here.edges, end, [at](const Edge& each) { return each.mask == at; });
    if (edge == end && here.every != at) continue;
    steps.push_back(edge == end ? std::string_view() : edge->text);
    at = std::exchange(above, kNothingMask);  // Looks for what this place is below of.
  }
  MaskLocation out{at, ""};
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (step->empty()) {
      out.path.append("[]");
    } else {
      add_member(out.path, *step);
    }
  }
  return out;
}

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
      return Status(Code::kUnsupported,
                    "too many member names: cannot add \"" + step.member + "\"");
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
