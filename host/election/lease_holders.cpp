#include "host/election/lease_holders.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <davit/mutant.hpp>
#include <system_error>
#include <utility>

#include "lib/base/file_trust.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/text_file.hpp"
#include "lib/base/trimmed.hpp"
#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

constexpr const char* kBootIdFile = "/proc/sys/kernel/random/boot_id";

Status refuse(const std::filesystem::path& path, int error) {
  return {Code::kUnavailable, path.string() + ": " + std::generic_category().message(error)};
}

/// The identities of one boot and file. A line that was cut ends without a newline, and does
/// not count.
std::vector<std::string> read_lines(std::string_view text, std::string_view place) {
  std::vector<std::string> out;
  while (text.find('\n') != std::string_view::npos) {
    std::string_view line = take_until(text, "\n");
    const bool is_here = take_until(line, " ") == place || mutant("lease-of-another-boot");
    if (is_here && !line.empty()) out.emplace_back(line);
  }
  const std::size_t surplus = out.size() - std::min(out.size(), LeaseHolders::kKeptMax - 1);
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(surplus));
  return out;
}

}  // namespace

Result<LeaseHolders> LeaseHolders::open(const std::filesystem::path& directory,
                                        std::string_view lease, const std::string& boot) {
  if (boot.empty()) return Status(Code::kInvalid, "the machine's boot is unknown");
  const std::filesystem::path path = directory / ("holders." + std::string(lease));
  Result<UniqueFd> file = open_own_file(path, O_RDWR | O_CREAT);
  if (!file) return file.error();
  if (::flock(file->get(), LOCK_EX | LOCK_NB) != 0 && !mutant("lease-of-a-live-process")) {
    if (errno != EWOULDBLOCK) return refuse(path, errno);
    return Status(Code::kConflict, path.string() + ": another process has it open");
  }
  struct stat info {};
  if (::fstat(file->get(), &info) != 0) return refuse(path, errno);
  const Result<std::string> text = read_text_file(file->get());
  if (!text) return text.error().with_context(path.string());
  // A copy has the lines of processes whose lock is on the original.
  const std::string inode = std::to_string(info.st_dev) + "." + std::to_string(info.st_ino);
  LeaseHolders made(*std::move(file), boot + "." + inode);
  made.departed_ = read_lines(*text, made.place_);
  return made;
}

Status LeaseHolders::enter(const std::string& identity) {
  std::string text;
  for (const std::string& each : departed_) text.append(place_ + " " + each + "\n");
  text.append(place_ + " " + identity + "\n");
  // Not durable, and need not be: after a loss of power the boot is another one.
  const bool is_written = ::ftruncate(file_.get(), 0) == 0 &&
                          ::lseek(file_.get(), 0, SEEK_SET) == 0 && write_all(file_.get(), text);
  return is_written ? Status() : refuse("the file of the lease's holders", errno);
}

std::string boot_id(std::string_view given) {
  // systemd writes it without hyphens.
  const auto digits = [](std::string_view text) {
    std::string out(trimmed(text, " \n"));
    std::erase(out, '-');
    const bool is_id = out.size() == 32 && std::all_of(out.begin(), out.end(), [](char c) {
                         return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                       });
    return is_id ? out : std::string();
  };
  if (std::string id = digits(given); !id.empty()) return id;
  const Result<std::string> text = read_text_file(kBootIdFile);
  return text ? digits(*text) : std::string();
}

}  // namespace davit::host
