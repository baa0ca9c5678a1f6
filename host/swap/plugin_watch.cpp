#include "host/swap/plugin_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// Both ways in which a file comes to be whole: its writer closed it, or it got its name.
constexpr std::uint32_t kWhole = IN_CLOSE_WRITE | IN_MOVED_TO;
constexpr std::uint32_t kGone = IN_DELETE | IN_MOVED_FROM;
/// The events by which a folder appears.
constexpr std::uint32_t kNewFolder = IN_CREATE | IN_MOVED_TO;
/// The pause between two looks for a directory that is missing.
constexpr std::chrono::milliseconds kLookInterval{1000};
/// Multiples of `quiet`. A linker may remove the file before it writes it again.
constexpr int kRemovalQuietFactor = 10;
constexpr std::string_view kPluginSuffix = ".so";
/// A signature that arrives after its plugin makes a build good that was refused without it.
constexpr std::string_view kSignatureSuffix = ".so.sig";
/// The link through which all files of a mounted ConfigMap or Secret change at once
/// (k8s.io/kubernetes/pkg/volume/util.AtomicWriter).
constexpr std::string_view kAtomicLink = "..data";
/// Begins that link's name, and those of the folders that it points to in turn.
constexpr std::string_view kAtomicPrefix = "..";

Status refuse(const std::string& what) {
  return Status(Code::kUnavailable,
                "cannot watch " + what + ": " + std::generic_category().message(errno));
}

}  // namespace

Result<std::unique_ptr<PluginWatch>> PluginWatch::open(
    const std::vector<std::filesystem::path>& files, std::chrono::milliseconds quiet,
    Changed changed, Followed followed) {
  UniqueFd inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify.valid()) return refuse("files");
  auto watch = std::make_unique<PluginWatch>(std::move(inotify), quiet, std::move(changed),
                                             std::move(followed));
  if (Status s = watch->follow(files); !s.ok()) return s;
  const auto run = [self = watch.get()](const std::stop_token& stop) { self->run(stop); };
  if (start_thread(watch->thread_, "files", run)) return watch;
  return Status(Code::kUnavailable, "cannot watch files: cannot start a thread");
}

Status PluginWatch::follow(const std::vector<std::filesystem::path>& files) {
  Status status;
  for (const std::filesystem::path& file : files) {
    std::error_code ignored;
    const bool is_directory = std::filesystem::is_directory(file, ignored);
    const std::filesystem::path directory = is_directory ? file : file.parent_path();
    if (all_of_.contains(file) || files_.contains(directory / file.filename())) continue;
    const std::uint32_t events = is_directory ? kWhole | kGone | kNewFolder : kWhole;
    if (!add_watch(directory, events)) {
      if (status.ok()) status = refuse(directory.string());
      missing_[file] = is_directory ? Missing::kDirectory : Missing::kFile;
      continue;
    }
    if (!is_directory) {
      files_[directory / file.filename()] = file;
      continue;
    }
    all_of_.insert(directory);
    follow_folders(directory);
  }
  return status;
}

void PluginWatch::follow_folders(const std::filesystem::path& directory) {
  std::error_code failed;
  std::filesystem::directory_iterator folders(directory, failed);
  for (; !failed && folders != std::filesystem::directory_iterator(); folders.increment(failed)) {
    std::error_code ignored;
    if (folders->is_directory(ignored)) follow_folder(directory, folders->path());
  }
}

void PluginWatch::follow_folder(const std::filesystem::path& directory,
                                const std::filesystem::path& folder) {
  if (folder.filename().string().starts_with(kAtomicPrefix)) return;
  // A folder that has gone again, or that cannot be read, holds no plugin.
  if (add_watch(folder, kWhole | kGone)) folders_[folder] = directory;
}

bool PluginWatch::add_watch(const std::filesystem::path& directory, std::uint32_t events) {
  const int id =
      ::inotify_add_watch(inotify_.get(), directory.c_str(), events | IN_MASK_ADD | IN_MOVE_SELF);
  if (id >= 0) directories_[id] = directory;
  return id >= 0;
}

void PluginWatch::lose(int watch) {
  const auto found = directories_.find(watch);
  if (found == directories_.end()) return;
  const std::filesystem::path directory = found->second;
  directories_.erase(found);
  folders_.erase(directory);
  const Moment now = std::chrono::steady_clock::now();
  for (auto it = files_.begin(); it != files_.end();) {
    if (it->first.parent_path() != directory) {
      ++it;
      continue;
    }
    missing_[it->second] = Missing::kFile;
    it = files_.erase(it);
  }
  if (all_of_.erase(directory) == 0) return;
  missing_[directory] = Missing::kDirectory;
  changes_[directory] = now + quiet_ * kRemovalQuietFactor;
}

void PluginWatch::look_for_missing() {
  const Moment due = std::chrono::steady_clock::now() + quiet_;
  std::vector<std::filesystem::path> found;
  for (auto it = missing_.begin(); it != missing_.end();) {
    const auto& [path, what] = *it;
    std::error_code ignored;
    const bool is_there = std::filesystem::is_directory(
        what == Missing::kDirectory ? path : path.parent_path(), ignored);
    if (is_there) found.push_back(path);
    it = is_there ? missing_.erase(it) : std::next(it);
  }
  for (const std::filesystem::path& each : found) {
    if (!follow({each}).ok()) continue;
    changes_[all_of_.contains(each) ? each : each.parent_path() / each.filename()] = due;
  }
}

