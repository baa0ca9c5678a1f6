#include "host/crash/life_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "lib/base/file_trust.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/text_file.hpp"
#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

/// The file of process 12 is "running.12." and its start.
constexpr std::string_view kPrefix = "running.";

Status refuse(const std::filesystem::path& path) {
  return {Code::kUnavailable, path.string() + ": " + std::generic_category().message(errno)};
}

/// "<boot> <seconds>\n"
std::string text_of(const std::string& boot, WallTime start) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(start.time_since_epoch()).count();
  return boot + " " + std::to_string(seconds) + "\n";
}

std::optional<WallTime> start_of(std::string_view text, std::string_view boot) {
  std::string_view line = take_until(text, "\n");
  if (take_until(line, " ") != boot) return std::nullopt;
  std::int64_t seconds = 0;
  const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), seconds);
  if (line.empty() || error != std::errc() || stop != line.data() + line.size()) return {};
  return WallTime(std::chrono::seconds(seconds));
}

/// Removes the file if its process has ended; when that started, if it was in this boot.
std::optional<WallTime> take_left(const std::filesystem::path& path, std::string_view boot) {
  const Result<UniqueFd> file = open_own_file(path, O_RDWR);
  if (!file || ::flock(file->get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  struct stat info {};
  if (::fstat(file->get(), &info) != 0 || info.st_nlink == 0) return std::nullopt;  // In order.
  const Result<std::string> text = read_text_file(file->get());
  if (!text || text->empty()) return std::nullopt;  // Its process is about to lock and fill it.
  (void)::unlink(path.c_str());
  return start_of(*text, boot);
}

}  // namespace

Result<LifeFile> LifeFile::begin(const std::filesystem::path& directory, const std::string& boot,
                                 WallTime now) {
  if (boot.empty()) return Status(Code::kInvalid, "the machine's boot is unknown");
  std::vector<WallTime> killed;
  std::error_code error;
  for (const auto& each : std::filesystem::directory_iterator(directory, error)) {
    if (!each.path().filename().string().starts_with(kPrefix)) continue;
    if (const auto start = take_left(each.path(), boot)) killed.push_back(*start);
  }
  std::ranges::sort(killed);
  // Containers that share the folder may all be process 1.
  std::filesystem::path path = directory / (std::string(kPrefix) + std::to_string(::getpid()) +
                                            "." + std::to_string(now.time_since_epoch().count()));
  Result<UniqueFd> file = open_own_file(path, O_RDWR | O_CREAT | O_EXCL);
  if (!file) return file.error();
  const bool is_made =
      ::flock(file->get(), LOCK_EX | LOCK_NB) == 0 && write_all(file->get(), text_of(boot, now));
  if (!is_made) return refuse(path);
  return LifeFile(std::move(path), *std::move(file), std::move(killed));
}

LifeFile::LifeFile(LifeFile&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      file_(std::move(other.file_)),
      killed_(std::move(other.killed_)) {}

LifeFile::~LifeFile() {
  if (!path_.empty()) (void)::unlink(path_.c_str());
}

}  // namespace davit::host
