/// Certificates and keys of a connection, read again as their files change.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>

#include "host/config/connection_config.hpp"
#include "host/transport/rest_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// The beginning of the validity of the first certificate in `pem`; nothing when it cannot be read.
[[nodiscard]] std::optional<WallTime> certificate_start(std::string_view pem);

/// When the client certificate of `config` expires; nothing: there is none, or it cannot be read.
/// Reads its file, if it is one.
[[nodiscard]] std::optional<WallTime> client_certificate_end(const ConnectionConfig& config);

/// The PEM texts of one handshake. Immutable.
struct TlsMaterial {
  enum class Roots { kSystem, kGiven };

  Roots roots = Roots::kSystem;
  std::string ca;  ///< With Roots::kGiven the only roots; empty: nothing verifies.
  std::string cert;
  std::string key;
  std::uint64_t version = 0;  ///< Grows with each change of the files.
};

/// The current TlsMaterial of a connection. Rereads the files on request: new connections use a new
/// CA and a new client certificate. If a file cannot be used, its old content stays in use.
/// Thread-safe; reads small files.
class TlsSource {
 public:
  /// The interval at which the CA file is read, as upstream.
  static constexpr Duration kCaRecheck = std::chrono::minutes(5);
  /// Upstream reads the client's pair at each handshake and at most once a second, so that a pair
  /// which is replaced at the last moment serves the next connection.
  static constexpr Duration kPairRecheck = std::chrono::seconds(1);

  /// Fails when a file is missing or garbage, or a certificate lacks its key.
  [[nodiscard]] static Result<std::unique_ptr<TlsSource>> open(const ConnectionConfig& config,
                                                               Time now, RestMetrics& metrics,
                                                               Logger log);

  [[nodiscard]] std::shared_ptr<const TlsMaterial> current(Time now) EXCLUDES(mutex_);

 private:
  struct Files {
    std::string ca;
    std::string cert;
    std::string key;
  };

 public:
  /// For open() only: other code cannot name Files.
  TlsSource(Files files, std::shared_ptr<const TlsMaterial> first, Time now, RestMetrics& metrics,
            Logger log);

 private:
  enum class Due { kPair, kPairAndCa };

  [[nodiscard]] std::shared_ptr<const TlsMaterial> reread(const TlsMaterial& old, Due due)
      EXCLUDES(mutex_);
  [[nodiscard]] std::string reread_ca(const std::string& old) const;
  void reread_pair(TlsMaterial& material) EXCLUDES(mutex_);

  const Files files_;  // Empty names: not from a file.
  RestMetrics& metrics_;
  const Logger log_;
  Mutex mutex_;
  std::shared_ptr<const TlsMaterial> material_ GUARDED_BY(mutex_);
  bool is_reading_ GUARDED_BY(mutex_) = false;  // One thread reads, others take what there is.
  Time checked_ca_at_ GUARDED_BY(mutex_);
  Time checked_pair_at_ GUARDED_BY(mutex_);
  std::string pair_mistake_ GUARDED_BY(mutex_);  // The last one logged; empty: the pair is usable.
};

}  // namespace davit::host
