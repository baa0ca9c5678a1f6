#include "plugins/shared/lookup/namespaced.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit::lookup {
namespace {

struct Object {
  [[nodiscard]] std::string_view ns() const { return space; }
  std::string space;
  std::string name;
};

/// A cache that counts the objects that it hands out.
class CountingCache {
 public:
  void add(std::string ns, std::string name) {
    objects_.push_back({std::move(ns), std::move(name)});
  }
  [[nodiscard]] std::vector<Object> by_index(std::string_view, std::string_view name) const {
    return select([name](const Object& each) { return each.name == name; });
  }
  [[nodiscard]] std::vector<Object> in_namespace(std::string_view ns) const {
    return select([ns](const Object& each) { return each.space == ns; });
  }
  [[nodiscard]] std::size_t handed_out() const { return handed_out_; }

 private:
  template <typename Predicate>
  std::vector<Object> select(const Predicate& predicate) const {
    std::vector<Object> out;
    for (const Object& each : objects_) {
      if (predicate(each)) out.push_back(each);
    }
    handed_out_ += out.size();
    return out;
  }

  std::vector<Object> objects_;
  mutable std::size_t handed_out_ = 0;
};

TEST(NamespacedLookupTest, EachOfManyObjectsOfANamespaceCostsItself) {
  CountingCache cache;
  constexpr int kMany = 1000;
  for (int i = 0; i < kMany; ++i) cache.add("ns", "n" + std::to_string(i));
  std::size_t visited = 0;
  for (int i = 0; i < kMany; ++i) {
    each_candidate(cache, {"name"}, "ns", "n" + std::to_string(i),
                   [&](const Object&) { ++visited; });
  }
  EXPECT_EQ(visited, static_cast<std::size_t>(kMany));
  EXPECT_EQ(cache.handed_out(), static_cast<std::size_t>(kMany)) << "not their square";
}

TEST(NamespacedLookupTest, ANameOfManyNamespacesIsLookedUpInTheNamespace) {
  CountingCache cache;
  for (int i = 0; i < 100; ++i) cache.add("ns" + std::to_string(i), "data");
  cache.add("ns7", "other");
  std::vector<std::string> seen;
  const Candidates candidates = each_candidate(
      cache, {"name"}, "ns7", "data", [&](const Object& each) { seen.push_back(each.name); });
  EXPECT_EQ(candidates, Candidates::kOfTheNamespace);
  EXPECT_EQ(seen, (std::vector<std::string>{"data", "other"}));
}

TEST(NamespacedLookupTest, ObjectsOfOtherNamespacesAreNotVisited) {
  CountingCache cache;
  cache.add("a", "data");
  cache.add("b", "data");
  std::vector<std::string> seen;
  const Candidates candidates = each_candidate(
      cache, {"name"}, "b", "data", [&](const Object& each) { seen.push_back(each.space); });
  EXPECT_EQ(candidates, Candidates::kOfTheName);
  EXPECT_EQ(seen, (std::vector<std::string>{"b"}));
}

}  // namespace
}  // namespace davit::lookup
