/// `davit manifest check FILE`.
#pragma once

#include <iosfwd>
#include <string>

namespace davit::host {

struct ManifestCheckOptions {
  std::string file;
};

/// Prints every mistake as "file:line:column: text" to `err` and returns 2, or one line to `out`
/// and 0. Where the plugins that the manifest names lie on this machine, their controllers' names
/// are checked too; otherwise `out` reports that they were not.
[[nodiscard]] int run_manifest_check(const ManifestCheckOptions& options, std::ostream& out,
                                     std::ostream& err);

}  // namespace davit::host
