#include "plugins/certificates/ca_files.hpp"

#include <openssl/evp.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <string_view>
#include <system_error>

namespace davit::certificates {
namespace {

constexpr std::chrono::minutes kReread{1};  // For file systems whose stamps do not change.
constexpr std::chrono::milliseconds kFirstRetry{5};
constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;  // A CA with its key has a few KiB.

/// The system's words for `error`, as Go prints them.
Status system_error(std::string_view action, const std::string& path, int error) {
  std::string why = std::generic_category().message(error);
  if (!why.empty() && why[0] >= 'A' && why[0] <= 'Z') why[0] = static_cast<char>(why[0] + 32);
  return {Code::kInvalid, std::string(action) + " " + path + ": " + why};
}

Status read_into(const std::string& path, std::string& out) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return system_error("open", path, errno);
  if (S_ISDIR(about.st_mode)) return system_error("read", path, EISDIR);
  // A pipe would keep the worker for ever.
  if (!S_ISREG(about.st_mode)) return {Code::kInvalid, "open " + path + ": not a regular file"};
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open()) return system_error("open", path, errno);
  out.resize(kFileBytesMax + 1);
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  if (in.bad()) return system_error("read", path, errno);
  if (static_cast<std::size_t>(in.gcount()) > kFileBytesMax) {
    return {Code::kInvalid, "read " + path + ": more than 1 MiB"};
  }
  out.resize(static_cast<std::size_t>(in.gcount()));
  return {};
}

std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return static_cast<std::int64_t>(time.tv_sec) * kSecond + time.tv_nsec;
}

bool feed(EVP_MD_CTX* context, std::string_view text) {
  const std::uint64_t size = text.size();  // Keeps the border between the two texts.
  return EVP_DigestUpdate(context, &size, sizeof(size)) == 1 &&
         EVP_DigestUpdate(context, text.data(), text.size()) == 1;
}

}  // namespace

CaFiles::Stamp CaFiles::stamp_of(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return {};
  return {.device = about.st_dev,
          .inode = about.st_ino,
          .size = about.st_size,
          .changed_ns = nanoseconds(about.st_mtim),
          .status_changed_ns = nanoseconds(about.st_ctim)};
}

Status CaFiles::open(Time now) {
  // Before the files are read, so that a change in between is one.
  stamps_ = {stamp_of(certificate_file_), stamp_of(key_file_)};
  next_ = now + kReread;
  Status loaded = load();
  if (!loaded.ok()) {
    return loaded.with_context("error reading CA cert file \"" + certificate_file_ + "\"");
  }
  return current()->error;
}

CaFiles::Poll CaFiles::poll(Time now) {
  const std::array<Stamp, 2> stamps = {stamp_of(certificate_file_), stamp_of(key_file_)};
  if (stamps == stamps_ && now < next_) return Poll::kNothing;
  stamps_ = stamps;
  const std::shared_ptr<const LoadedCa> before = current();
  const bool had_failed = failures_ != 0;
  error_ = load();
  failures_ = error_.ok() ? 0 : failures_ + 1;
  next_ = now + (error_.ok() ? Duration(kReread) : backoff());
  if (!error_.ok()) return Poll::kKept;
  return had_failed || current() != before ? Poll::kLoaded : Poll::kNothing;
}

Status CaFiles::load() {
  CaTexts texts;
  if (Status s = read_into(certificate_file_, texts.certificate); !s.ok()) return s;
  if (Status s = read_into(key_file_, texts.key); !s.ok()) return s;
  if (texts.certificate.empty() || texts.key.empty()) {
    return {Code::kInvalid, "missing content for serving cert \"csr-controller::" +
                                certificate_file_ + "::" + key_file_ + "\""};
  }
  if (Status s = check_pair(texts); !s.ok()) return s;
  const pki::DigestContext context(EVP_MD_CTX_new());
  Digest digest{};
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1 ||
      !feed(context.get(), texts.certificate) || !feed(context.get(), texts.key) ||
      EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1) {
    return {Code::kInternal, "OpenSSL cannot make a digest"};
  }
  if (current() != nullptr && digest == digest_) return {};
  digest_ = digest;
  auto loaded = std::make_shared<const LoadedCa>(parse(texts));
  const std::lock_guard lock(mutex_);
  current_ = std::move(loaded);
  return {};
}

LoadedCa CaFiles::parse(const CaTexts& texts) const {
  Authority::Failure failure{};
  LoadedCa out{Authority::parse(texts, failure), {}};
  if (out.authority.certificate() != nullptr) return out;
  const std::string_view part = failure.part == Authority::Part::kKey ? "key" : "cert";
  out.error = {Code::kInvalid, "error reading CA " + std::string(part) +
                                   " file \"csr-controller::" + certificate_file_ +
                                   "::" + key_file_ + "\": " + failure.why};
  return out;
}

Duration CaFiles::backoff() const {
  constexpr std::uint32_t kDoublingsMax = 14;  // More than a minute.
  const Duration wait = Duration(kFirstRetry) * (1 << std::min(failures_ - 1, kDoublingsMax));
  return std::min<Duration>(wait, kReread);
}

}  // namespace davit::certificates
