#include "host/loading/elf_findings.hpp"

#include <davit/abi.h>

#include <algorithm>

namespace davit::host {
namespace {

/// Symbols that some linkers export from every library.
constexpr std::string_view kLinkerSymbols[] = {"_init",  "_fini",       "_edata", "_end",
                                               "_etext", "__bss_start", "__end__"};

struct ImportRule {
  std::string_view symbol;
  std::string_view id;
  std::string_view text;
};

/// The imports of a plugin show what it may do. The reasons are in
/// docs/decisions/007-judging-plugins.md.
constexpr ImportRule kImportRules[] = {
    {"__cxa_thread_atexit", "thread-local-destructor",
     "has a thread_local with a destructor: stays in memory while a thread that used it lives"},
    {"__cxa_thread_atexit_impl", "thread-local-destructor",
     "has a thread_local with a destructor: stays in memory while a thread that used it lives"},
    {"pthread_create", "thread", "may start threads: leave threads to the host (queues, timers)"},
    {"thrd_create", "thread", "may start threads: leave threads to the host (queues, timers)"},
    {"_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
     "thread", "may start threads: leave threads to the host (queues, timers)"},
    {"pthread_key_create", "thread-key",
     "creates thread-specific data; its destructor would run after the library is unloaded"},
    {"tss_create", "thread-key",
     "creates thread-specific data; its destructor would run after the library is unloaded"},
    {"atexit", "atexit", "registers exit handlers: clean up in destroy() instead"},
    {"on_exit", "atexit", "registers exit handlers: clean up in destroy() instead"},
    {"at_quick_exit", "atexit", "registers exit handlers: clean up in destroy() instead"},
    {"__cxa_at_quick_exit", "atexit", "registers exit handlers: clean up in destroy() instead"},
    {"signal", "signal", "may install signal handlers: signals belong to the host"},
    {"sigaction", "signal", "may install signal handlers: signals belong to the host"},
    {"__sysv_signal", "signal", "may install signal handlers: signals belong to the host"},
    {"bsd_signal", "signal", "may install signal handlers: signals belong to the host"},
};

void judge_exports(const ElfFile& elf, std::vector<Finding>& out) {
  std::string extra;
  std::string unique;
  bool entry = false;
  int count = 0;
  for (const ElfSymbol& symbol : elf.exports) {
    if (symbol.name == DAVIT_PLUGIN_SYMBOL) {
      entry = true;
    } else if (std::find(std::begin(kLinkerSymbols), std::end(kLinkerSymbols), symbol.name) ==
               std::end(kLinkerSymbols)) {
      constexpr int kNamed = 3;
      if (++count <= kNamed) extra += (extra.empty() ? "" : ", ") + symbol.name;
    }
    if (symbol.binding == ElfSymbol::Binding::kUnique && unique.empty()) unique = symbol.name;
  }
  if (!entry) {
    out.push_back({Grade::kRefused, "no-entry",
                   "does not export " DAVIT_PLUGIN_SYMBOL
                   "(): it is not a davit plugin, or its entry "
                   "point is hidden"});
  }
  if (count > 0) {
    const std::string more = count > 3 ? " and " + std::to_string(count - 3) + " more" : "";
    out.push_back({Grade::kRefused, "exports",
                   "exports " + extra + more +
                       " besides " DAVIT_PLUGIN_SYMBOL
                       ": link it with a version script, as davit_plugin() does"});
  }
  if (!unique.empty()) {
    out.push_back({Grade::kLoadOnce, "gnu-unique",
                   "has the unique symbol " + unique +
                       ", which keeps it in memory: compile with -fno-gnu-unique"});
  }
}

/// Refuses other places where the loader would look for code that was never judged.
void judge_libraries(const ElfFile& elf, std::vector<Finding>& out) {
  if (!elf.run_paths.empty()) {
    out.push_back(
        {Grade::kRefused, "run-path",
         "looks for libraries in " + elf.run_paths.front() +
             " (RPATH or RUNPATH), where nothing is checked: link it without -rpath "
             "(CMake: SKIP_BUILD_RPATH, no INSTALL_RPATH), and what it needs statically"});
  }
  const auto by_path = std::find_if(elf.needed.begin(), elf.needed.end(), [](const auto& name) {
    return name.find('/') != std::string::npos || name.empty();
  });
  if (by_path == elf.needed.end()) return;
  out.push_back({Grade::kRefused, "needed-path",
                 "needs the library " + (by_path->empty() ? "\"\"" : *by_path) +
                     " by its path, which is not checked: link that library statically"});
}

}  // namespace

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::kSwappable:
      return "swappable";
    case Grade::kLoadOnce:
      return "load-once";
    case Grade::kRefused:
      return "refused";
  }
  return "refused";
}

std::vector<Finding> judge(const ElfFile& elf) {
  std::vector<Finding> out;
  if (elf.machine != own_machine()) {
    out.push_back({Grade::kRefused, "machine",
                   "is built for " + machine_name(elf.machine) + ", this host is " +
                       machine_name(own_machine())});
  }
  judge_exports(elf, out);
  judge_libraries(elf, out);
  if (elf.text_relocations) {
    out.push_back({Grade::kRefused, "text-relocations",
                   "has text relocations: compile everything in it with -fPIC"});
  }
  if (elf.executable_stack) {
    out.push_back({Grade::kRefused, "executable-stack",
                   "needs an executable stack: assemble with -Wa,--noexecstack and use no nested "
                   "functions"});
  }
  if (elf.static_tls) {
    out.push_back(
        {Grade::kLoadOnce, "static-tls",
         "uses static thread-local storage, which does not fit twice: do not compile with "
         "-ftls-model=initial-exec"});
  }
  if (elf.no_delete) {
    out.push_back({Grade::kLoadOnce, "no-delete",
                   "is marked to stay in memory: link it without -z nodelete"});
  }
  if (elf.own_cxx_runtime) {
    out.push_back(
        {Grade::kSwappable, "static-cxx-runtime",
         "contains its own C++ runtime, which every build brings again; its exceptions and "
         "locales are not the host's: link it without -static-libstdc++"});
  }
  if (elf.go_runtime) {
    out.push_back(
        {Grade::kLoadOnce, "go-runtime", "contains a Go runtime, which cannot leave a process"});
  }
  for (const ImportRule& rule : kImportRules) {
    const bool known = std::any_of(out.begin(), out.end(),
                                   [&](const Finding& finding) { return finding.id == rule.id; });
    if (known || !elf.imports_symbol(rule.symbol)) continue;
    out.push_back({Grade::kLoadOnce, std::string(rule.id), std::string(rule.text)});
  }
  return out;
}

Grade overall(const std::vector<Finding>& findings) {
  Grade worst = Grade::kSwappable;
  for (const Finding& finding : findings) worst = std::max(worst, finding.grade);
  return worst;
}

}  // namespace davit::host
