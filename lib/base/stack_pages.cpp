#include "lib/base/stack_pages.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace davit {
namespace {

/// Below the frame that asks: what it calls, and the red zone, which leaf functions use unannounced
/// (System V ABI for AMD64, 3.2.2).
constexpr std::uintptr_t kKeptBytes = 1024;

/// The lowest address of the calling thread's stack; 0 if it is unknown.
std::uintptr_t stack_begin() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* begin = nullptr;
  std::size_t size = 0;
  const int failed = pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  return failed != 0 ? 0 : reinterpret_cast<std::uintptr_t>(begin);
}

}  // namespace

void release_stack_pages() {
  if (getpid() == gettid()) return;
  static thread_local const std::uintptr_t begin = stack_begin();
  if (begin == 0) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t end = (here - kKeptBytes) & ~(page - 1);
  if (end > begin) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace davit
