/// One step of a scenario file to a Step. Remembers the first mistake with its place.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "tests/live/oracle/scenario.hpp"

namespace davit::oracle {

/// The objects that a file names. The nodes belong to its document.
using Objects = std::map<std::string, const YamlNode*>;

/// Reads the steps of one file. Not thread-safe.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  /// Sets the value of `$ns` from here on.
  void set_namespace(std::string ns) { ns_ = std::move(ns); }
  /// Sets the values of `$i` and of the address `$ip`; 0: neither has one.
  void set_turn(std::size_t turn) { turn_ = turn; }

  [[nodiscard]] Step step(const YamlNode& node, const Objects& objects);
  /// The target stands at `key`, the rest in "where", "holds" and "count".
  [[nodiscard]] Condition condition(const YamlNode& node, std::string_view key);

  /// The text at `key`, or "".
  [[nodiscard]] std::string text(const YamlNode& node, std::string_view key);
  /// The texts of the list at `key`, or none.
  [[nodiscard]] std::vector<std::string> texts(const YamlNode& node, std::string_view key);
  /// The number at `key`, or nothing.
  [[nodiscard]] std::optional<std::size_t> number(const YamlNode& node, std::string_view key);
  /// Others than these are mistakes.
  void keys(const YamlNode& node, std::initializer_list<std::string_view> allowed);
  void mistake(const YamlNode& node, const std::string& what);
  /// "rollout.yaml:12"
  [[nodiscard]] std::string place(const YamlNode& node) const;
  [[nodiscard]] const std::string& first_mistake() const { return first_mistake_; }

 private:
  [[nodiscard]] std::string expanded(std::string text) const;
  [[nodiscard]] Json json(const YamlNode& node);
  [[nodiscard]] Target target(const YamlNode& node, std::string_view key);

  void read_create(Step& step, const YamlNode& node, const Objects& objects);
  void read_patch(Step& step, const YamlNode& node);
  void read_delete(Step& step, const YamlNode& node);
  void read_metrics(Step& step, const YamlNode& node);
  void read_short_form(Step& step, const YamlNode& node, const std::string& verb);

  const std::string file_;
  std::string ns_;
  std::size_t turn_ = 0;
  std::string first_mistake_;
};

}  // namespace davit::oracle
