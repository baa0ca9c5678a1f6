/// Values that a note may leave to the operator's configuration: selectors, namespaces, and hosts
/// outside the cluster.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/loading/note.hpp"

namespace davit::host {

/// Fills what the note takes from `config` (JSON text of an object; empty: none), and checks it as
/// if the note had it. kInvalid: a value is missing or malformed; one line that names its place in
/// the configuration and what it is for.
[[nodiscard]] Status apply_config(DeclaredController& declared, std::string_view config);

/// Checks a selector; the messages say what is allowed. An empty one selects all.
[[nodiscard]] Status check_label_selector(std::string_view text);
[[nodiscard]] Status check_field_selector(std::string_view text);

/// Checks a list of namespaces. One that is only "*" becomes empty: all.
[[nodiscard]] Status check_namespaces(std::vector<std::string>& namespaces);

/// Checks the hosts that a note declares. Each gets its shortest form.
[[nodiscard]] Status check_hosts(std::vector<std::string>& hosts);

/// Members of a configuration joined by dots: "watch.labels".
[[nodiscard]] bool is_config_path(std::string_view text);

}  // namespace davit::host
