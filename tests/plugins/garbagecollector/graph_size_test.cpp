/// The memory that the graph takes for each object of the cluster. A program of its own: its
/// operators new and delete count what glibc's allocator would give out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "plugins/garbagecollector/graph.hpp"

namespace {

std::size_t bytes_in_use = 0;

/// A chunk has a head of 8 bytes, is a multiple of 16 and has 32 at least.
constexpr std::size_t chunk_of(std::size_t size) {
  return std::max<std::size_t>(32, (size + 8 + 15) / 16 * 16);
}

/// Before each block, so that both forms of delete know the size.
constexpr std::size_t kHead = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(kHead + size);
  if (memory == nullptr) throw std::bad_alloc();
  *static_cast<std::size_t*>(memory) = size;
  bytes_in_use += chunk_of(size);
  return static_cast<char*>(memory) + kHead;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  void* const memory = static_cast<char*>(block) - kHead;
  bytes_in_use -= chunk_of(*static_cast<std::size_t*>(memory));
  std::free(memory);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
void operator delete[](void* block) noexcept { operator delete(block); }
void operator delete[](void* block, std::size_t) noexcept { operator delete(block); }

namespace davit::garbage {
namespace {

constexpr int kPodsPerSet = 9;

/// docs/TESTING.md has the command with a million objects.
int set_count() {
  constexpr int kFew = 5'000;
  const char* const text = std::getenv("DAVIT_GRAPH_SETS");
  return text == nullptr ? kFew : std::atoi(text);
}

std::string uid(int number) {
  char text[37];
  static_cast<void>(std::snprintf(text, sizeof text, "%08x-3f1c-4d2e-9a7b-%012x",
                                  static_cast<unsigned>(number) * 2654435761U,
                                  static_cast<unsigned>(number)));
  return text;
}

/// A name of 20 characters, as that of a pod of a Deployment.
std::string name_of(const char* prefix, int number) {
  std::string digits = std::to_string(number);
  return std::string(prefix) + std::string(16 - digits.size(), '0') + digits;
}

Observed shown(const char* kind, const char* api_version, const std::string& name, int number) {
  Observed out;
  out.identity = {kind, api_version, "default", name, uid(number)};
  return out;
}

/// ReplicaSets with their pods, which are shown first, as at a start.
void fill(Graph& graph, int sets) {
  for (int set = 0; set < sets; ++set) {
    for (int i = 0; i < kPodsPerSet; ++i) {
      const int number = sets + set * kPodsPerSet + i;
      Observed pod = shown("Pod", "v1", name_of("pod-", number), number);
      pod.owners = {{"apps/v1", "ReplicaSet", name_of("set-", set), uid(set), true, true}};
      static_cast<void>(graph.observe(pod, nullptr));
    }
  }
  for (int set = 0; set < sets; ++set) {
    static_cast<void>(
        graph.observe(shown("ReplicaSet", "apps/v1", name_of("set-", set), set), nullptr));
  }
}

// Issue 30, 3.8: it was 704. A node of kube-controller-manager takes 505 bytes of such objects (a
// program with the fields of its node, a million of them, HeapAlloc of Go 1.19), and the garbage
// collector of Go leaves its heap as much again to grow.
TEST(GraphSizeTest, AnObjectTakesLessThanHalfOfWhatItTakesUpstream) {
  const int sets = set_count();
  const std::size_t objects = static_cast<std::size_t>(sets) * (1 + kPodsPerSet);
  const std::size_t before = bytes_in_use;
  Graph graph;
  fill(graph, sets);
  ASSERT_EQ(graph.nodes().size(), objects);

  const std::size_t bytes = (bytes_in_use - before) / objects;

  std::printf("%zu objects: %zu bytes each\n", objects, bytes);
  EXPECT_LE(bytes, 213U);
}

TEST(GraphSizeTest, ObjectsThatGoLeaveNothingBehind) {
  constexpr int kOwners = 5'000;  // Beyond the numbers of the pods.
  Graph graph;
  static_cast<void>(graph.remove({}));
  const std::size_t before = bytes_in_use;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) {
      Observed pod = shown("Pod", "v1", name_of("pod-", i), i);
      pod.identity.ns = "ns-" + std::to_string(round) + "-" + std::to_string(i);
      pod.owners = {
          {"g" + std::to_string(i) + "/v1", "Kind", "owner", uid(kOwners + i), true, true},
          {"v1", "Other", "owner", "not-a-uuid-" + std::to_string(i), {}, {}}};
      static_cast<void>(graph.observe(pod, nullptr));
    }
    for (int i = 0; i < 1000; ++i) {
      static_cast<void>(graph.remove(shown("Pod", "v1", "any", i).identity));
    }
    EXPECT_EQ(graph.nodes().size(), 0U);
  }
  // The tables keep their sizes, and the pool the texts of one round at most, twice.
  EXPECT_LE(bytes_in_use - before, 400'000U);
}

}  // namespace
}  // namespace davit::garbage
