#include "cli/dev/source_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace davit::host {
namespace {

/// A file is whole when its writer closed it or it got its name; a new folder is followed.
constexpr std::uint32_t kEvents =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ONLYDIR;

/// Whether an editor wrote the file beside a source.
bool is_scratch(const std::string& name) {
  return name.empty() || name.front() == '.' || name.front() == '#' || name.back() == '~' ||
         name == "4913" || name.ends_with(".swp");
}

}  // namespace

SourceWatch::SourceWatch(UniqueFd inotify, std::filesystem::path root,
                         std::vector<std::filesystem::path> left_out, Depth depth)
    : inotify_(std::move(inotify)),
      root_(std::move(root)),
      left_out_(std::move(left_out)),
      depth_(depth) {}

Result<SourceWatch> SourceWatch::open(const std::filesystem::path& root,
                                      std::vector<std::filesystem::path> left_out, Depth depth) {
  SourceWatch watch(UniqueFd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)), root, std::move(left_out),
                    depth);
  if (watch.inotify_.get() < 0 || !watch.add(root)) {
    return Status(Code::kUnavailable,
                  "cannot watch " + root.string() + ": " + std::generic_category().message(errno));
  }
  return watch;
}

bool SourceWatch::ignores(const std::filesystem::path& path) const {
  return is_scratch(path.filename().string()) ||
         std::find(left_out_.begin(), left_out_.end(), path) != left_out_.end();
}

bool SourceWatch::add(const std::filesystem::path& directory) {
  std::set<int> followed;
  return add(directory, followed);
}

bool SourceWatch::add(const std::filesystem::path& directory, std::set<int>& followed) {
  const int id = inotify_add_watch(inotify_.get(), directory.c_str(), kEvents);
  if (id < 0) return false;
  if (!followed.insert(id).second) return true;
  directories_[id] = directory;
  if (depth_ == Depth::kOne) return true;
  std::error_code failed;
  for (std::filesystem::directory_iterator each(directory, failed), end; !failed && each != end;
       each.increment(failed)) {
    std::error_code unknown;
    // One that cannot be followed is as one that never changes.
    if (each->is_directory(unknown) && !ignores(each->path())) {
      static_cast<void>(add(each->path(), followed));
    }
  }
  return true;
}

// PluginWatch (host/swap) has such a loop, too. They share nothing but the layout of the kernel's
// records: a class for both would be longer than the two loops.
std::vector<std::string> SourceWatch::take() {
  std::vector<std::string> changed;
  const auto note = [&](const std::string& name) {
    if (std::find(changed.begin(), changed.end(), name) == changed.end()) changed.push_back(name);
  };
  alignas(inotify_event) std::array<char, 16384> buffer;
  for (ssize_t got = read(fd(), buffer.data(), buffer.size()); got > 0;
       got = read(fd(), buffer.data(), buffer.size())) {
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      at += static_cast<ssize_t>(sizeof event + event.len);
      const auto directory = directories_.find(event.wd);
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        note(".");
        static_cast<void>(add(root_));  // Folders may be among what was lost.
      }
      if (directory == directories_.end() || event.len == 0) continue;
      const std::filesystem::path path = directory->second / name;
      if (ignores(path)) continue;
      if ((event.mask & IN_ISDIR) != 0) {
        if (depth_ == Depth::kOne) continue;
        if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) static_cast<void>(add(path));
      } else if ((event.mask & IN_CREATE) != 0) {
        continue;  // Not written yet.
      }
      // Also notes a new folder: files may have come into it before it was followed.
      note(path.lexically_relative(root_).string());
    }
  }
  return changed;
}

}  // namespace davit::host
