/// The entries of its note that a controller uses.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/cache/informer.hpp"
#include "host/loading/note.hpp"

namespace davit::host {

/// The declaration in a note. Ends the process if the host would refuse the note.
[[nodiscard]] host::PluginDeclaration read_note(const std::string& note);

/// Collects what happens, and compares it with a declaration. Single-threaded.
class NoteUse {
 public:
  /// A request as RBAC sees it.
  struct Right {
    std::string verb;
    std::string group;
    std::string resource;
    std::string subresource;
    std::string ns;
    std::string name;

    friend auto operator<=>(const Right&, const Right&) = default;
  };

  void requested(Right right) { rights_.insert(std::move(right)); }

  /// One line for each verb of a rule that no request needed, and for each watch without one of
  /// `informers`. Rules that no request can need are not reported: of URLs, and those that the API
  /// server asks for when it admits a write (`finalizers` of owners, `restricted` addresses).
  [[nodiscard]] std::vector<std::string> unused(const DeclaredController& declared,
                                                const std::vector<Informer*>& informers) const;

 private:
  [[nodiscard]] bool is_used(const DeclaredRule& rule, const std::string& verb,
                             const std::vector<Informer*>& informers) const;

  std::set<Right> rights_;
};

}  // namespace davit::host
