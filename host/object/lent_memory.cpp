#include "host/object/lent_memory.hpp"

#include <sys/mman.h>

namespace davit::host {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

Result<std::unique_ptr<LentMemory>> LentMemory::open() {
  void* const range =
      ::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return Status(Code::kUnavailable, "no addresses for lent memory");
  return std::make_unique<LentMemory>(Private{}, range);
}

LentMemory::~LentMemory() { ::munmap(begin_, kBytes); }

void* LentMemory::take(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  const std::size_t first = used_.fetch_add(size, std::memory_order_relaxed);
  if (first + size > kBytes) return nullptr;
  void* const memory = begin_ + first;
  return ::mprotect(memory, size, PROT_READ | PROT_WRITE) == 0 ? memory : nullptr;
}

void LentMemory::give_back(void* memory, std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  ::madvise(memory, size, MADV_DONTNEED);
  ::mprotect(memory, size, PROT_NONE);
}

}  // namespace davit::host
