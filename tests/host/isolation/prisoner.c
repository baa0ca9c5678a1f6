/* The attempts of a plugin in a locked process. This is not a plugin: `attempt` tries one thing by
 * its name, and returns 0 if it could, else errno. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int of(long result) { return result < 0 ? errno : 0; }

static int end_at_once(void* argument) { return argument == NULL ? 0 : 1; }

/* By C11's functions: those of pthread are the test's, which forbids threads. */
static int start_a_thread(void) {
  thrd_t thread;
  if (thrd_create(&thread, end_at_once, NULL) != thrd_success) return errno;
  int result = -1;
  return thrd_join(thread, &result) == thrd_success ? result : -1;
}

static int map(int protection) {
  void* const memory = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? errno : 0;
}

static int make_data_executable(void) {
  void* const memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? -1 : of(mprotect(memory, 4096, PROT_READ | PROT_EXEC));
}

static int read_the_parent(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {&byte, 1};
  return of(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static int run_a_program(void) {
  char* const arguments[] = {"true", NULL};
  return of(execve("/usr/bin/true", arguments, NULL));
}

static int raise_a_limit(void) {
  const struct rlimit more = {65536, 65536};
  return of(setrlimit(RLIMIT_NOFILE, &more));
}

static int own_the_signals(void) { return of(fcntl(1, F_SETOWN, getppid())); }

static int push_input(void) {
  char byte = 'x';
  return of(ioctl(1, TIOCSTI, &byte));
}

/* With a socket that is not there: EBADF would say that the kernel had looked at it. */
static int send_fast_open(void) {
  struct sockaddr address = {AF_INET, {0}};
  return of(sendto(-1, "x", 1, MSG_FASTOPEN, &address, sizeof address));
}

static int pair_of(int family) {
  int ends[2];
  return of(socketpair(family, SOCK_STREAM, 0, ends));
}

static int allocate(void) {
  void* const memory = malloc(8 << 20);
  if (memory == NULL) return ENOMEM;
  memset(memory, 1, 8 << 20);
  free(memory);
  return 0;
}

static int list(const char* folder) {
  DIR* const opened = opendir(folder);
  return opened == NULL ? errno : closedir(opened);
}

static int call(long number) { return of(syscall(number, 0, 0, 0, 0, 0, 0)); }

#define TRY(name, expression) \
  if (strcmp(what, name) == 0) return (expression)

__attribute__((visibility("default"))) int attempt(const char* what) {
  TRY("read a system file", of(open("/etc/passwd", O_RDONLY)));
  TRY("list the root", list("/"));
  TRY("list libraries", list("/usr/lib"));
  TRY("write a file", of(open("/var/davit-prisoner", O_WRONLY | O_CREAT, 0600)));
  TRY("read processes", list("/proc"));
  TRY("run a program", run_a_program());
  TRY("fork", of(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)));
  TRY("clone3", of(syscall(SYS_clone3, NULL, 0)));
  TRY("start a thread", start_a_thread());
  TRY("be traced", of(ptrace(PTRACE_TRACEME, 0, 0, 0)));
  TRY("read the parent", read_the_parent());
  TRY("signal the parent", of(kill(getppid(), 0)));
  TRY("signal everyone", of(kill(-1, 0)));
  TRY("signal itself", of(kill(getpid(), 0)));
  TRY("be dumpable", of(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)));
  TRY("see that it is dumpable", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 ? EPERM : 0);
  TRY("raise a limit", raise_a_limit());
  TRY("INET socket", of(socket(AF_INET, SOCK_STREAM, 0)));
  TRY("INET6 socket", of(socket(AF_INET6, SOCK_DGRAM, 0)));
  TRY("UNIX socket", of(socket(AF_UNIX, SOCK_STREAM, 0)));
  TRY("netlink socket", of(socket(AF_NETLINK, SOCK_RAW, 0)));
  TRY("connect", of(connect(-1, NULL, 0)));
  TRY("bind", of(bind(-1, NULL, 0)));
  TRY("listen", of(listen(-1, 1)));
  TRY("fast open", send_fast_open());
  TRY("pair of UNIX sockets", pair_of(AF_UNIX));
  TRY("pair of VSOCK sockets", pair_of(AF_VSOCK));
  TRY("writable code", map(PROT_READ | PROT_WRITE | PROT_EXEC));
  TRY("data to code", make_data_executable());
  TRY("memory", map(PROT_READ | PROT_WRITE));
  TRY("file in memory", of(memfd_create("code", 0)));
  TRY("own signals", own_the_signals());
  TRY("push input", push_input());
  TRY("unshare", of(unshare(CLONE_NEWUSER)));
  TRY("io_uring", call(SYS_io_uring_setup));
  TRY("bpf", call(SYS_bpf));
  TRY("userfaultfd", call(SYS_userfaultfd));
  TRY("perf", call(SYS_perf_event_open));
  TRY("mount", call(SYS_mount));
  TRY("keys", call(SYS_keyctl));
  TRY("pidfd", call(SYS_pidfd_open));
  TRY("handles", call(SYS_open_by_handle_at));
  TRY("set a user", of(syscall(SYS_setuid, 0)));
  TRY("allocate", allocate());
  TRY("tell the time", of(time(NULL)));
  return -1;
}

/* How many descriptors below 1024 are open. */
__attribute__((visibility("default"))) int descriptors(void) {
  int count = 0;
  for (int each = 0; each < 1024; ++each) count += fcntl(each, F_GETFD) >= 0;
  return count;
}
