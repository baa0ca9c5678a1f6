/// Reports plugin files that have changed and are complete again.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/result.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// Watches files through their directories, so that a file stays watched when it is replaced, or
/// removed and recreated, even if the kubelet exchanges a whole directory, as for ConfigMaps. A
/// directory in the list represents all plugins in it, including those in subdirectories
/// (`NAME/NAME.so`): it is reported when a plugin appears that is not watched individually, and
/// when one disappears. A missing directory is checked every second.
class PluginWatch {
 public:
  /// Called on the watch's thread; may block, and changes in between are reported next.
  using Changed = std::function<void(const std::filesystem::path& file)>;
  /// Returns the files to watch from now on; called on the watch's thread after each change.
  using Followed = std::function<std::vector<std::filesystem::path>()>;

  /// `quiet`: how long a file must have been left alone after it was closed by its writer, or got
  /// its name, before `changed` is called. kUnavailable: a directory cannot be watched,
  /// or the system has no thread for it.
  static Result<std::unique_ptr<PluginWatch>> open(const std::vector<std::filesystem::path>& files,
                                                   std::chrono::milliseconds quiet, Changed changed,
                                                   Followed followed = {});
  /// Follows nothing yet; see open().
  PluginWatch(UniqueFd inotify, std::chrono::milliseconds quiet, Changed changed,
              Followed followed);
  /// Waits for a call in progress.
  ~PluginWatch();
  PluginWatch(const PluginWatch&) = delete;
  PluginWatch& operator=(const PluginWatch&) = delete;

 private:
  using Moment = std::chrono::steady_clock::time_point;

  /// The directory of a watch is gone, or has another name.
  void lose(int watch);
  /// Follows what is missing as far as it is there again.
  void look_for_missing();
  void note(const std::filesystem::path& directory, const std::string& name, std::uint32_t event);
  /// Follows further files. The first that cannot be followed is named.
  Status follow(const std::vector<std::filesystem::path>& files);
  /// Follows the folders in a directory of plugins, each of which may hold one.
  void follow_folders(const std::filesystem::path& directory);
  void follow_folder(const std::filesystem::path& directory, const std::filesystem::path& folder);
  [[nodiscard]] bool add_watch(const std::filesystem::path& directory, std::uint32_t events);
  void run(const std::stop_token& stop);
  void take_events();
  /// Reports due changes, then returns the time to wait for the next event.
  [[nodiscard]] int notify_due(const std::stop_token& stop);

  const UniqueFd inotify_;
  const UniqueFd stopping_;  // An eventfd that ends the wait.
  const std::chrono::milliseconds quiet_;
  const Changed changed_;
  const Followed followed_;
  // Owned by the thread, once it runs.
  std::map<int, std::filesystem::path> directories_;    // Keyed by watch.
  std::map<std::filesystem::path, std::string> files_;  // Keyed by the kernel's paths.
  std::set<std::filesystem::path> all_of_;              // Directories that are followed as such.
  std::map<std::filesystem::path, std::filesystem::path> folders_;  // The directory each is in.
  enum class Missing { kFile, kDirectory };
  std::map<std::filesystem::path, Missing> missing_;  // Asked for; its directory is not there.
  std::map<std::filesystem::path, Moment> changes_;   // When each is quiet.
  std::jthread thread_;                               // Last: it uses the others.
};

}  // namespace davit::host
