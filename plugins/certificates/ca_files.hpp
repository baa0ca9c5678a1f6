/// The files of a CA, read again when they change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "plugins/certificates/authority.hpp"

namespace davit::certificates {

/// A pair of files that have passed the gate. They may still hold more than a signer takes.
struct LoadedCa {
  Authority authority;
  Status error;  ///< Not ok: why nothing can be signed with them; `authority` is empty.
};

/// Keeps the last good pair while the files are being replaced, or are none.
///
/// Thread-safe; poll() is for one thread. Rule: docs/spec/certificates.md, A3 and X5.
class CaFiles {
 public:
  CaFiles(std::string certificate_file, std::string key_file)
      : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}
  CaFiles(const CaFiles&) = delete;
  CaFiles& operator=(const CaFiles&) = delete;

  /// Reads the files for the first time. kInvalid: they are not a CA, with upstream's message.
  [[nodiscard]] Status open(Time now);

  /// The result of a poll().
  enum class Poll { kNothing, kLoaded, kKept };
  /// Reads the files if they have changed, if the last attempt failed and it is time to try again,
  /// or if a minute has passed. kKept: `error()` says why; the pair in use stays.
  [[nodiscard]] Poll poll(Time now);
  /// Why the last poll failed.
  [[nodiscard]] const Status& error() const { return error_; }

  /// Null before open().
  [[nodiscard]] std::shared_ptr<const LoadedCa> current() const {
    const std::lock_guard lock(mutex_);
    return current_;
  }
  [[nodiscard]] const std::string& certificate_file() const { return certificate_file_; }

 private:
  /// Differs once a file has changed. All zero: it is not there.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::int64_t changed_ns = 0;
    std::int64_t status_changed_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  using Digest = std::array<unsigned char, 32>;

  static Stamp stamp_of(const std::string& path);
  [[nodiscard]] Status load();
  [[nodiscard]] LoadedCa parse(const CaTexts& texts) const;
  [[nodiscard]] Duration backoff() const;

  const std::string certificate_file_;
  const std::string key_file_;

  // The polling thread's.
  std::array<Stamp, 2> stamps_{};
  Digest digest_{};  // Sums up the texts in use.
  std::uint32_t failures_ = 0;
  Time next_{};
  Status error_;

  mutable std::mutex mutex_;
  std::shared_ptr<const LoadedCa> current_;  // Guarded by mutex_.
};

}  // namespace davit::certificates
