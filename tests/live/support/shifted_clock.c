/* Preloaded into a program under test: shifts its wall clock by the seconds that the file named by
 * DAVIT_TEST_WALL_CLOCK holds, whenever they change. Nothing else moves, as when an administrator
 * sets the clock. libfaketime can do this and much more, and would be one more package. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const _Atomic long long* shift_seconds; /* Set before main; NULL: not shifted. */

__attribute__((constructor)) static void open_shift(void) {
  const char* file = getenv("DAVIT_TEST_WALL_CLOCK");
  if (file == NULL) return;
  const int fd = open(file, O_RDONLY | O_CLOEXEC);
  void* page = mmap(NULL, sizeof *shift_seconds, PROT_READ, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) abort(); /* The test would show nothing. */
  close(fd);
  shift_seconds = page;
}

static time_t shift(void) { return shift_seconds == NULL ? 0 : (time_t)atomic_load(shift_seconds); }

int clock_gettime(clockid_t clock, struct timespec* out) {
  const long result = syscall(SYS_clock_gettime, clock, out);
  const int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (result == 0 && is_wall) out->tv_sec += shift();
  return (int)result;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  const long result = syscall(SYS_gettimeofday, out, zone);
  if (result == 0) out->tv_sec += shift();
  return (int)result;
}

time_t time(time_t* out) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return (time_t)-1;
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}
