#include "host/object/tape.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "host/object/lent_memory.hpp"

namespace davit::host {

namespace tape {

namespace {
// Values that nearly every pod or workload holds. Only this process reads the indexes, so the table
// may change freely. At most 256 entries; grouped by size so that a search looks at few of them.
constexpr std::array<std::string_view, 56> kKnown = {
    "True",
    "False",
    "Never",
    "Ready",
    "Always",
    "Failed",
    "IfNotPresent",
    "Node",
    "None",
    "Running",
    "Pending",
    "Succeeded",
    "Unknown",
    "Default",
    "Recreate",
    "Progressing",
    "Available",
    "PodScheduled",
    "Initialized",
    "ContainersReady",
    "PodReadyToStartContainers",
    "DisruptionTarget",
    "ReplicaFailure",
    "RollingUpdate",
    "OnFailure",
    "ClusterFirst",
    "File",
    "Burstable",
    "BestEffort",
    "Guaranteed",
    "default-scheduler",
    "default",
    "kube-system",
    "kube-root-ca.crt",
    "ca.crt",
    "token",
    "namespace",
    "metadata.namespace",
    "/var/run/secrets/kubernetes.io/serviceaccount",
    "/dev/termination-log",
    "PreemptLowerPriority",
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "NoExecute",
    "NoSchedule",
    "Exists",
    "Equal",
    "apps/v1",
    "ReplicaSet",
    "Deployment",
    "DaemonSet",
    "StatefulSet",
    "Job",
    "MinimumReplicasAvailable",
    "NewReplicaSetAvailable",
    "deployment.kubernetes.io/revision",
};
constexpr std::size_t kKnownSizeMax = 45;

constexpr std::size_t bucket(std::string_view text) {
  return (text.size() * 7 + static_cast<unsigned char>(text[0]) * 3 +
          static_cast<unsigned char>(text[text.size() - 1]) * 5) %
         256;
}

constexpr std::uint8_t kEmpty = 255;

/// Open addressing over kKnown, made by the compiler.
constexpr std::array<std::uint8_t, 256> make_buckets() {
  std::array<std::uint8_t, 256> slots{};
  for (std::uint8_t& slot : slots) slot = kEmpty;
  for (std::size_t i = 0; i < kKnown.size(); ++i) {
    std::size_t at = bucket(kKnown[i]);
    while (slots[at] != kEmpty) at = (at + 1) % slots.size();
    slots[at] = static_cast<std::uint8_t>(i);
  }
  return slots;
}
constexpr std::array<std::uint8_t, 256> kBuckets = make_buckets();
}  // namespace

std::string_view known_text(Byte index) { return kKnown[index]; }

int find_known_text(std::string_view text) {
  if (text.empty() || text.size() > kKnownSizeMax) return -1;
  for (std::size_t at = bucket(text); kBuckets[at] != kEmpty; at = (at + 1) % kBuckets.size()) {
    if (kKnown[kBuckets[at]] == text) return kBuckets[at];
  }
  return -1;
}

const Byte* find(const Byte* object, davit_name name, std::string_view key) {
  const Entries range = entries(object);
  const Byte* at = range.begin;
  while (at < range.end) {
    const auto found = load<std::uint16_t>(at);
    at += 2;
    if ((found & ~kReplaced) == 0) {
      const Byte* value = skip(at);
      if (found == 0 && own_text(at) == key) return value;
      at = value;
    } else if (found == name) {
      return at;
    }
    at = skip(at);
  }
  return nullptr;
}

std::size_t count(const Byte* at) {
  const unsigned stored = extra_of(*at) & ~kWide;
  if (stored != kManyEntries) return stored;
  std::size_t counted = 0;
  if (tag_of(*at) == Tag::kObject) {
    for (MemberCursor cursor(at); cursor.next();) ++counted;
  } else {
    const Entries range = entries(at);
    for (const Byte* entry = range.begin; entry < range.end; entry = skip(entry)) ++counted;
  }
  return counted;
}

}  // namespace tape

std::size_t Object::bytes_for(std::size_t tape_size) {
  return std::max(sizeof(Object), kHeaderBytes + tape_size);
}

std::size_t Object::bytes() const { return bytes_for(tape_size_); }

const Object* Object::make(const ObjectSpace& space, std::string_view tape, Places places) {
  using Storage = std::allocator<std::byte>;
  return put(Storage().allocate(bytes_for(tape.size())), space, tape, places);
}

const Object* Object::copy(LentMemory& memory) const {
  void* const to = memory.take(bytes());
  if (to == nullptr) return nullptr;
  return put(static_cast<std::byte*>(to), *space_,
             {reinterpret_cast<const char*>(tape()), tape_size_}, places_);
}

const Object* Object::put(std::byte* memory, const ObjectSpace& space, std::string_view tape,
                          Places places) {
  auto* object = std::construct_at(reinterpret_cast<Object*>(memory), space,
                                   static_cast<std::uint32_t>(tape.size()), places);
  std::memcpy(memory + kHeaderBytes, tape.data(), tape.size());
  return object;
}

void Object::release() const {
  // Release: our reads of the object happen before its end. Acquire: so do those of all others.
  if (shares_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::size_t size = bytes();
  LentMemory* const lent = space_->lent_memory();
  if (lent != nullptr && lent->owns(this)) return lent->give_back(const_cast<Object*>(this), size);
  std::allocator<std::byte>().deallocate(reinterpret_cast<std::byte*>(const_cast<Object*>(this)),
                                         size);
}

}  // namespace davit::host
