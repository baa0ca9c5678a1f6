#include "host/isolation/system_calls.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <davit/mutant.hpp>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

namespace davit::host {
namespace {

using Calls = std::vector<const char*>;
using Conditions = std::vector<scmp_arg_cmp>;

/// With any arguments. A name that this machine does not have is left out.
const Calls& allowed_calls() {
  static const Calls kCalls = {
      // Memory. mmap and mprotect have conditions.
      "brk", "madvise", "membarrier", "mincore", "mlock", "mlock2", "mremap", "munlock", "munmap",
      // Threads. clone has a condition.
      "exit", "exit_group", "futex", "futex_waitv", "get_robust_list", "getcpu", "gettid", "rseq",
      "sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity", "sched_getparam",
      "sched_getscheduler", "sched_yield", "set_robust_list", "set_tid_address",
      // Signals. Those that send one have conditions.
      "pause", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn",
      "rt_sigsuspend", "rt_sigtimedwait", "sigaltstack",
      // Time.
      "clock_getres", "clock_gettime", "clock_nanosleep", "getitimer", "gettimeofday", "nanosleep",
      "setitimer", "time", "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime",
      "timer_settime", "timerfd_create", "timerfd_gettime", "timerfd_settime", "times",
      // Descriptors. fcntl and ioctl have conditions.
      "close", "close_range", "dup", "dup2", "dup3", "epoll_create", "epoll_create1", "epoll_ctl",
      "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "lseek", "pipe", "pipe2",
      "poll", "ppoll", "pread64", "preadv", "preadv2", "pselect6", "pwrite64", "pwritev",
      "pwritev2", "read", "readv", "select", "write", "writev",
      // Files: landlock says which.
      "access", "faccessat", "faccessat2", "fstat", "fstatfs", "getcwd", "getdents64", "lstat",
      "newfstatat", "open", "openat", "openat2", "readlink", "readlinkat", "stat", "statfs",
      "statx",
      // Sockets that are connected. Those that name another address have conditions.
      "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmsg", "setsockopt", "shutdown",
      // Facts about the process.
      "getegid", "geteuid", "getgid", "getgroups", "getpgrp", "getpid", "getppid", "getrandom",
      "getresgid", "getresuid", "getrlimit", "getrusage", "getsid", "getuid", "sysinfo", "uname"};
  return kCalls;
}

/// They fail with EPERM, which says more than the ENOSYS of calls that the list does not know.
const Calls& forbidden_calls() {
  static const Calls kCalls = {"accept",
                               "accept4",
                               "add_key",
                               "bind",
                               "bpf",
                               "chroot",
                               "connect",
                               "execve",
                               "execveat",
                               "fork",
                               "io_uring_setup",
                               "keyctl",
                               "listen",
                               "memfd_create",
                               "mount",
                               "perf_event_open",
                               "pidfd_getfd",
                               "pidfd_open",
                               "pidfd_send_signal",
                               "pivot_root",
                               "process_vm_readv",
                               "process_vm_writev",
                               "ptrace",
                               "request_key",
                               "rt_sigqueueinfo",
                               "sendmmsg",
                               "setns",
                               "socket",
                               "tkill",
                               "umount2",
                               "unshare",
                               "userfaultfd",
                               "vfork"};
  return kCalls;
}

struct ReleaseFilter {
  void operator()(void* filter) const { seccomp_release(filter); }
};

/// Adds rules to a filter; the first that fails is kept.
class FilterRules {
 public:
  FilterRules() : filter_(seccomp_init(SCMP_ACT_ERRNO(ENOSYS))) {
    if (filter_ == nullptr) code_ = ENOMEM;
  }

  void allow(const char* call, const Conditions& conditions = {}) {
    add(SCMP_ACT_ALLOW, call, conditions);
  }
  void forbid(const char* call, const Conditions& conditions = {}) {
    add(SCMP_ACT_ERRNO(EPERM), call, conditions);
  }
  void set(scmp_filter_attr attribute, std::uint32_t value) {
    if (code_ == 0) code_ = -seccomp_attr_set(filter_.get(), attribute, value);
  }
  /// 0, or why the kernel does not have the filter.
  [[nodiscard]] int load() {
    if (code_ == 0) code_ = -seccomp_load(filter_.get());
    return code_;
  }

