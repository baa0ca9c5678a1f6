/// Facts for tests of the pure rules: sets are made from oldest to newest.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugins/deployment/facts.hpp"

namespace davit::deployment {

/// One ReplicaSet in a table.
struct SetSketch {
  std::int64_t wanted = 0;
  std::int64_t available = 0;
  std::int64_t max_marked = 0;  ///< 0: no annotation.
};

/// Owns the names that SetFacts borrow.
class Sets {
 public:
  enum class New { kLast, kNone };

  explicit Sets(const std::vector<SetSketch>& sketches, New newest = New::kLast)
      : has_new_(newest == New::kLast) {
    names_.reserve(sketches.size());
    for (const SetSketch& sketch : sketches) {
      names_.push_back("set-" + std::to_string(names_.size()));
      SetFacts facts;
      facts.name = names_.back();
      facts.created_seconds = static_cast<std::int64_t>(100 + names_.size());
      facts.wanted = sketch.wanted;
      facts.existing = sketch.wanted;
      facts.ready = sketch.available;
      facts.available = sketch.available;
      facts.observed_generation = 1;
      facts.generation = 1;
      facts.revision = static_cast<std::int64_t>(names_.size());
      if (sketch.max_marked != 0) facts.max_marked = sketch.max_marked;
      facts_.push_back(facts);
    }
  }
  Sets(const Sets&) = delete;
  Sets& operator=(const Sets&) = delete;

  [[nodiscard]] SetList list() const { return {facts_, has_new_}; }
  [[nodiscard]] SetFacts& operator[](std::size_t i) { return facts_[i]; }

 private:
  bool has_new_;
  std::vector<std::string> names_;
  std::vector<SetFacts> facts_;
};

struct Rolling {
  std::int64_t replicas = 0;
  std::int64_t surge = 0;
  std::int64_t unavailable = 0;
};

[[nodiscard]] inline RolloutFacts rolling(const Rolling& wanted) {
  RolloutFacts facts;
  facts.replicas = wanted.replicas;
  facts.surge = wanted.surge;
  facts.unavailable = wanted.unavailable;
  facts.generation = 1;
  return facts;
}

}  // namespace davit::deployment
