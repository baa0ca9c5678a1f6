/// Reports files that were saved below a directory.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/base/unique_fd.hpp"

namespace davit::host {

/// Watches a directory tree except hidden and excluded directories. For one thread.
class SourceWatch {
 public:
  enum class Depth { kAll, kOne };
  /// kUnavailable: the tree cannot be watched.
  [[nodiscard]] static Result<SourceWatch> open(const std::filesystem::path& root,
                                                std::vector<std::filesystem::path> left_out,
                                                Depth depth = Depth::kAll);

  /// Readable when something has happened.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Files saved, removed or renamed since the last call, relative to the root, each once.
  [[nodiscard]] std::vector<std::string> take();

 private:
  SourceWatch(UniqueFd inotify, std::filesystem::path root,
              std::vector<std::filesystem::path> left_out, Depth depth);
  /// Follows a folder and those below it. False: it cannot be followed.
  bool add(const std::filesystem::path& directory);
  /// `followed`: the folders that this pass has met, since links may lead back to them.
  bool add(const std::filesystem::path& directory, std::set<int>& followed);
  [[nodiscard]] bool ignores(const std::filesystem::path& path) const;

  UniqueFd inotify_;
  std::filesystem::path root_;
  std::vector<std::filesystem::path> left_out_;
  Depth depth_;
  std::map<int, std::filesystem::path> directories_;  // Watch descriptor to directory.
};

}  // namespace davit::host
