#include "host/loading/needed_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <davit/mutant.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "host/loading/elf_machine.hpp"
#include "host/loading/staging.hpp"
#include "lib/base/file_trust.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/text_file.hpp"

namespace davit::host {
namespace {

/// More than any plugin brings.
constexpr std::size_t kLibrariesMax = 200;

/// The libraries that compilers of C, C++ and Rust link without being asked.
constexpr std::string_view kRuntimes[] = {"ld-linux-x86-64.so.2",
                                          "ld-linux-aarch64.so.1",
                                          "ld-linux-riscv64-lp64d.so.1",
                                          "ld64.so.2",
                                          "libatomic.so.1",
                                          "libc.so.6",
                                          "libdl.so.2",
                                          "libgcc_s.so.1",
                                          "libm.so.6",
                                          "libpthread.so.0",
                                          "librt.so.1",
                                          "libstdc++.so.6"};

std::vector<std::filesystem::path> system_folders() {
  return {std::filesystem::path("/usr/lib") / kTriplet,
          std::filesystem::path("/lib") / kTriplet,
          "/usr/lib64",
          "/lib64",
          "/usr/lib",
          "/lib"};
}

std::vector<std::filesystem::path> environment_folders() {
  const char* const value = std::getenv("LD_LIBRARY_PATH");
  std::vector<std::filesystem::path> out;
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    // ld.so takes both marks, and the working directory for an empty name.
    const std::size_t mark = rest.find_first_of(":;");
    const std::string_view folder = rest.substr(0, mark);
    out.emplace_back(folder.empty() ? "." : folder);
    rest = mark == std::string_view::npos ? "" : rest.substr(mark + 1);
  }
  return out;
}

/// The path of a library that this process has, by a name that ld.so knows it by.
std::optional<std::filesystem::path> mapped_path(const std::string& name) {
  void* const handle = ::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return std::nullopt;
  link_map* map = nullptr;
  const bool known = ::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0;
  const std::filesystem::path path = known ? map->l_name : "";
  ::dlclose(handle);  // This process still has it.
  return path;
}

/// The folders of a host that requires no signatures.
std::vector<std::filesystem::path> all_folders() {
  std::vector<std::filesystem::path> folders = environment_folders();
  for (std::filesystem::path& each : system_folders()) folders.push_back(std::move(each));
  return folders;
}

/// Whether ld.so's cache of further folders has a library of that name. True if it cannot be read.
bool is_in_cache(const std::string& name) {
  const Result<std::string> cache = read_text_file(std::string("/etc/ld.so.cache"));
  if (!cache) return true;
  return lists_library(*cache, name);
}

bool is_on_this_machine(const std::string& name) {
  const std::vector<std::filesystem::path> folders = all_folders();
  std::error_code ignored;
  return std::ranges::any_of(
             folders,
             [&](const auto& each) { return std::filesystem::exists(each / name, ignored); }) ||
         is_in_cache(name);
}

/// Libraries for which each version that they define is a symbol, too, whose value is 0. Not all
/// linkers make these.
constexpr std::string_view kVersioned[] = {"libc.so.6", "libm.so.6", "libstdc++.so.6"};

bool has_version(const ElfVersion& version) {
  if (std::ranges::find(kVersioned, version.library) == std::end(kVersioned)) return true;
  void* const handle = ::dlopen(version.library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return true;  // Not here; judged when it is opened.
  ::dlerror();
  (void)::dlsym(handle, version.version.c_str());
  const bool is_here = ::dlerror() == nullptr;
  ::dlclose(handle);  // This process still has it.
  return is_here;
}

class Search {
 public:
  explicit Search(const SignatureSettings& settings)
      : settings_(settings), strict_(settings.are_required()) {}

  /// Adds what `library` needs, and what that needs.
  Status add_needs_of(const ElfFile& library);
  NeededLibraries found;

 private:
  Status add(const std::string& name);
  Status add_file(const std::string& name, const std::filesystem::path& path);
  [[nodiscard]] bool is_listed(const std::string& name) const {
    return std::ranges::find(kRuntimes, name) != std::end(kRuntimes) ||
           std::ranges::find(settings_.libraries, name) != settings_.libraries.end();
  }

  const SignatureSettings& settings_;
  const bool strict_;
  std::set<std::string> seen_;
};

Status Search::add_needs_of(const ElfFile& library) {
  for (const std::string& name : library.needed) {
    if (!seen_.insert(name).second) continue;
    if (seen_.size() > kLibrariesMax) return {Code::kForbidden, "needs too many libraries"};
    if (Status s = add(name); !s.ok()) return s;
  }
  return {};
}

Status Search::add(const std::string& name) {
  if (const std::optional<std::filesystem::path> path = mapped_path(name)) {
    found.mapped.push_back(*path);
    return {};
  }
  if (strict_ && !is_listed(name)) {
    return {Code::kForbidden, "needs the library " + name +
                                  ", which no signature covers: link it statically, or name it in "
                                  "pluginSignatures.libraries"};
  }
  const std::vector<std::filesystem::path> folders = strict_ ? system_folders() : all_folders();
  for (const std::filesystem::path& folder : folders) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / name, ignored)) return add_file(name, folder / name);
  }
  if (!strict_) return {};  // The loader's cache, which belongs to root, may know it.
  return {Code::kNotFound, "needs the library " + name + ", which no folder of the system has"};
}

Status Search::add_file(const std::string& name, const std::filesystem::path& path) {
  const std::string what = "needs the library " + path.string() + ": ";
  if (Status s = check_trust(path); !s.ok()) return {s.code(), what + s.message()};
  const Result<TrustedFile> file = read_plugin_file(path);
  if (!file) return file.error();
  const Result<ElfFile> elf = read_elf(file->content);
  if (!elf) return {elf.error().code(), what + elf.error().message()};
  if (strict_ && !elf->run_paths.empty()) {
    return {Code::kForbidden, what + "it looks for libraries in " + elf->run_paths.front()};
  }
  // ld.so would look again for a library that it does not know by the name that is needed.
  if (strict_ && elf->soname != name) {
    return {Code::kForbidden, what + "it calls itself \"" + elf->soname + "\""};
  }
  if (Status s = add_needs_of(*elf); !s.ok()) return s;
  found.to_open.push_back(path);
  return {};
}

}  // namespace

bool lists_library(std::string_view cache, const std::string& name) {
  const std::string entry = name + std::string(1, '\0');
  for (auto at = cache.find(entry); at != cache.npos; at = cache.find(entry, at + 1)) {
    if (at > 0 && (cache[at - 1] == '/' || cache[at - 1] == '\0')) return true;
  }
  return false;
}

std::vector<Finding> judge_needs(const ElfFile& plugin) {
  std::vector<Finding> out;
  for (const std::string& name : plugin.needed) {
    if (name.find('/') != std::string::npos || mapped_path(name) || is_on_this_machine(name)) {
      continue;
    }
    out.push_back({Grade::kRefused, "missing-library",
                   "needs the library " + name +
                       ", which this machine lacks: install it, or link it statically"});
  }
  for (const ElfVersion& each : plugin.versions) {
    if (has_version(each)) continue;
    out.push_back({Grade::kRefused, "missing-version",
                   "needs " + each.version + " of " + each.library +
                       ", which is older here: build it on the oldest system that must run it"});
  }
  return out;
}

Result<NeededLibraries> find_needed(const ElfFile& plugin, const SignatureSettings& settings) {
  if (mutant("needed-libraries")) return NeededLibraries();
  Search search(settings);
  if (Status s = search.add_needs_of(plugin); !s.ok()) return s;
  return std::move(search.found);
}

}  // namespace davit::host
