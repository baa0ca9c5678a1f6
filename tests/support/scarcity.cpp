#include "tests/support/scarcity.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <new>

namespace davit::test {
namespace {

constexpr std::size_t kPlenty = std::numeric_limits<std::size_t>::max();

thread_local std::size_t allocations_left = kPlenty;
thread_local bool allocation_failed = false;
thread_local std::size_t threads_left = kPlenty;
thread_local std::size_t threads_wanted = 0;

}  // namespace

NoMemory::NoMemory(std::size_t after) {
  allocation_failed = false;
  allocations_left = after;
}
NoMemory::~NoMemory() { allocations_left = kPlenty; }
bool NoMemory::was_felt() const { return allocation_failed; }

NoThreads::NoThreads(std::size_t after) {
  threads_wanted = 0;
  threads_left = after;
}
NoThreads::~NoThreads() { threads_left = kPlenty; }
std::size_t NoThreads::wanted() const { return threads_wanted; }

}  // namespace davit::test

void* operator new(std::size_t size) {
  using davit::test::allocations_left;
  if (allocations_left == 0) {
    davit::test::allocation_failed = true;
    throw std::bad_alloc();
  }
  if (allocations_left != davit::test::kPlenty) --allocations_left;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// A sanitizer has one of its own for this form, which does not match the delete below.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  if (davit::test::allocations_left == 0) {
    davit::test::allocation_failed = true;
    return nullptr;
  }
  if (davit::test::allocations_left != davit::test::kPlenty) --davit::test::allocations_left;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) noexcept {
  if (davit::test::threads_left == 0) {
    ++davit::test::threads_wanted;
    return EAGAIN;
  }
  if (davit::test::threads_left != davit::test::kPlenty) --davit::test::threads_left;
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const Create create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  return create(thread, attributes, body, argument);
}
