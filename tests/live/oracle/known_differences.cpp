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

template <typename Take>
void each_text(const YamlNode& root, std::string_view list, std::string_view member,
               const std::string& server, const Take& take) {
  const YamlNode* entries = root.find(list);
  if (entries == nullptr) return;
  for (const YamlNode& entry : entries->items) {
    const YamlNode* texts = entry.find(member);
    if (entry.find("reason") == nullptr || texts == nullptr) {
      give_up("known_differences.yaml:" + std::to_string(entry.line) + ": needs " +
              std::string(member) + " and reason");
    }
    const YamlNode* only = entry.find("server");
    if (only != nullptr && only->text != server) continue;
    const YamlNode* of = entry.find("of");
    for (const YamlNode& each : texts->items) take(of == nullptr ? "" : of->text, each.text);
  }
}

}  // namespace

KnownDifferences::KnownDifferences(const std::string& file, const std::string& server) {
  const Result<std::string> text = read_text_file(file);
  if (!text) give_up(file + ": " + text.error().message());
  const YamlDocument document = parse_yaml(*text, "known_differences.yaml");
  if (!document.mistakes.empty()) give_up(document.mistakes.front().str());
  const YamlNode& root = document.root;
  each_text(root, "leave_out", "members", server,
            [this](const std::string& of, const std::string& each) { members_[of].insert(each); });
  each_text(root, "leave_out_unless_steps", "members", server,
            [this](const std::string& of, const std::string& each) {
              members_unless_steps_[of].insert(each);
            });
  each_text(root, "passing", "values", server,
            [this](const std::string& of, const std::string& each) { passing_[of].insert(each); });
  each_text(root, "alike", "values", server,
            [this](const std::string& of, const std::string& each) { alike_[of].insert(each); });
  each_text(
      root, "uncounted_events", "reasons", server,
      [this](const std::string& of, const std::string& each) { uncounted_[of].insert(each); });
  each_text(root, "ignored_events_of_recreated", "reasons", server,
            [this](const std::string& of, const std::string& each) {
              ignored_of_recreated_[of].insert(each);
            });
  each_text(root, "ignored_events", "reasons", server,
            [this](const std::string&, const std::string& each) { ignored_.insert(each); });
}

bool KnownDifferences::leaves_out(std::string_view kind, const std::string& path,
                                  const std::string& key, Compare compare) const {
  const auto has = [&](const auto& members, std::string_view of) {
    const auto found = members.find(of);
    return found != members.end() && (found->second.contains(path) || found->second.contains(key));
  };
  if (has(members_, "") || has(members_, kind)) return true;
  return compare != Compare::kSteps && has(members_unless_steps_, kind);
}

bool KnownDifferences::is_passing(std::string_view kind, const std::string& field,
                                  const std::string& value) const {
  const auto found = passing_.find(kind);
  return found != passing_.end() && found->second.contains(field + ": " + value);
}

bool KnownDifferences::is_alike(std::string_view kind, const std::string& field,
                                const std::string& value) const {
  const auto found = alike_.find(kind);
  return found != alike_.end() && found->second.contains(field + ": " + value);
}

bool KnownDifferences::is_uncounted(std::string_view kind, const std::string& reason) const {
  const auto has = [&](std::string_view of) {
    const auto found = uncounted_.find(of);
    return found != uncounted_.end() && found->second.contains(reason);
  };
  return has("") || has(kind);
}

bool KnownDifferences::is_ignored(const std::string& reason) const {
  return ignored_.contains(reason);
}

bool KnownDifferences::is_ignored_of_recreated(std::string_view kind,
                                               const std::string& reason) const {
  const auto found = ignored_of_recreated_.find(kind);
  return found != ignored_of_recreated_.end() && found->second.contains(reason);
}

}  // namespace davit::oracle
