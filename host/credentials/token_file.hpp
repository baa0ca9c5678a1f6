/// A bearer token in a file that another program renews.
#pragma once

#include "host/credentials/credentials.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// Reads the file again when the last reading is older than a minute less ten seconds. A failed
/// reading keeps the last token; so does a 401, whose staleness is bounded by that minute.
/// k8s.io/client-go/transport.cachingTokenSource.
class TokenFile final : public Credentials {
 public:
  static constexpr Duration kKeep = std::chrono::seconds(50);

  /// `fallback` serves until the file could be read once; empty: none.
  TokenFile(std::string path, std::string fallback, Clock& clock, Logger log);

  [[nodiscard]] Result<Credential> get() override EXCLUDES(mutex_);
  void rejected(const Credential&) override {}

 private:
  const std::string path_;
  Clock& clock_;
  const Logger log_;
  Mutex mutex_;
  std::string token_ GUARDED_BY(mutex_);
  Time read_at_ GUARDED_BY(mutex_) =
      Time::min();  // The last success or attempt with a token at hand.
};

}  // namespace davit::host