PluginWatch::PluginWatch(UniqueFd inotify, std::chrono::milliseconds quiet, Changed changed,
                         Followed followed)
    : inotify_(std::move(inotify)),
      stopping_(::eventfd(0, EFD_CLOEXEC)),
      quiet_(quiet),
      changed_(std::move(changed)),
      followed_(std::move(followed)) {}

PluginWatch::~PluginWatch() {
  thread_.request_stop();
  const std::uint64_t one = 1;
  // Cannot fail: the counter is far from its end.
  [[maybe_unused]] const ssize_t written = ::write(stopping_.get(), &one, sizeof one);
}

void PluginWatch::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const int wait = notify_due(stop);
    if (stop.stop_requested()) return;
    std::array<pollfd, 2> ready = {{{inotify_.get(), POLLIN, 0}, {stopping_.get(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), wait) > 0 && (ready[0].revents & POLLIN) != 0) {
      take_events();
    }
  }
}

void PluginWatch::take_events() {
  alignas(inotify_event) std::array<char, 16384> buffer;
  const ssize_t got = ::read(inotify_.get(), buffer.data(), buffer.size());
  const Moment due = std::chrono::steady_clock::now() + quiet_;
  for (ssize_t at = 0; at < got;) {
    inotify_event event{};
    std::memcpy(&event, buffer.data() + at, sizeof event);
    const char* const name = buffer.data() + at + sizeof event;
    at += static_cast<ssize_t>(sizeof event + event.len);
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      for (const auto& [path, file] : files_) changes_[path] = due;
      for (const std::filesystem::path& each : all_of_) {
        follow_folders(each);
        changes_[each] = due;
      }
    }
    if ((event.mask & IN_MOVE_SELF) != 0) {
      // The name is followed, not the folder. The kernel confirms with IN_IGNORED.
      (void)::inotify_rm_watch(inotify_.get(), event.wd);
    }
    if ((event.mask & IN_IGNORED) != 0) lose(event.wd);
    const auto directory = directories_.find(event.wd);
    if (directory == directories_.end() || event.len == 0) continue;
    note(directory->second, name, event.mask);
  }
}

void PluginWatch::note(const std::filesystem::path& directory, const std::string& name,
                       std::uint32_t event) {
  if ((event & kWhole) != 0 && name.ends_with(kSignatureSuffix)) {
    return note(directory, std::filesystem::path(name).stem(), event);
  }
  const Moment now = std::chrono::steady_clock::now();
  const std::filesystem::path path = directory / name;
  if ((event & kWhole) != 0) {
    for (const auto& [each, file] : files_) {
      const bool beside = name == kAtomicLink && each.parent_path() == directory;
      if (beside || each == path) changes_[each] = now + quiet_;
    }
  }
  const bool is_gone = (event & kGone) != 0;
  if (!is_gone && files_.contains(path)) return;
  const auto changed = [&](const std::filesystem::path& which) {
    Moment& due = changes_[which];
    due = std::max(due, now + quiet_ * (is_gone ? kRemovalQuietFactor : 1));
  };
  const auto folder = folders_.find(directory);
  if (folder != folders_.end() && name == (directory.filename() += kPluginSuffix)) {
    changed(folder->second);
  }
  if (!all_of_.contains(directory)) return;
  if ((event & IN_ISDIR) != 0) {
    if (name.starts_with(kAtomicPrefix)) return;
    // Before the search for the plugin: an event reports one that is put there later.
    if ((event & kNewFolder) != 0) follow_folder(directory, path);
    changed(directory);
  } else if ((event & (kWhole | kGone)) != 0 &&
             (name.ends_with(kPluginSuffix) || name == kAtomicLink)) {
    changed(directory);
  }
}

int PluginWatch::notify_due(const std::stop_token& stop) {
  look_for_missing();
  for (auto it = changes_.begin(); it != changes_.end() && !stop.stop_requested();) {
    if (it->second > std::chrono::steady_clock::now()) {
      ++it;
      continue;
    }
    const auto known = files_.find(it->first);
    const std::filesystem::path file =
        known == files_.end() ? it->first : std::filesystem::path(known->second);
    it = changes_.erase(it);
    changed_(file);
    // A directory that is not there yet is looked for after the next change.
    if (followed_) (void)follow(followed_());
  }
  const int look = missing_.empty() ? -1 : static_cast<int>(kLookInterval.count());
  if (changes_.empty()) return look;
  const auto first = std::min_element(changes_.begin(), changes_.end(),
                                      [](auto& a, auto& b) { return a.second < b.second; });
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(first->second -
                                                                 std::chrono::steady_clock::now());
  const int wait = std::max(0, static_cast<int>(left.count()));
  return look < 0 ? wait : std::min(wait, look);
}

}  // namespace davit::host
