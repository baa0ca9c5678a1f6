// Linked into each test program that declares SINGLE_THREADED (cmake/targets.cmake), which TSan
// leaves out because one thread has no data races. It replaces pthread_create, so a declaration
// that becomes wrong fails the test.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>

extern "C" int pthread_create(pthread_t* /*thread*/, const pthread_attr_t* /*attributes*/,
                              void* (*)(void*), void* /*argument*/) noexcept {
  std::fputs("A program that is declared SINGLE_THREADED starts a thread: see docs/TESTING.md\n",
             stderr);
  std::abort();
}
