/// The certificate of the HTTPS server: from files, which are followed, or self-signed.
#pragma once

#include <davit/result.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/config/serving_settings.hpp"
#include "host/serving/serving_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/net/http_server.hpp"

namespace davit::host {

/// Not thread-safe; reads small files.
class ServingCertificate {
 public:
  struct Seams {
    Clock& clock;
    ServingMetrics& metrics;
  };

  /// Reads the files that the settings name. Without any, takes davit.crt and davit.key of
  /// --cert-dir if they can be used, else makes a pair for localhost, and keeps it there. kInvalid
  /// when a file cannot be read or the pair does not fit, with the flag. Warns of a certificate
  /// that has expired, which is served nevertheless: controllers are worth more than scrapes.
  [[nodiscard]] static Result<ServingCertificate> open(const ServingSettings& settings,
                                                       const Seams& seams, const Logger& log);

  /// The identity to serve with. Clients are asked for certificates, which the handler judges.
  [[nodiscard]] const TlsIdentity& identity() const { return identity_; }

  /// Reads the files again. Returns the new identity if they have changed and can be used; anything
  /// else keeps the old one, with a log line and a count when there is something wrong: unreadable,
  /// mismatched, or expired.
  [[nodiscard]] std::optional<TlsIdentity> reread();

 private:
  ServingCertificate(const ServingSettings& settings, const Seams& seams, const Logger& log)
      : settings_(settings), seams_(seams), log_(log) {}

  /// The identity that the files say now.
  [[nodiscard]] Result<TlsIdentity> read() const;
  [[nodiscard]] Status make_self_signed();
  void report_expiry() const;

  ServingSettings settings_;
  Seams seams_;
  Logger log_;
  TlsIdentity identity_;
  std::string refused_;  // The fault found by the last reread(); empty: none.
};

}  // namespace davit::host
