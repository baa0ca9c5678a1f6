#include "host/upstream/controllers_flag.hpp"

#include <algorithm>

#include "host/upstream/controllers.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

const KnownController* find_by_alias(std::string_view alias,
                                     const std::vector<KnownController>& known) {
  for (const KnownController& each : known) {
    if (std::find(each.aliases.begin(), each.aliases.end(), alias) != each.aliases.end()) {
      return &each;
    }
  }
  return nullptr;
}

bool is_known(std::string_view name, const std::vector<KnownController>& known) {
  return find_by_alias(name, known) != nullptr ||
         std::ranges::find(known, name, &KnownController::name) != known.end();
}

}  // namespace

std::vector<std::string> translate_aliases(const std::vector<std::string>& list,
                                           const std::vector<KnownController>& known) {
  std::vector<std::string> out;
  for (const std::string& entry : list) {
    const bool minus = entry.starts_with('-');
    const KnownController* controller = find_by_alias(entry.substr(minus ? 1 : 0), known);
    out.push_back(controller == nullptr ? entry : (minus ? "-" : "") + controller->name);
  }
  return out;
}

bool controller_enabled(const std::vector<std::string>& translated, std::string_view name,
                        bool off_by_default) {
  bool star = false;
  for (const std::string& entry : translated) {
    if (entry == name) return true;
    if (entry.starts_with('-') && std::string_view(entry).substr(1) == name) return false;
    star = star || entry == "*";
  }
  return star && !off_by_default;
}

std::vector<std::string> unknown_controllers(const std::vector<std::string>& translated,
                                             const std::vector<KnownController>& known) {
  std::vector<std::string> names;
  std::string listed;
  for (const KnownController& each : known) {
    names.push_back(each.name);
    names.insert(names.end(), each.aliases.begin(), each.aliases.end());
    listed += (listed.empty() ? "" : ", ") + each.name;
  }
  std::vector<std::string> out;
  for (const std::string& entry : translated) {
    const std::string name = entry.substr(entry.starts_with('-') ? 1 : 0);
    if (entry == "*" || std::find(names.begin(), names.end(), name) != names.end()) continue;
    std::string text = json_string(name) + " is not in the list of known controllers";
    const std::string meant = nearest(name, names);
    text += meant.empty() ? " (known: " + (listed.empty() ? "none" : listed) + ")"
                          : "; did you mean " + json_string(meant) + "?";
    out.push_back(std::move(text));
  }
  return out;
}

std::vector<std::string> without_foreign_controllers(const std::vector<std::string>& translated,
                                                     const std::vector<KnownController>& known,
                                                     std::vector<std::string>& warnings) {
  std::vector<std::string> out;
  for (const std::string& entry : translated) {
    const bool minus = entry.starts_with('-');
    const std::string_view name = std::string_view(entry).substr(minus ? 1 : 0);
    const UpstreamController* const upstream = find_upstream_controller(name);
    if (upstream == nullptr || is_known(name, known) || (!minus && !upstream->plugin.empty())) {
      out.push_back(entry);
    } else if (!minus) {
      warnings.push_back(upstream->without());
    }
  }
  return out;
}

std::vector<std::string> check_named_controllers(const std::vector<std::string>& names,
                                                 const std::vector<KnownController>& known,
                                                 std::vector<std::string>& warnings) {
  std::vector<std::string> left;
  for (const std::string& name : names) {
    const UpstreamController* const upstream = find_upstream_controller(name);
    if (is_known(name, known) || upstream == nullptr) {
      left.push_back(name);
    } else {
      warnings.push_back("no plugin that is loaded has " + std::string(upstream->name) +
                         ": its settings have no effect");
    }
  }
  return unknown_controllers(left, known);
}

}  // namespace davit::host
