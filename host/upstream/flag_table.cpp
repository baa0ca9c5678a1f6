#include "host/upstream/flag_table.hpp"

#include <algorithm>
#include <utility>

namespace davit::host {
namespace {

/// The controller that a group of flags belongs to: "Job-controller flags".
std::string controller_of(const FlagGroup& group) {
  std::string name(group.title.substr(0, group.title.find(' ')));
  name.front() = static_cast<char>(name.front() - 'A' + 'a');
  return name;
}

/// Whether upstream's flag of this name is a path.
bool is_path(std::string_view name) {
  constexpr std::string_view kEnds[] = {"-file", "kubeconfig", "-dir", "-config", "-manifest"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

FlagKind UpstreamFlag::kind() const {
  if (type.empty()) return FlagKind::kBoolean;
  if (type == "int32" || type == "int" || type == "Level") return FlagKind::kInteger;
  if (type == "float32" || type == "float") return FlagKind::kNumber;
  if (type == "duration") return FlagKind::kDuration;
  if (type == "string") return is_path(name) ? FlagKind::kFile : FlagKind::kText;
  return type == "ip" || type == "quantity" || type == "version[=true]" ? FlagKind::kText
                                                                        : FlagKind::kList;
}

const UpstreamController* FoundFlag::missing() const {
  if (flag->use != FlagUse::kNoEffect) return nullptr;
  return flag->note.empty() ? find_upstream_controller(controller_of(*group)) : nullptr;
}

std::string FoundFlag::reason() const {
  if (const UpstreamController* const controller = missing()) return controller->without();
  std::string_view sentence = flag->note.substr(0, flag->note.find(". "));
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return std::string(sentence);
}

std::string FoundFlag::warning() const {
  return "--" + std::string(flag->name) + (missing() == nullptr ? " has no effect: " : ": ") +
         reason();
}

FoundFlag find_upstream_flag(std::string_view name) {
  std::string wanted(name);
  std::ranges::replace(wanted, '_', '-');
  for (const FlagGroup& group : upstream_flag_groups()) {
    for (const UpstreamFlag& flag : group.flags) {
      if (flag.name == wanted) return {&flag, &group};
    }
  }
  return {};
}

}  // namespace davit::host
