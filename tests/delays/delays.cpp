/// A library to preload: it delays davit's programs and tests at random, where another thread could
/// have run: around locks, futex calls, polls, sends and receives. `scripts/delays` says how to use
/// it. A test that passes without and fails with it depends on timing.
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

/// Everything is constant after the constructor, which runs before the program has other threads.
struct Settings {
  bool is_on = false;
  std::uint64_t seed = 1;
  std::uint64_t one_lock_of = 400;
  std::uint64_t one_transfer_of = 20;
  std::uint64_t microseconds_max = 10'000;
};
Settings settings;

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  const std::uint64_t read = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
  return read == 0 ? otherwise : read;
}

/// Programs that are not davit's, such as an interpreter that starts one, keep their pace.
bool is_davit() {
  char path[4096] = {};
  if (readlink("/proc/self/exe", path, sizeof(path) - 1) <= 0) return false;
  const char* const slash = std::strrchr(path, '/');
  const char* const name = slash == nullptr ? path : slash + 1;
  return std::strncmp(name, "davit", 5) == 0 || std::strstr(name, "_test") != nullptr;
}

__attribute__((constructor)) void read_settings() {
  settings.seed = number("DAVIT_DELAYS_SEED", 1);
  settings.one_lock_of = number("DAVIT_DELAYS_LOCKS", settings.one_lock_of);
  settings.one_transfer_of = number("DAVIT_DELAYS_TRANSFERS", settings.one_transfer_of);
  settings.microseconds_max = number("DAVIT_DELAYS_MICROSECONDS", settings.microseconds_max);
  settings.is_on = is_davit();
}

/// Sleeps in one of `one_of` calls.
void maybe_delay(std::uint64_t one_of) {
  if (!settings.is_on) return;
  thread_local std::uint64_t state = 0;
  if (state == 0) {
    const auto thread = static_cast<std::uint64_t>(syscall(SYS_gettid));
    state = (settings.seed * 0x9E3779B97F4A7C15U) ^ (thread * 0xBF58476D1CE4E5B9U) ^ 1U;
  }
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  if ((state >> 20U) % one_of != 0) return;
  const auto microseconds = static_cast<long>((state >> 33U) % settings.microseconds_max);
  const timespec length = {microseconds / 1'000'000, microseconds % 1'000'000 * 1000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr);
}

/// The function of that name which this library covers.
template <typename Function>
Function* covered(Function* /*own*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

template <typename Function, typename... Arguments>
auto delayed_transfer(Function* function, Arguments... arguments) {
  maybe_delay(settings.one_transfer_of);
  const auto result = function(arguments...);
  maybe_delay(settings.one_transfer_of);
  return result;
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const function = covered(&pthread_mutex_lock, "pthread_mutex_lock");
  maybe_delay(settings.one_lock_of);
  return function(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static auto* const function = covered(&pthread_mutex_unlock, "pthread_mutex_unlock");
  const int result = function(mutex);
  maybe_delay(settings.one_lock_of);
  return result;
}

ssize_t send(int socket, const void* bytes, size_t size, int flags) {
  static auto* const function = covered(&send, "send");
  return delayed_transfer(function, socket, bytes, size, flags);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static auto* const function = covered(&sendmsg, "sendmsg");
  return delayed_transfer(function, socket, message, flags);
}

ssize_t recv(int socket, void* bytes, size_t size, int flags) {
  static auto* const function = covered(&recv, "recv");
  return delayed_transfer(function, socket, bytes, size, flags);
}

ssize_t recvmsg(int socket, msghdr* message, int flags) {
  static auto* const function = covered(&recvmsg, "recvmsg");
  return delayed_transfer(function, socket, message, flags);
}

int epoll_wait(int poll, epoll_event* events, int count, int timeout) {
  static auto* const function = covered(&epoll_wait, "epoll_wait");
  return delayed_transfer(function, poll, events, count, timeout);
}

int poll(pollfd* descriptors, nfds_t count, int timeout) {
  static auto* const function = covered(&poll, "poll");
  return delayed_transfer(function, descriptors, count, timeout);
}

/// lib/base waits and wakes by futex calls.
long syscall(long name, ...) noexcept {
  static auto* const function = covered(&syscall, "syscall");
  va_list list;
  va_start(list, name);
  long argument[6];
  for (long& each : argument) each = va_arg(list, long);
  va_end(list);
  const bool is_futex = name == SYS_futex;
  if (is_futex) maybe_delay(settings.one_lock_of);
  const long result =
      function(name, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
  if (is_futex) maybe_delay(settings.one_lock_of);
  return result;
}

}  // extern "C"
