#include "host/isolation/lockdown.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <davit/mutant.hpp>
#include <system_error>

#include "host/isolation/file_rules.hpp"
#include "host/isolation/system_calls.hpp"

namespace davit::host {
namespace {

// PR_SET_MDWE and PR_MDWE_REFUSE_EXEC_GAIN, which Debian 12's headers lack.
constexpr int kSetMdwe = 65;
constexpr unsigned long kRefuseExecGain = 1;

Status lacking(const char* what) {
  return {Code::kUnsupported, std::string(what) + ": " + std::generic_category().message(errno)};
}

Status close_others(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned first = 0;
  for (const int each : kept) {
    const auto stays = static_cast<unsigned>(each);
    if (stays > first && close_range(first, stays - 1, 0) != 0) {
      return lacking("cannot close descriptors");
    }
    first = std::max(first, stays + 1);
  }
  return close_range(first, UINT_MAX, 0) == 0 ? Status() : lacking("cannot close descriptors");
}

/// For a process of root; others have none.
Status drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  if (syscall(SYS_capset, &header, none.data()) == 0) return {};
  return lacking("cannot drop capabilities");
}

Status limit_resources(const LockdownTerms& terms) {
  for (const auto& [what, value] : {std::pair<int, rlim_t>(RLIMIT_CORE, 0),
                                    {RLIMIT_FSIZE, 0},
                                    {RLIMIT_MEMLOCK, 0},
                                    {RLIMIT_MSGQUEUE, 0},
                                    {RLIMIT_NOFILE, terms.descriptors_max}}) {
    rlimit now{};
    if (getrlimit(static_cast<__rlimit_resource>(what), &now) != 0) return lacking("no limits");
    const rlim_t value_now = std::min(value, now.rlim_max);
    const rlimit limit{value_now, value_now};
    if (setrlimit(static_cast<__rlimit_resource>(what), &limit) != 0) {
      return lacking("cannot limit resources");
    }
  }
  return {};
}

Result<unsigned> restrict_to_readable(const LockdownTerms& terms) {
  const unsigned version = std::min(landlock_version(), terms.landlock_version_max);
  const bool is_optional =
      terms.landlock == LandlockNeed::kOptional || mutant("kernel-without-landlock");
  if (version == 0 && is_optional) return 0U;
  if (version == 0) {
    return Status(Code::kUnsupported,
                  "the kernel has no landlock (Linux 5.13), so the plugin could use the files of "
                  "davit's user: enable it, or accept that with `landlock: optional`");
  }
  if (Status s = restrict_files(terms.readable, version); !s.ok()) return s;
  return version;
}

}  // namespace

std::string_view to_string(LandlockNeed need) {
  return need == LandlockNeed::kOptional ? "optional" : "required";
}

LandlockNeed landlock_need(std::string_view text) {
  return text == to_string(LandlockNeed::kOptional) ? LandlockNeed::kOptional
                                                    : LandlockNeed::kRequired;
}

Result<LockdownReport> lock_down(const LockdownTerms& terms) {
  LockdownReport report;
  if (Status s = close_others(terms.kept); !s.ok()) return s;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return lacking("no_new_privs");
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return lacking("PR_SET_DUMPABLE");
  if (Status s = limit_resources(terms); !s.ok()) return s;
  const Result<unsigned> landlock = restrict_to_readable(terms);
  if (!landlock) return landlock.error();
  report.landlock_version = *landlock;
  report.memory_is_write_or_execute = prctl(kSetMdwe, kRefuseExecGain, 0, 0, 0) == 0;
  if (Status s = drop_capabilities(); !s.ok()) return s;
  if (Status s = restrict_system_calls(); !s.ok()) return s;
  return report;
}

}  // namespace davit::host
