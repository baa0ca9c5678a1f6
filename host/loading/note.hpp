/// The declaration of a plugin in its ELF note (abi.h, "The ELF note").
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::host {

/// The path in the operator's configuration of a value that the note leaves open.
struct ConfigSource {
  std::string path = {};     ///< "watch.labels"; empty: the note itself has the value.
  bool has_default = false;  ///< The note has the value for a configuration without one.
  friend bool operator==(const ConfigSource&, const ConfigSource&) = default;
};

/// A right, as an RBAC rule gives it: either to one resource or to URLs that belong to none.
struct DeclaredRule {
  std::string group;               ///< Empty: core; "*": all.
  std::string resource;            ///< "*": all, and without a subresource all of theirs.
  std::string subresource;         ///< May be empty.
  std::vector<std::string> verbs;  ///< "*": all.
  std::vector<std::string> resource_names = {};     ///< Empty: all.
  std::vector<std::string> non_resource_urls = {};  ///< Then `resource` is empty.
  std::vector<std::string> namespaces = {};         ///< Empty: all, and what is in none.
  ConfigSource namespaces_from = {};
  friend bool operator==(const DeclaredRule&, const DeclaredRule&) = default;
};

/// A resource that a controller watches; get, list and watch on it are implied.
struct DeclaredWatch {
  std::string group;
  std::string version;
  std::string resource;
  std::vector<std::string> projection;  ///< Field paths; empty: the whole object.
  std::string label_selector;           ///< The only selector allowed for it; may be empty.
  std::string field_selector;
  std::vector<std::string> namespaces = {};  ///< Empty: all, and what is in none.
  ConfigSource label_selector_from = {};
  ConfigSource field_selector_from = {};
  ConfigSource namespaces_from = {};
  friend bool operator==(const DeclaredWatch&, const DeclaredWatch&) = default;
};

/// The servers outside the cluster that requests may go to.
struct DeclaredHttp {
  std::vector<std::string> hosts = {};  ///< As DeclaredHost has them; empty: nowhere.
  ConfigSource hosts_from = {};
  /// PEM text or the path of a file with the only roots that count; empty: the system's.
  std::string roots = {};
  ConfigSource roots_from = {};
  friend bool operator==(const DeclaredHttp&, const DeclaredHttp&) = default;
};

struct DeclaredController {
  std::string name;
  std::vector<std::string> aliases;
  std::string client_name;      ///< User agent suffix; the name when not declared.
  std::string event_component;  ///< Source of Events; the client's name when not declared.
  bool off_by_default = false;
  bool without_leadership = false;
  std::uint32_t workers = 1;
  std::vector<DeclaredRule> rules;
  std::vector<DeclaredWatch> watches;
  DeclaredHttp http = {};
  bool is_unlimited = false;  ///< It may do everything, as one without a note may in a test.
  friend bool operator==(const DeclaredController&, const DeclaredController&) = default;
};

struct PluginDeclaration {
  std::string name;
  std::string version;
  std::uint16_t abi_major = 0;
  std::uint16_t abi_minor = 0;
  std::vector<std::string> requires_ids;  ///< Capabilities that the host must have.
  std::vector<std::string> optional_ids;  ///< Capabilities that it uses where the host has them.
  std::string build;
  std::vector<DeclaredController> controllers;
  /// Members that this host does not know: their place ("controllers[0].team") and JSON text.
  std::vector<std::pair<std::string, std::string>> unknown;
};

/// Either a declaration or all mistakes of the note, each one line that names the place in the
/// JSON text ("controllers[0].workers: must be ...").
struct NoteResult {
  PluginDeclaration declaration;
  std::vector<std::string> mistakes;
  /// Declarations that are allowed but probably unintended: one line each, like the mistakes.
  std::vector<std::string> findings;

  [[nodiscard]] bool ok() const { return mistakes.empty(); }
};

/// Unknown members are kept and are findings. A note of a newer ABI minor or major is read only as
/// far as name, version and abi: the host does not run such a plugin.
[[nodiscard]] NoteResult parse_note(std::string_view json);

/// Whether this host can run the plugin: its ABI and the capabilities that it requires. One line
/// that says what to do otherwise (kUnsupported).
[[nodiscard]] Status check_compatible(const PluginDeclaration& declaration,
                                      const std::vector<std::string>& capabilities);

/// Those of `ids` that are not among `capabilities`.
[[nodiscard]] std::vector<std::string> missing_capabilities(
    const std::vector<std::string>& ids, const std::vector<std::string>& capabilities);

}  // namespace davit::host
