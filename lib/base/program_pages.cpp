#include "lib/base/program_pages.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "lib/base/unique_fd.hpp"

namespace davit {
namespace {

// An entry of /proc/PID/pagemap (Linux, Documentation/admin-guide/mm/pagemap.rst).
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
constexpr std::uint64_t kSwapped = std::uint64_t{1} << 62;
constexpr std::uint64_t kOfFile = std::uint64_t{1} << 61;

struct Pages {
  int pagemap;
  std::uintptr_t size;
};

/// Whether the page is the process's own, no longer the file's.
bool is_written(std::uint64_t entry) {
  return (entry & kSwapped) != 0 || ((entry & kPresent) != 0 && (entry & kOfFile) == 0);
}

bool is_as_in_file(const Pages& pages, std::uintptr_t begin, std::uintptr_t end) {
  std::array<std::uint64_t, 512> entries;
  std::uintptr_t page = begin / pages.size;
  for (std::uintptr_t rest = end / pages.size - page; rest > 0;) {
    const std::uintptr_t count = std::min<std::uintptr_t>(rest, entries.size());
    const auto bytes = static_cast<ssize_t>(count * sizeof(std::uint64_t));
    const auto offset = static_cast<off_t>(page * sizeof(std::uint64_t));
    if (pread(pages.pagemap, entries.data(), static_cast<std::size_t>(bytes), offset) != bytes) {
      return false;
    }
    if (std::any_of(entries.begin(), entries.begin() + count, is_written)) return false;
    page += count;
    rest -= count;
  }
  return true;
}

/// Segments without PF_W only: the loader writes to the others, also to those that it makes
/// read-only afterwards (RELRO).
int release(dl_phdr_info* object, std::size_t, void* context) {
  const Pages& pages = *static_cast<const Pages*>(context);
  // The headers stand in the first segment: to read them after its release would bring 16 pages of
  // each file back.
  const std::vector<ElfW(Phdr)> segments(object->dlpi_phdr, object->dlpi_phdr + object->dlpi_phnum);
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t at = object->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t begin = at & ~(pages.size - 1);
    const std::uintptr_t end = (at + segment.p_filesz + pages.size - 1) & ~(pages.size - 1);
    if (!is_as_in_file(pages, begin, end)) continue;
    // Refused for locked memory, which is to stay.
    (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void release_program_pages() {
  const UniqueFd pagemap(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (!pagemap.valid()) return;
  Pages pages{pagemap.get(), static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE))};
  dl_iterate_phdr(release, &pages);
}

}  // namespace davit
