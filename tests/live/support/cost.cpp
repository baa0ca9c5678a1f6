#include "tests/live/support/cost.hpp"

#include <unistd.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace davit::live {
namespace {

using std::chrono::steady_clock;

double status_number(pid_t pid, const std::string& field) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1));
  }
  return 0;
}

double status_mib(pid_t pid, const std::string& field) { return status_number(pid, field) / 1024; }

}  // namespace

Cost cost_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  // The name, in parentheses, may hold spaces; user and system ticks are the 12th and 13th field
  // after it.
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  Cost cost;
  cost.cpu_seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  cost.resident_mib = status_mib(pid, "VmRSS");
  cost.anonymous_mib = status_mib(pid, "RssAnon");
  cost.peak_mib = status_mib(pid, "VmHWM");
  cost.threads = static_cast<int>(status_number(pid, "Threads"));
  return cost;
}

Opened opened_by(pid_t pid) {
  Opened opened;
  std::error_code ignored;
  const std::filesystem::path folder = "/proc/" + std::to_string(pid) + "/fd";
  for (const auto& each : std::filesystem::directory_iterator(folder, ignored)) {
    ++opened.descriptors;
    const std::string what = std::filesystem::read_symlink(each.path(), ignored).string();
    if (what.starts_with("socket:")) ++opened.sockets;
  }
  return opened;
}

void forget_peak(pid_t pid) {
  std::ofstream("/proc/" + std::to_string(pid) + "/clear_refs") << "5";  // proc(5)
}

steady_clock::time_point wait_idle(pid_t pid, std::chrono::seconds limit,
                                   std::chrono::seconds quiet) {
  constexpr std::chrono::milliseconds kPollPeriod{100};
  const double almost_none = 0.015 * static_cast<double>(quiet.count());  // CPU seconds.
  const auto deadline = steady_clock::now() + limit;
  std::deque<std::pair<steady_clock::time_point, double>> samples;
  while (steady_clock::now() < deadline) {
    const auto now = steady_clock::now();
    samples.emplace_back(now, cost_of(pid).cpu_seconds);
    while (samples.size() > 1 && now - samples[1].first >= quiet) samples.pop_front();
    if (now - samples.front().first >= quiet &&
        samples.back().second - samples.front().second <= almost_none) {
      return samples.front().first;
    }
    std::this_thread::sleep_for(kPollPeriod);
  }
  return deadline;
}

}  // namespace davit::live
