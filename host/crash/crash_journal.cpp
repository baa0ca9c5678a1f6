#include "host/crash/crash_journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "lib/base/json_text.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/kube/strict_json.hpp"

namespace davit::host {
namespace {

constexpr int kAppend = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW;

Status refuse(const std::filesystem::path& path, int error) {
  return Status(Code::kUnavailable, path.string() + ": " + std::generic_category().message(error));
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
  CrashJournal journal(directory / "crashes.jsonl");
  const UniqueFd file(::open(journal.path_.c_str(), kAppend, 0600));
  if (!file.valid()) return refuse(journal.path_, errno);
  return journal;
}

std::vector<CrashRecord> CrashJournal::read() const {
  std::vector<CrashRecord> out;
  std::ifstream in(path_);
  for (std::string line; std::getline(in, line);) {
    if (std::optional<CrashRecord> record = parse_crash(line)) out.push_back(std::move(*record));
  }
  return out;
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
  const std::filesystem::path made = path_.string() + "." + std::to_string(::getpid());
  {
    std::ofstream out(made, std::ios::trunc);
    out << text;
    out.flush();
    if (!out) return refuse(made, errno);
  }
  std::error_code error;
  std::filesystem::permissions(
      made, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, error);
  std::filesystem::rename(made, path_, error);
  return error ? refuse(path_, error.value()) : Status();
}

std::string default_state_directory() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/davit";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/state/davit";
  return "";
}

}  // namespace davit::host
