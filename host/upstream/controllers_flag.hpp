/// The rule of --controllers (k8s.io/controller-manager/app.IsControllerEnabled). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// A controller as the rule sees it.
struct KnownController {
  std::string name;
  std::vector<std::string> aliases;
  bool off_by_default = false;
};

/// The list with every alias, also one behind "-", replaced by its name.
[[nodiscard]] std::vector<std::string> translate_aliases(const std::vector<std::string>& list,
                                                         const std::vector<KnownController>& known);

/// Scans the translated list in order: "name" enables, "-name" disables, the first such entry wins.
/// Without one, "*" enables what is not off by default.
[[nodiscard]] bool controller_enabled(const std::vector<std::string>& translated,
                                      std::string_view name, bool off_by_default);

/// One line for each entry that names no known controller, upstream's words:
/// `"x" is not in the list of known controllers`, with what is near or known.
[[nodiscard]] std::vector<std::string> unknown_controllers(
    const std::vector<std::string>& translated, const std::vector<KnownController>& known);

/// The translated list without the entries that kube-controller-manager knows and no plugin has:
/// those behind "-", and those of controllers that davit does not have, which get a line in
/// `warnings`. Existing command lines stay valid so.
[[nodiscard]] std::vector<std::string> without_foreign_controllers(
    const std::vector<std::string>& translated, const std::vector<KnownController>& known,
    std::vector<std::string>& warnings);

/// Checks the controllers that settings name: one of `known`, else one of kube-controller-manager,
/// with a line in `warnings`. Everything else is returned as unknown_controllers() does.
[[nodiscard]] std::vector<std::string> check_named_controllers(
    const std::vector<std::string>& names, const std::vector<KnownController>& known,
    std::vector<std::string>& warnings);

}  // namespace davit::host
