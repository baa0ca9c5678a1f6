/// SelectorTable: the selector that each autoscaler last had.
#pragma once

#include <cstddef>
#include <davit/json_writer.hpp>
#include <davit/key.hpp>
#include <davit/kube/selector.hpp>
#include <davit/object.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace davit::podautoscaler {

/// Finds autoscalers that share pods. Each sync asks, so a question costs what the labels of the
/// pods choose, not what the namespace has. Thread-safe. Rule: docs/spec/hpa.md, section 7.2.
class SelectorTable {
 public:
  /// Enters an autoscaler that selects nothing yet. False: it is there already.
  bool add(const Key& key);
  void remove(const Key& key);
  /// The selector of an autoscaler that is in the table, in text form. kInvalid: it is none.
  [[nodiscard]] Status set(const Key& key, const std::string& text);

  /// The names of the autoscalers of `ns` that select at least one object with these labels each,
  /// sorted.
  [[nodiscard]] std::vector<std::string> select(std::string_view ns,
                                                std::span<const Value> labels) const;
  [[nodiscard]] std::size_t size() const;

  /// The selectors by key, for a HandedState.
  void write(JsonWriter& out) const;
  /// Takes selectors over for the autoscalers that are in the table.
  [[nodiscard]] Status read(Value texts);

 private:
  struct Entry {
    std::string text;
    std::shared_ptr<const Selector> selector;  // Null: nothing is selected.
  };
  /// Namespace, and a label with its value that all have whom a selector selects; both empty for
  /// selectors without such a label.
  using Place = std::tuple<std::string, std::string, std::string>;

  [[nodiscard]] static Place place_of(const Key& key, const Selector& selector);
  /// Takes an entry out of the index.
  void unlist(const Key& key, const Entry& entry);

  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
  std::map<Place, std::set<std::string>> names_;  // The names of entries with a selector.
};

}  // namespace davit::podautoscaler
