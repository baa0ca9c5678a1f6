#include "tests/live/oracle/known_differences.hpp"

#include <cstdio>
#include <cstdlib>

#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::oracle {

namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

/// A list of the file, and the member of its entries that holds their texts.
struct List {
  std::string_view name;
  std::string_view member;
};

constexpr List kLeaveOut{"leave_out", "members"};
constexpr List kLeaveOutUnlessSteps{"leave_out_unless_steps", "members"};
constexpr List kPassing{"passing", "values"};  // "field: value"
constexpr List kAlike{"alike", "values"};      // The same.
constexpr List kUncounted{"uncounted_events", "reasons"};
constexpr List kIgnored{"ignored_events", "reasons"};
constexpr List kIgnoredOfRecreated{"ignored_events_of_recreated", "reasons"};
constexpr List kLists[] = {kLeaveOut, kLeaveOutUnlessSteps, kPassing, kAlike, kUncounted,
                           kIgnored,  kIgnoredOfRecreated};

}  // namespace

KnownDifferences::KnownDifferences(const std::string& file, const std::string& server) {
  const Result<std::string> text = read_text_file(file);
  if (!text) give_up(file + ": " + text.error().message());
  const YamlDocument document = parse_yaml(*text, "known_differences.yaml");
  if (!document.mistakes.empty()) give_up(document.mistakes.front().str());
  for (const List& list : kLists) {
    const YamlNode* entries = document.root.find(list.name);
    if (entries == nullptr) continue;
    for (const YamlNode& entry : entries->items) {
      const YamlNode* texts = entry.find(list.member);
      if (entry.find("reason") == nullptr || texts == nullptr) {
        give_up("known_differences.yaml:" + std::to_string(entry.line) + ": needs " +
                std::string(list.member) + " and reason");
      }
      const YamlNode* only = entry.find("server");
      if (only != nullptr && only->text != server) continue;
      const YamlNode* of = entry.find("of");
      const std::string kind = of == nullptr ? "" : of->text;
      for (const YamlNode& each : texts->items) {
        texts_.emplace(std::string(list.name), kind, each.text);
      }
    }
  }
}

bool KnownDifferences::has(std::string_view list, std::string_view kind,
                           std::string_view text) const {
  return texts_.contains(std::tuple(list, kind, text)) ||
         texts_.contains(std::tuple(list, std::string_view(), text));
}

bool KnownDifferences::leaves_out(std::string_view kind, const std::string& path,
                                  const std::string& key, Compare compare) const {
  const auto is_in = [&](const List& list) {
    return has(list.name, kind, path) || has(list.name, kind, key);
  };
  return is_in(kLeaveOut) || (compare != Compare::kSteps && is_in(kLeaveOutUnlessSteps));
}

bool KnownDifferences::is_passing(std::string_view kind, const std::string& field,
                                  const std::string& value) const {
  return has(kPassing.name, kind, field + ": " + value);
}

bool KnownDifferences::is_alike(std::string_view kind, const std::string& field,
                                const std::string& value) const {
  return has(kAlike.name, kind, field + ": " + value);
}

bool KnownDifferences::is_uncounted(std::string_view kind, const std::string& reason) const {
  return has(kUncounted.name, kind, reason);
}

bool KnownDifferences::is_ignored(const std::string& reason) const {
  return has(kIgnored.name, "", reason);
}

bool KnownDifferences::is_ignored_of_recreated(std::string_view kind,
                                               const std::string& reason) const {
  return has(kIgnoredOfRecreated.name, kind, reason);
}

}  // namespace davit::oracle
