/// The plugins that were pulled, in a folder that only this user can write:
///
///     FOLDER/<64 hex digits of the index's digest>/
///       index.json, manifest.json    the verified documents
///       NAME.so, NAME.so.sig         and the other files of the bundle
///
/// An entry appears complete, by a rename. When it is used again, its documents and the plugin are
/// compared with their digests again: a cache cannot change what a digest stands for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "host/oci/bundle.hpp"

namespace davit::host {

/// A plugin in the cache.
struct CachedPlugin {
  std::filesystem::path file;  ///< NAME.so
  std::string sha256;          ///< Its digest, hex.
  std::string name;
  std::string version;
};

/// One thread at a time; processes may share the folder.
class PluginCache {
 public:
  /// Builds that are kept for a way back, with those in use.
  static constexpr std::size_t kKept = 16;

  /// All builds that are kept, except those in use.
  static constexpr std::uintmax_t kBytesMax = std::uintmax_t{2} << 30;

  explicit PluginCache(std::filesystem::path folder, std::uintmax_t bytes_max = kBytesMax)
      : folder_(std::move(folder)), bytes_max_(bytes_max) {}

  /// The plugin of the bundle with this digest, for this architecture. kNotFound: it is not here,
  /// or no longer what it was.
  [[nodiscard]] Result<CachedPlugin> find(const std::string& digest,
                                          const std::string& architecture) const;
  /// Adds a bundle, or replaces its entry. kUnavailable: the folder cannot be written.
  [[nodiscard]] Result<CachedPlugin> keep(const OpenedBundle& bundle);

  /// Notes the digest that a reference with a tag stands for now, and finds it again; empty: it is
  /// not known.
  void remember(const std::string& reference, const std::string& digest);
  [[nodiscard]] std::string recall(const std::string& reference) const;

  /// Removes the entries that were added first, beyond kKept or the limit of bytes, except those
  /// with these digests, and what processes that ended while they wrote have left for a day.
  void prune(const std::set<std::string>& used);

 private:
  const std::filesystem::path folder_;
  const std::uintmax_t bytes_max_;
};

}  // namespace davit::host
