#include "host/loading/trial.hpp"

#include <davit/abi.h>
#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <string_view>

#include "lib/base/child_process.hpp"
#include "lib/base/printable.hpp"
#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

/// A constructor gets as long as InitFuncs have by default.
constexpr std::chrono::seconds kTrialTimeMax{10};
constexpr std::size_t kOutputBytesMax = 4096;
constexpr int kRefused = 1;

[[noreturn]] void end_trial(const char* what) {
  (void)write_all(STDERR_FILENO, what == nullptr ? "cannot be opened" : what);
  ::_exit(kRefused);
}

/// Reads each row as check_table() does. The result keeps the compiler from leaving that out.
std::size_t read_rows(const davit_plugin& table) {
  constexpr std::size_t kRowsMax = 1000;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < table.row_count && i < kRowsMax && table.rows != nullptr; ++i) {
    const char* const at = reinterpret_cast<const char*>(table.rows) + i * table.row_size;
    const davit_str name = reinterpret_cast<const davit_row*>(at)->name;
    if (name.data == nullptr) continue;
    for (const char c : std::string_view(name.data, name.size)) bytes += c != '\0' ? 1 : 0;
  }
  return bytes;
}

}  // namespace

Status try_to_open(const std::filesystem::path& program, const std::filesystem::path& copy,
                   const NeededLibraries& needed) {
  ChildProcess::Program trial;
  trial.argv = {program.string(), kTrialArgument};
  for (const auto* const list : {&needed.mapped, &needed.to_open}) {
    for (const std::filesystem::path& each : *list) trial.argv.push_back(each.string());
  }
  trial.argv.push_back(copy.string());
  // The libraries were found without it.
  trial.environment = {{"LD_LIBRARY_PATH", ""}};
  Result<ChildProcess> child = ChildProcess::start(trial);
  if (!child) {
    return {Code::kUnavailable,
            "cannot first be opened in a separate process: " + child.error().message()};
  }
  std::string said;
  const auto end = std::chrono::steady_clock::now() + kTrialTimeMax;
  const ChildProcess::Read read = child->read_output(said, kOutputBytesMax, end);
  const bool ended = read == ChildProcess::Read::kAll && child->wait_until(end);
  if (!ended) child->kill();
  const ExitStatus status = child->reap();
  if (ended && status.ok()) return {};
  const std::string why = !ended               ? "does not return"
                          : status.signal != 0 ? "ends it: " + status.text()
                                               : "fails: " + printable(said);
  return {Code::kInvalid, "opening it in a separate process " + why};
}

void open_for_trial(const std::vector<std::string>& files) {
  ::prctl(PR_SET_DUMPABLE, 0);  // The plugin's file says more than a core file.
  void* plugin = nullptr;
  for (const std::string& each : files) {
    plugin = ::dlopen(each.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) end_trial(::dlerror());
  }
  if (plugin == nullptr) end_trial("nothing to open");
  using Entry = const davit_plugin* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(plugin, DAVIT_PLUGIN_SYMBOL));
  if (entry == nullptr) end_trial(::dlerror());
  const davit_plugin* const table = entry();
  const bool readable = table != nullptr && table->row_size >= sizeof(davit_row);
  if (readable && read_rows(*table) == 0) end_trial("its table names no controller");
  ::dlclose(plugin);
  ::_exit(0);
}

}  // namespace davit::host
