/// The declaration of a plugin in its ELF note (abi.h, "The ELF note").
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// A right, as in an RBAC rule of one resource.
struct DeclaredRule {
  std::string group;  ///< Empty: core.
  std::string resource;
  std::string subresource;         ///< May be empty.
  std::vector<std::string> verbs;  ///< Lower case, at least one.
};

/// A resource that a controller watches; get, list and watch on it are implied.
struct DeclaredWatch {
  std::string group;
  std::string version;
  std::string resource;
  std::vector<std::string> projection;  ///< Field paths; empty: the whole object.
  std::string label_selector;           ///< The only selector allowed for it; may be empty.
  std::string field_selector;
};

struct DeclaredController {
  std::string name;
  std::vector<std::string> aliases;
  std::string client_name;  ///< User agent suffix and event source; the name when not declared.
  bool off_by_default = false;
  bool without_leadership = false;
  std::uint32_t workers = 1;
  std::vector<DeclaredRule> rules;
  std::vector<DeclaredWatch> watches;
  bool is_unlimited = false;  ///< It may do everything, as one without a note may in a test.
};

struct PluginDeclaration {
  std::string name;
  std::string version;
  std::uint16_t abi_major = 0;
  std::uint16_t abi_minor = 0;
  std::vector<std::string> requires_ids;  ///< Capabilities that the host must have.
  std::string build;
  std::vector<DeclaredController> controllers;
};

/// Either a declaration or all mistakes of the note, each one line that names the place in the
/// JSON text ("controllers[0].workers: must be ...").
struct NoteResult {
  PluginDeclaration declaration;
  std::vector<std::string> mistakes;

  [[nodiscard]] bool ok() const { return mistakes.empty(); }
};

/// Unknown members are mistakes, unless the note is of a newer ABI minor or major, which may have
/// members that this host cannot know: then only name, version and abi are read.
[[nodiscard]] NoteResult parse_note(std::string_view json);

/// Whether this host can run the plugin: its ABI and the capabilities that it requires. One line
/// that says what to do otherwise (kUnsupported).
[[nodiscard]] Status check_compatible(const PluginDeclaration& declaration,
                                      const std::vector<std::string>& capabilities);

/// The capability ids of abi.h, which this host serves.
[[nodiscard]] std::vector<std::string> host_capabilities();

}  // namespace davit::host
