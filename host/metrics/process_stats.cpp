#include "host/metrics/process_stats.hpp"

#include <dirent.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/take_until.hpp"
#include "lib/base/text_file.hpp"

// The status page takes some of these figures every second, also in a host that has nothing else to
// do. Plain system calls keep the streams and file system of the C++ library out of its resident
// memory.

namespace davit::host {
namespace {

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  while (!line.empty()) {
    if (const std::string_view word = take_until(line, " "); !word.empty()) found.push_back(word);
  }
  return found;
}

std::uint64_t number(const std::vector<std::string_view>& fields, std::size_t index) {
  std::uint64_t value = 0;
  if (index < fields.size()) {
    const std::string_view field = fields[index];
    std::from_chars(field.data(), field.data() + field.size(), value);
  }
  return value;
}

/// Whole seconds since 1970, as "btime" in /proc/stat, whose other lines cost the kernel time.
double boot_time() {
  timespec now{};
  timespec since_boot{};
  if (::clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
  if (::clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return 0;
  const bool borrows = now.tv_nsec < since_boot.tv_nsec;
  return static_cast<double>(now.tv_sec - since_boot.tv_sec - (borrows ? 1 : 0));
}

void read_stat(ProcessUse& stats) {
  const std::string text = read_text_file("/proc/self/stat").value_or("");
  // The program's name is in parentheses and may contain anything; fields are counted behind it,
  // from the third on.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return;
  const std::vector<std::string_view> fields = words(std::string_view(text).substr(name_end + 1));
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  stats.cpu_seconds = static_cast<double>(number(fields, 11) + number(fields, 12)) / ticks;
  stats.threads = number(fields, 17);
  stats.start_time_seconds = boot_time() + static_cast<double>(number(fields, 19)) / ticks;
  stats.virtual_bytes = number(fields, 20);
  stats.resident_bytes = number(fields, 21) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void read_network(ProcessStats& stats) {
  const std::string text = read_text_file("/proc/self/net/netstat").value_or("");
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view names = take_until(rest, "\n");
    const std::string_view values = take_until(rest, "\n");
    if (!names.starts_with("IpExt:")) continue;
    const std::vector<std::string_view> heads = words(names);
    const std::vector<std::string_view> fields = words(values);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (heads[i] == "InOctets") stats.received_bytes = number(fields, i);
      if (heads[i] == "OutOctets") stats.sent_bytes = number(fields, i);
    }
  }
}

/// The descriptors that are open, the one that counts them excepted.
std::uint64_t open_files() {
  struct Close {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  const std::unique_ptr<DIR, Close> directory(::opendir("/proc/self/fd"));
  if (directory == nullptr) return 0;
  std::uint64_t count = 0;
  while (const dirent* const each = ::readdir(directory.get())) {
    if (each->d_name[0] != '.') ++count;
  }
  return count > 0 ? count - 1 : 0;
}

double limit(int resource) {
  rlimit found{};
  return ::getrlimit(static_cast<__rlimit_resource_t>(resource), &found) == 0
             ? static_cast<double>(found.rlim_cur)
             : 0;
}

}  // namespace

ProcessUse read_process_use() {
  ProcessUse use;
  read_stat(use);
  const struct mallinfo2 heap = ::mallinfo2();
  use.allocated_bytes = heap.uordblks + heap.hblkhd;
  return use;
}

ProcessStats read_process_stats() {
  ProcessStats stats;
  static_cast<ProcessUse&>(stats) = read_process_use();
  read_network(stats);
  stats.virtual_bytes_max = limit(RLIMIT_AS);
  stats.open_files_max = limit(RLIMIT_NOFILE);
  stats.open_files = open_files();
  return stats;
}

}  // namespace davit::host
