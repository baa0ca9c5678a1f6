#include "plugins/namespace/condition_plan.hpp"

#include <algorithm>
#include <array>
#include <davit/json_writer.hpp>
#include <davit/kube/condition.hpp>
#include <map>
#include <string_view>
#include <utility>

#include "plugins/namespace/texts.hpp"

namespace davit::namespaces {
namespace {

/// The reasons and messages of one condition type, if its problem was found and if not.
struct Wording {
  std::string_view type;
  std::string_view found_reason;
  std::string_view fine_reason;
  std::string_view fine_message;
};

constexpr Wording kDiscovery = {"NamespaceDeletionDiscoveryFailure", "DiscoveryFailed",
                                "ResourcesDiscovered", "All resources successfully discovered"};
constexpr Wording kParsing = {"NamespaceDeletionGroupVersionParsingFailure",
                              "GroupVersionParsingFailed", "ParsedGroupVersions",
                              "All legacy kube types successfully parsed"};
constexpr Wording kContent = {"NamespaceDeletionContentFailure", "ContentDeletionFailed",
                              "ContentDeleted",
                              "All content successfully deleted, may be waiting on finalization"};
constexpr Wording kRemaining = {"NamespaceContentRemaining", "SomeResourcesRemain",
                                "ContentRemoved", "All content successfully removed"};
constexpr Wording kFinalizers = {"NamespaceFinalizersRemaining", "SomeFinalizersRemain",
                                 "ContentHasNoFinalizers",
                                 "All content-preserving finalizers finished"};

struct Wanted {
  const Wording* wording;
  std::optional<std::string> found;  ///< The message if it was.

  [[nodiscard]] std::string_view type() const { return wording->type; }
  [[nodiscard]] std::string_view status() const { return found ? "True" : "False"; }
  [[nodiscard]] std::string_view reason() const {
    return found ? wording->found_reason : wording->fine_reason;
  }
  [[nodiscard]] std::string_view message() const {
    return found ? std::string_view(*found) : wording->fine_message;
  }
  [[nodiscard]] bool matches(const ConditionView& present) const {
    return present.status() == status() && present.reason() == reason() &&
           present.message() == message();
  }
};

std::optional<std::string> content_message(std::vector<std::string> errors) {
  if (errors.empty()) return std::nullopt;
  std::sort(errors.begin(), errors.end());
  return "Failed to delete all resource types, " + std::to_string(errors.size()) +
         " remaining: " + joined(errors);
}

/// "Some …: <name><between><n> resource instances, …"
std::optional<std::string> counts_message(std::string_view begin, std::string_view between,
                                          const std::map<std::string, std::size_t>& counts) {
  if (counts.empty()) return std::nullopt;
  std::vector<std::string> texts;
  for (const auto& [name, count] : counts) {
    texts.push_back(name + std::string(between) + std::to_string(count) + " resource instances");
  }
  std::sort(texts.begin(), texts.end());
  return std::string(begin) + joined(texts);
}

void write_members(JsonWriter& out, const Wanted& wanted, std::string_view changed_at) {
  out.member("type", wanted.type()).member("status", wanted.status());
  out.member("lastTransitionTime", changed_at);
  out.member("reason", wanted.reason()).member("message", wanted.message());
}

/// The present condition with what is wanted.
void write_over(JsonWriter& out, const ConditionView& present, const Wanted& wanted,
                const std::string& now) {
  const Value time = present.value()[&Names::last_transition_time];
  const bool is_kept = present.status() == wanted.status() && !time.string().empty();
  out.begin_object();
  write_members(out, wanted, is_kept ? time.string() : std::string_view(now));
  for (const auto& [key, value] : present.value().members()) {
    constexpr std::string_view kOurs[] = {"type", "status", "lastTransitionTime", "reason",
                                          "message"};
    if (std::find(std::begin(kOurs), std::end(kOurs), key) == std::end(kOurs)) {
      out.key(key).value(value);
    }
  }
  out.end_object();
}

}  // namespace

std::string partial_discovery_message(const std::vector<std::string>& failures) {
  return "Discovery failed for some groups, " + std::to_string(failures.size()) +
         " failing: " + partial_failure_text(failures);
}

std::optional<std::string> plan_conditions(Value present, const Findings& findings, WallTime now) {
  const std::array<Wanted, 5> wanted = {{
      {&kDiscovery, findings.discovery},
      {&kParsing, findings.parsing},
      {&kContent, content_message(findings.content)},
      {&kRemaining,
       counts_message("Some resources are remaining: ", " has ", findings.totals.resources)},
      {&kFinalizers, counts_message("Some content in the namespace has finalizers remaining: ",
                                    " in ", findings.totals.finalizers)},
  }};
  const std::string time = format_time(now);
  JsonWriter out;
  bool is_changed = false;
  std::array<bool, wanted.size()> is_there{};
  out.begin_array();
  for (const Value each : present.elements()) {
    const ConditionView condition(each);
    const auto found = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& one) {
      return one.type() == condition.type();
    });
    const auto place = static_cast<std::size_t>(found - wanted.begin());
    if (found == wanted.end() || std::exchange(is_there[place], true) ||
        found->matches(condition)) {
      out.value(each);
      continue;
    }
    write_over(out, condition, *found, time);
    is_changed = true;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_there[i]) continue;
    out.begin_object();
    write_members(out, wanted[i], time);
    out.end_object();
    is_changed = true;
  }
  out.end_array();
  if (!is_changed) return std::nullopt;
  return std::move(out).text();
}

}  // namespace davit::namespaces
