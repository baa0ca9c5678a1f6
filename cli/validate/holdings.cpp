#include "cli/validate/holdings.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "lib/base/heap.hpp"

namespace davit::host {

Holdings Holdings::now() {
  Holdings out;
  trim_heap();
  const auto info = mallinfo2();
  out.heap = info.uordblks + info.hblkhd;
  std::error_code failed;
  for (std::filesystem::directory_iterator each("/proc/self/fd", failed), end;
       !failed && each != end; each.increment(failed)) {
    ++out.descriptors;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++out.mappings;
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0;
  constexpr std::size_t kPage = 4096;
  if (statm >> size >> out.resident) out.resident *= kPage;
  return out;
}

std::size_t steady_growth(const std::vector<Holdings>& rounds, std::size_t Holdings::*what) {
  std::size_t least = SIZE_MAX;
  for (std::size_t i = 1; i < rounds.size(); ++i) {
    const std::size_t before = rounds[i - 1].*what;
    const std::size_t after = rounds[i].*what;
    least = std::min(least, after > before ? after - before : 0);
  }
  return rounds.size() < 2 ? 0 : least;
}

}  // namespace davit::host
