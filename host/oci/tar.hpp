/// Archives of plain files in the POSIX ustar format (IEEE 1003.1, pax, "ustar Interchange
/// Format"): the layer of a bundle, and image layouts in one file. Pure. Entries that a bundle does
/// not need are refused, not interpreted: links, devices, sparse files and extended headers.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// A file of an archive.
struct ArchivedFile {
  std::string name;  ///< Relative, with slashes: "crds/greeting.yaml".
  std::string_view content;
};

/// The limits of an archive that is read.
struct TarLimits {
  std::size_t files_max = 1024;  ///< Far above what a bundle or its layout has.
  std::size_t depth_max = 8;     ///< Folders in a name, with the file.
};

/// Why `name` may not be the name of a file in an archive: absolute, empty, with "." or ".." as a
/// part, a backslash or control character, longer than 100 bytes, or too deep. Empty: it may.
[[nodiscard]] std::string refuse_archived_name(std::string_view name,
                                               std::size_t depth_max = TarLimits{}.depth_max);

/// The archive of these files, in their order. The same files make the same bytes: every file has
/// mode 0644, belongs to root and has no date. The names must be allowed, and each content smaller
/// than 8 GiB.
[[nodiscard]] std::string write_tar(const std::vector<ArchivedFile>& files);

/// The files of an archive, in its order; the views are into `bytes`. Folders are skipped.
/// kInvalid, in one line that names the file: anything but plain files and folders, a name that is
/// refused or repeated, a damaged or cut header, more files than allowed.
[[nodiscard]] Result<std::vector<ArchivedFile>> read_tar(std::string_view bytes,
                                                         const TarLimits& limits = {});

}  // namespace davit::host
