/// Opens plugins. The only user of Boost.DLL, which stays behind LoadedPlugin.
#pragma once

#include <davit/abi.h>

#include <davit/result.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/plugin_signatures.hpp"
#include "host/loading/needed_libraries.hpp"
#include "host/loading/plugin_file.hpp"
#include "host/loading/staging.hpp"

namespace davit::host {

/// Returns the required digest of a plugin, by the name in its note; empty: any. Called on the
/// thread that loads it.
using DigestPin = std::function<std::string(const std::string& plugin)>;

/// Terms that a file has to meet before any of its code runs. All of them are judged on the bytes
/// of the private copy.
struct LoadTerms {
  std::string sha256 = {};  ///< The required digest, or empty.
  DigestPin pin = {};       ///< If set, also called for the required digest.
  std::string name = {};    ///< The name that it must declare (else kConflict), or empty.
  SignatureSettings signatures = {};
  /// The program that opens the file first, in a separate process (see try_to_open()). Empty: none;
  /// a file that ends its process in spite of check_layout() then ends this one.
  std::filesystem::path trial = {};
};

/// A library in this process. Closing it (the destructor) needs that nothing of it runs and none of
/// its controllers lives.
class LoadedPlugin {
 public:
  ~LoadedPlugin();
  LoadedPlugin(const LoadedPlugin&) = delete;
  LoadedPlugin& operator=(const LoadedPlugin&) = delete;

  [[nodiscard]] const PluginFile& file() const;
  [[nodiscard]] const PluginDeclaration& declaration() const { return file().declaration; }
  /// The InitFunc of a declared controller; null for other names.
  [[nodiscard]] davit_init_fn init(std::string_view controller) const;
  /// The copy that was opened; nothing else was ever opened by this path.
  [[nodiscard]] const std::filesystem::path& opened() const { return opened_; }
  /// Bytes of the address space that its code and static data take.
  [[nodiscard]] std::size_t mapped_bytes() const;
  /// The libraries that opening it brought into the process. They should leave with it.
  [[nodiscard]] const std::vector<std::filesystem::path>& brought() const;
  /// Its bytes, to open it once more.
  [[nodiscard]] const std::shared_ptr<const KeptCopy>& copy() const { return copy_; }

 private:
  friend Result<std::unique_ptr<LoadedPlugin>> load_plugin(StagingDirectory&,
                                                           const std::filesystem::path&,
                                                           const TrustedFile&, const LoadTerms&);
  struct Library;
  struct JudgedCopy;
  static Result<std::unique_ptr<LoadedPlugin>> open_copy(JudgedCopy judged,
                                                         const NeededLibraries& needed);
  LoadedPlugin(PluginFile file, std::filesystem::path opened, std::shared_ptr<const KeptCopy> copy,
               std::unique_ptr<Library> library);

  PluginFile file_;
  std::filesystem::path opened_;
  std::shared_ptr<const KeptCopy> copy_;
  std::unique_ptr<Library> library_;
};

/// Whether the library that was opened as `path` is in this process. Closing one proves nothing: a
/// thread-local with a destructor, a unique symbol or a flag may keep it.
[[nodiscard]] bool is_open_library(const std::filesystem::path& path);

/// Reads, stages, judges and opens (eager, local) the plugin at `path`, then checks its table
/// against its note. Nothing of the plugin runs unless all else is right. One line that names the
/// file and what to do.
[[nodiscard]] Result<std::unique_ptr<LoadedPlugin>> load_plugin(StagingDirectory& staging,
                                                                const std::filesystem::path& path,
                                                                const LoadTerms& terms);
/// The same for bytes that were read and had their signature checked already; `path` is where they
/// came from, for messages.
[[nodiscard]] Result<std::unique_ptr<LoadedPlugin>> load_plugin(StagingDirectory& staging,
                                                                const std::filesystem::path& path,
                                                                const TrustedFile& source,
                                                                const LoadTerms& terms);

}  // namespace davit::host
