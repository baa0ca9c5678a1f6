#include "host/isolation/file_rules.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "lib/base/unique_fd.hpp"

namespace davit::host {
namespace {

// landlock_ruleset_attr as of version 6: Debian 12's header has the first member alone.
struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // From version 4.
  std::uint64_t scopes = 0;   // From version 6.
};
constexpr unsigned kNetworkVersion = 4;
constexpr unsigned kScopesVersion = 6;

// LANDLOCK_ACCESS_NET_BIND_TCP and _CONNECT_TCP.
constexpr std::uint64_t kTcp = (1ULL << 0) | (1ULL << 1);
// LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET and _SIGNAL.
constexpr std::uint64_t kScopes = (1ULL << 0) | (1ULL << 1);

/// All rights of files that a version knows. A kernel refuses bits that it does not know.
std::uint64_t all_file_rights(unsigned version) {
  constexpr std::uint64_t kFirst = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
  constexpr std::uint64_t kRefer = 1ULL << 13;     // From version 2.
  constexpr std::uint64_t kTruncate = 1ULL << 14;  // From version 3.
  constexpr std::uint64_t kIoctlDev = 1ULL << 15;  // From version 5.
  std::uint64_t rights = kFirst;
  if (version >= 2) rights |= kRefer;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kIoctlDev;
  return rights;
}

std::size_t attribute_bytes(unsigned version) {
  if (version >= kScopesVersion) return sizeof(RulesetAttributes);
  return version >= kNetworkVersion ? offsetof(RulesetAttributes, scopes)
                                    : offsetof(RulesetAttributes, network);
}

Status rule_error(const std::string& what) {
  return {Code::kUnavailable, what + ": " + std::generic_category().message(errno)};
}

/// A file has no entries to read.
Status allow_reading(const UniqueFd& rules, const std::string& path) {
  const UniqueFd target(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!target.valid() && (errno == ENOENT || errno == ENOTDIR)) return {};
  struct stat facts {};
  if (!target.valid() || fstat(target.get(), &facts) != 0) return rule_error("cannot find " + path);
  landlock_path_beneath_attr rule{};
  rule.parent_fd = target.get();
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
  if (S_ISDIR(facts.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
  if (syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) {
    return {};
  }
  return rule_error("cannot allow " + path);
}

}  // namespace

unsigned landlock_version() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<unsigned>(version) : 0;
}

Status restrict_files(const std::vector<std::string>& readable, unsigned version) {
  RulesetAttributes attributes;
  attributes.files = all_file_rights(version);
  if (version >= kNetworkVersion) attributes.network = kTcp;
  if (version >= kScopesVersion) attributes.scopes = kScopes;
  const UniqueFd rules(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &attributes, attribute_bytes(version), 0)));
  if (!rules.valid()) return rule_error("cannot make rules for files");
  for (const std::string& each : readable) {
    if (Status s = allow_reading(rules, each); !s.ok()) return s;
  }
  if (syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0) return {};
  return rule_error("cannot enforce the rules for files");
}

}  // namespace davit::host
