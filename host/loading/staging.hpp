/// Private copies of plugin files. A plugin is judged and opened on the copy, never on the
/// operator's path, so what was checked is what runs.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// A directory of mode 0700 that is removed with its content by the destructor. Directories of
/// processes that ended without it are removed when a further one is made beside them: each process
/// holds a lock on its own. Not thread-safe.
class StagingDirectory {
 public:
  /// Below $XDG_RUNTIME_DIR when that allows execution, else $TMPDIR, else /tmp.
  static Result<StagingDirectory> create();
  static Result<StagingDirectory> create_below(const std::filesystem::path& parent);

  StagingDirectory(StagingDirectory&& other) noexcept;
  StagingDirectory& operator=(StagingDirectory&& other) noexcept;
  StagingDirectory(const StagingDirectory&) = delete;
  StagingDirectory& operator=(const StagingDirectory&) = delete;
  ~StagingDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// A new path for a copy with this digest; never the same twice.
  [[nodiscard]] std::filesystem::path next(const std::string& digest);

 private:
  StagingDirectory(std::filesystem::path path, UniqueFd lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  void remove() noexcept;

  std::filesystem::path path_;
  UniqueFd lock_;
  int copies_ = 0;
};

/// Whether others may have written a file that is read.
enum class Trust {
  kRequired,  ///< It is refused then.
  kIgnored,   ///< For looking only.
};

/// A file's content, read once, after its owner and mode were checked.
struct TrustedFile {
  std::string content;
  std::string digest;  ///< SHA-256, lower-case hex.
};

/// One line that names the plugin file.
[[nodiscard]] inline Status refuse_plugin(Code code, const std::filesystem::path& path,
                                          const std::string& text) {
  return Status(code, "plugin " + path.string() + ": " + text);
}

/// Reads a plugin file. Refuses a file that is missing, not regular or larger than 256 MiB. Also
/// refuses it if the file, or a directory or symbolic link in its path, is owned by neither root
/// nor davit's user, or is writable by others (except sticky directories). The error is one line
/// that names the file and the remedy.
[[nodiscard]] Result<TrustedFile> read_trusted(const std::filesystem::path& path);

/// Same as read_trusted(), without the checks of owner and mode, for inspection only.
[[nodiscard]] Result<TrustedFile> read_plugin_file(const std::filesystem::path& path);

/// Writes the copy (mode 0500), reads it back and compares the digest.
[[nodiscard]] Result<std::filesystem::path> stage(StagingDirectory& directory,
                                                  const TrustedFile& file);

/// The bytes of a staged copy, which live as long as this, even if its path is removed.
class KeptCopy {
 public:
  /// Keeps the copy that stage() made of `file`.
  [[nodiscard]] static Result<std::shared_ptr<const KeptCopy>> of(const std::filesystem::path& copy,
                                                                  const TrustedFile& file);
  KeptCopy(UniqueFd file, std::string digest)
      : file_(std::move(file)), digest_(std::move(digest)) {}

  /// kInternal: they are not what they were.
  [[nodiscard]] Result<TrustedFile> read() const;

 private:
  const UniqueFd file_;
  const std::string digest_;
};

}  // namespace davit::host
