/// Reads the members of a YAML mapping into plain variables and collects every mistake on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {

/// One mapping. Ask for every key that is allowed, then call finish(), which reports all other
/// keys. A key that is missing or invalid leaves its variable unchanged. Everything is borrowed and
/// must outlive this.
class Fields {
 public:
  /// `where` is the path of this mapping for people: "leaderElection", empty at the top. A node
  /// that is not a mapping is a mistake; an empty value counts as {}. `nulls` decides how keys
  /// without a value are treated. With hidden values, messages name the kind of a value but do not
  /// quote it, so that missing quotes do not reveal a secret.
  enum class Nulls { kMistake, kAbsent };
  enum class Values { kShown, kHidden };
  Fields(const YamlNode& node, std::string where, const std::string& file,
         std::vector<Mistake>& out, Nulls nulls = Nulls::kMistake, Values values = Values::kShown);

  /// The value of an allowed key, or null.
  const YamlNode* any(std::string_view key);
  void text(std::string_view key, std::string& out);
  /// As text(), and not empty.
  void name(std::string_view key, std::string& out);
  void boolean(std::string_view key, bool& out);
  void integer(std::string_view key, std::int64_t min, std::int64_t max, std::int64_t& out);
  void number(std::string_view key, double min, double max, double& out);
  /// At least `min`, as Go writes durations.
  void duration(std::string_view key, Duration min, Duration& out);
  void choice(std::string_view key, const std::vector<std::string>& allowed, std::string& out);
  /// A list of strings that are not empty.
  void texts(std::string_view key, std::vector<std::string>& out);
  /// Reports the keys that were not asked for, and what is allowed: to `unknown` when it is given,
  /// else as mistakes.
  using Unknown = std::function<void(const YamlMember& member, std::string text)>;
  void finish(const Unknown& unknown = {});

  /// Adds a mistake at a node.
  void mistake(const YamlNode& at, std::string text);
  /// "leaderElection.name" for people.
  [[nodiscard]] std::string path(std::string_view key) const;
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::vector<Mistake>& mistakes() { return out_; }

 private:
  /// The value if it is present and not empty; an empty value is a mistake that names `wanted`.
  const YamlNode* wanted(std::string_view key, std::string_view wanted);
  void wrong(std::string_view key, const YamlNode& node, std::string_view wanted);
  /// The value for messages.
  [[nodiscard]] std::string shown(const YamlNode& node) const;

  const YamlNode& node_;
  std::string where_;
  const std::string& file_;
  std::vector<Mistake>& out_;
  Nulls nulls_;
  Values values_;
  std::vector<std::string> allowed_;
};

}  // namespace davit::host
