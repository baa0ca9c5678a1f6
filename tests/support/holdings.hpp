/// The kernel resources of a process, from /proc.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

namespace davit::test {

/// Whether memory and maps tell of the program alone. A sanitizer keeps what was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsTheProgramsOwn = false;
#else
inline constexpr bool kMemoryIsTheProgramsOwn = true;
#endif

struct Holdings {
  int descriptors = 0;
  int threads = 0;
  int maps = 0;
  int libraries = 0;      ///< Maps of shared libraries.
  long resident_kib = 0;  ///< Pages of shared libraries included.
  /// Pages with no file behind them. The kernel may drop and reload the others at any time, and
  /// whether they are private changes when another process of the same program begins or ends.
  long anonymous_kib = 0;

  /// Counts for the process with that id, or for "self".
  [[nodiscard]] static Holdings of(const std::string& pid) {
    const std::filesystem::path process = "/proc/" + pid;
    Holdings held;
    held.descriptors = entries(process / "fd");
    held.threads = entries(process / "task");
    std::ifstream maps(process / "maps");
    for (std::string line; std::getline(maps, line); ++held.maps) {
      held.libraries += line.find(".so") != std::string::npos ? 1 : 0;
    }
    std::ifstream memory(process / "smaps_rollup");
    std::string name;
    std::getline(memory, name);  // The range of addresses.
    for (long kib = 0; memory >> name >> kib; memory.ignore(kLineMax, '\n')) {
      if (name == "Rss:") held.resident_kib = kib;
      if (name == "Anonymous:") held.anonymous_kib = kib;
    }
    return held;
  }

  friend std::ostream& operator<<(std::ostream& out, const Holdings& held) {
    return out << held.resident_kib << " KiB resident, " << held.anonymous_kib << " KiB anonymous, "
               << held.maps << " maps, " << held.descriptors << " descriptors, " << held.threads
               << " threads";
  }

 private:
  static constexpr int kLineMax = 200;
  static int entries(const std::filesystem::path& directory) {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(directory),
                                          std::filesystem::directory_iterator()));
  }
};

}  // namespace davit::test
