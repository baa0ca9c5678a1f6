/// Builds all messages from the tables of fields/ and merge_facts.cpp.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/kube/schema/schema.hpp"

namespace davit {

/// Immutable once built.
class Schemas {
 public:
  /// The tables are ours: a mistake in them ends the process.
  Schemas();

  /// Finds a message by its full name: "core.v1.PodSpec". Null if there is none.
  [[nodiscard]] const Message* find(std::string_view full_name) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Message>>& all() const { return messages_; }

 private:
  std::vector<std::unique_ptr<Message>> messages_;
  std::unordered_map<std::string_view, const Message*> by_name_;  // Keys: Message::name.
};

/// Built at the first call, which costs about a millisecond. Thread-safe.
[[nodiscard]] const Schemas& schemas();

}  // namespace davit
