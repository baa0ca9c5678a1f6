/// Image layouts (image-spec v1.1, "OCI Image Layout"): an artifact in a directory, or in one tar
/// file of it, as skopeo, podman and oras read and write them.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>

#include "host/oci/bundle.hpp"

namespace davit::host {

/// Whether layouts of this path are one file: "x.tar".
[[nodiscard]] bool is_layout_archive(const std::string& path);

/// Writes the artifact to a directory, which is made if it is missing, or to a tar file. `tag` is
/// the name that other tools find it by. The same artifact makes the same bytes. The error is one
/// line that names the file.
[[nodiscard]] Status write_layout(const std::string& path, const OciArtifact& artifact,
                                  const std::string& tag);

/// A layout with one artifact.
struct OpenedLayout {
  std::unique_ptr<BundleSource> source;
  std::string digest;  ///< The artifact's name in `source`: that of its index.
};

/// Opens a directory or a tar file, which must not change while it is read. Symbolic links are
/// refused. kNotFound or kInvalid: one line that names the path.
[[nodiscard]] Result<OpenedLayout> open_layout(const std::string& path);

}  // namespace davit::host
