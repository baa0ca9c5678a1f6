#include "host/health/process_stats.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace davit::host {
namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> found;
  for (std::string word; in >> word;) found.push_back(std::move(word));
  return found;
}

std::uint64_t number(const std::vector<std::string>& fields, std::size_t index) {
  return index < fields.size() ? std::strtoull(fields[index].c_str(), nullptr, 10) : 0;
}

double boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("btime ")) return static_cast<double>(number(words(line), 1));
  }
  return 0;
}

void read_stat(ProcessStats& stats) {
  std::ifstream file("/proc/self/stat");
  std::string line;
  if (!std::getline(file, line)) return;
  // The program's name is in parentheses and may contain anything; fields are counted behind it,
  // from the third on.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return;
  const std::vector<std::string> fields = words(line.substr(name_end + 1));
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  stats.cpu_seconds = static_cast<double>(number(fields, 11) + number(fields, 12)) / ticks;
  stats.threads = number(fields, 17);
  stats.start_time_seconds = boot_time() + static_cast<double>(number(fields, 19)) / ticks;
  stats.virtual_bytes = number(fields, 20);
  stats.resident_bytes = number(fields, 21) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void read_network(ProcessStats& stats) {
  std::ifstream file("/proc/self/net/netstat");
  for (std::string names, values; std::getline(file, names) && std::getline(file, values);) {
    if (!names.starts_with("IpExt:")) continue;
    const std::vector<std::string> heads = words(names);
    const std::vector<std::string> fields = words(values);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if (heads[i] == "InOctets") stats.received_bytes = number(fields, i);
      if (heads[i] == "OutOctets") stats.sent_bytes = number(fields, i);
    }
  }
}

double limit(int resource) {
  rlimit found{};
  return ::getrlimit(static_cast<__rlimit_resource_t>(resource), &found) == 0
             ? static_cast<double>(found.rlim_cur)
             : 0;
}

}  // namespace

ProcessStats read_process_stats() {
  ProcessStats stats;
  read_stat(stats);
  read_network(stats);
  stats.virtual_bytes_max = limit(RLIMIT_AS);
  stats.open_files_max = limit(RLIMIT_NOFILE);
  std::error_code error;
  std::filesystem::directory_iterator files("/proc/self/fd", error);
  for (; !error && files != std::filesystem::directory_iterator(); files.increment(error)) {
    ++stats.open_files;
  }
  if (stats.open_files > 0) --stats.open_files;  // The one that was opened to count them.
  return stats;
}

}  // namespace davit::host
