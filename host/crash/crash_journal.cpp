#include "host/crash/crash_journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "host/crash/crash_text.hpp"
#include "lib/base/file_trust.hpp"
#include "lib/base/json_text.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/text_file.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/base/write_all.hpp"
#include "lib/kube/strict_json.hpp"

namespace davit::host {
namespace {

Status refuse(const std::filesystem::path& path, int error) {
  return Status(Code::kUnavailable, path.string() + ": " + std::generic_category().message(error));
}

/// Eight records of any length; those of a usual crash have 200 bytes.
constexpr off_t kRoomBytes = 8 * kCrashTextBytes;

/// Records decide which plugins are left out, so those of another user do not count.
Status check_directory(const std::filesystem::path& directory) {
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) return refuse(directory, errno);
  if (!S_ISDIR(info.st_mode)) return refuse(directory, ENOTDIR);
  return check_owner(info, "the state directory " + directory.string());
}

std::string text_of(const YamlNode& root, std::string_view key) {
  const YamlNode* const found = root.find(std::string(key));
  return found == nullptr ? std::string() : found->text;
}

std::string line_of(const CrashRecord& record) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(record.time.time_since_epoch()).count();
  return JsonText('{')
             .number("time", seconds)
             .text("signal", record.signal)
             .text("plugin", record.plugin)
             .text("build", record.build)
             .text("controller", record.controller)
             .text("activity", record.activity)
             .text("key", record.key)
             .text("module", record.module)
             .str() +
         "\n";
}

}  // namespace

std::optional<CrashRecord> parse_crash(std::string_view line) {
  const YamlDocument document = parse_strict_json(line, "");
  if (!document.mistakes.empty()) return std::nullopt;
  const YamlNode& root = document.root;
  const std::string time = text_of(root, "time");
  std::int64_t seconds = 0;
  const auto [stop, error] = std::from_chars(time.data(), time.data() + time.size(), seconds);
  if (time.empty() || error != std::errc() || stop != time.data() + time.size()) {
    return std::nullopt;
  }
  CrashRecord record;
  record.time = WallTime(std::chrono::seconds(seconds));
  record.signal = text_of(root, "signal");
  record.plugin = text_of(root, "plugin");
  record.build = text_of(root, "build");
  record.controller = text_of(root, "controller");
  record.activity = text_of(root, "activity");
  record.key = text_of(root, "key");
  record.module = text_of(root, "module");
  return record;
}

Result<CrashJournal> CrashJournal::open(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory.parent_path(), error);
  if (!error && ::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return refuse(directory, errno);
  }
  if (error) return refuse(directory, error.value());
  if (Status s = check_directory(directory); !s.ok()) return s;
  CrashJournal journal(directory / "crashes.jsonl");
  const Result<UniqueFd> file = open_own_file(journal.path_, O_WRONLY | O_APPEND | O_CREAT);
  if (!file) return file.error();
  return journal;
}

std::vector<CrashRecord> CrashJournal::read() const {
  std::vector<CrashRecord> out;
  const Result<UniqueFd> file = open_own_file(path_, O_RDONLY);
  const Result<std::string> text = file ? read_text_file(file->get()) : file.error();
  if (!text) return out;
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::optional<CrashRecord> record = parse_crash(take_until(rest, "\n"));
    if (record) out.push_back(std::move(*record));
  }
  return out;
}

Status CrashJournal::add(const CrashRecord& record) const {
  const Result<UniqueFd> file = open_own_file(path_, O_WRONLY | O_APPEND);
  if (!file) return file.error();
  return write_all(file->get(), line_of(record)) ? Status() : refuse(path_, errno);
}

Status CrashJournal::keep(const std::function<bool(const CrashRecord&)>& is_needed) const {
  std::string text;
  bool all = true;
  for (const CrashRecord& each : read()) {
    if (is_needed(each)) {
      text += line_of(each);
    } else {
      all = false;
    }
  }
  if (all) return {};
  const Status replaced = replace_file(path_.string(), text, Readable::kByOwner);
  // The new file has no reserved room yet.
  return replaced.ok() ? keep_room() : replaced;
}

Status CrashJournal::keep_room() const {
  const Result<UniqueFd> file = open_own_file(path_, O_RDWR | O_APPEND);
  if (!file) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) != 0) return refuse(path_, errno);
  char last = '\n';
  const bool unfinished =
      info.st_size > 0 && ::pread(file->get(), &last, 1, info.st_size - 1) == 1 && last != '\n';
  if (unfinished && !write_all(file->get(), "\n")) return refuse(path_, errno);
  if (::fallocate(file->get(), FALLOC_FL_KEEP_SIZE, info.st_size, kRoomBytes) == 0) return {};
  return errno == EOPNOTSUPP || errno == ENOSYS ? Status() : refuse(path_, errno);
}

std::string default_state_directory() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/davit";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/state/davit";
  return "";
}

}  // namespace davit::host