 private:
  void add(std::uint32_t action, const char* call, const Conditions& conditions) {
    const int number = seccomp_syscall_resolve_name(call);
    if (code_ != 0 || number == __NR_SCMP_ERROR) return;
    code_ = -seccomp_rule_add_array(filter_.get(), action, number,
                                    static_cast<unsigned>(conditions.size()), conditions.data());
  }

  std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, ReleaseFilter> filter_{nullptr};
  int code_ = 0;
};

using Argument = unsigned;

scmp_arg_cmp equals(Argument argument, std::uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}
/// The bits of `mask` have this value; the kernel may ignore the others, or not.
scmp_arg_cmp has_bits(Argument argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

/// Nothing that was written becomes code. A file that is mapped as code can only be a system
/// library: the process can write no file.
void add_memory_rules(FilterRules& rules) {
  constexpr Argument kProtection = 2;
  rules.allow("mmap", {has_bits(kProtection, PROT_WRITE, 0)});
  rules.allow("mmap", {has_bits(kProtection, PROT_WRITE | PROT_EXEC, PROT_WRITE)});
  rules.allow("mprotect", {has_bits(kProtection, PROT_EXEC, 0)});
  if (mutant("data-to-code")) rules.allow("mprotect");
}

void add_process_rules(FilterRules& rules) {
  rules.allow("clone", {has_bits(0, CLONE_THREAD, CLONE_THREAD)});
  rules.forbid("clone", {has_bits(0, CLONE_THREAD, 0)});
  // Signals to its own threads: abort() and the runtimes need them.
  const auto self = static_cast<std::uint64_t>(getpid());
  for (const char* call : {"kill", "tgkill", "rt_tgsigqueueinfo"}) {
    rules.allow(call, {equals(0, self)});
    rules.forbid(call, {{0, SCMP_CMP_NE, self, 0}});
  }
  for (const int what : {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA}) {
    rules.allow("prctl", {equals(0, static_cast<std::uint64_t>(what))});
  }
  // Reads its own limits.
  rules.allow("prlimit64", {equals(0, 0), equals(2, 0)});
}

void add_descriptor_rules(FilterRules& rules) {
  // F_SETOWN and its like would have the kernel send signals for this process.
  for (const int what : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GET_SEALS,
                         F_GETPIPE_SZ, F_SETPIPE_SZ}) {
    rules.allow("fcntl", {equals(1, static_cast<std::uint64_t>(what))});
  }
  // Terminals can only be recognized as such.
  for (const std::uint64_t what : {FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS}) {
    rules.allow("ioctl", {equals(1, what)});
  }
}

void add_socket_rules(FilterRules& rules) {
  rules.allow("socketpair", {equals(0, AF_UNIX)});
  // With MSG_FASTOPEN, sending connects a socket that was closed, and to any address.
  const std::vector<std::pair<const char*, Argument>> flags = {{"sendto", 3}, {"sendmsg", 2}};
  for (const auto& [call, argument] : flags) {
    rules.allow(call, {has_bits(argument, MSG_FASTOPEN, 0)});
    if (mutant("fast-open")) rules.allow(call);
    rules.forbid(call, {has_bits(argument, MSG_FASTOPEN, MSG_FASTOPEN)});
  }
}

}  // namespace

Status restrict_system_calls() {
  FilterRules rules;
  for (const char* call : allowed_calls()) rules.allow(call);
  for (const char* call : forbidden_calls()) rules.forbid(call);
  add_memory_rules(rules);
  add_process_rules(rules);
  add_descriptor_rules(rules);
  add_socket_rules(rules);
  rules.set(SCMP_FLTATR_CTL_TSYNC, 1);
  // Calls of another architecture, such as the 32-bit ones, would have other numbers.
  rules.set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  const int code = rules.load();
  if (code == 0) return {};
  return {Code::kUnsupported,
          "the kernel takes no filter of system calls: " + std::generic_category().message(code)};
}

}  // namespace davit::host
