#include "host/transport/tls_material.hpp"

#include <openssl/err.h>

#include <ctime>
#include <utility>

#include "lib/base/openssl_owners.hpp"
#include "lib/base/text_file.hpp"
#include "lib/net/certificate_pool.hpp"

namespace davit::host {
namespace {

// Never ask a person for a pass phrase.
int no_pass_phrase(char*, int, int, void*) { return 0; }

/// kInvalid unless `pem` holds at least one certificate and nothing that looks like one is broken.
Status check_certificates(std::string_view pem) {
  const BioPtr bio = reader_of(pem);
  int found = 0;
  while (CertificatePtr(PEM_read_bio_X509(bio.get(), nullptr, no_pass_phrase, nullptr))) ++found;
  // Reading always ends with an error; the harmless one is "no further PEM block".
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  if (found == 0) return {Code::kInvalid, "no PEM certificate found"};
  if (ERR_GET_REASON(error) != PEM_R_NO_START_LINE) {
    return {Code::kInvalid, "a PEM certificate is damaged"};
  }
  return {};
}

/// kInvalid unless `cert` and `key` are readable and belong together.
Status check_key_pair(std::string_view cert, std::string_view key) {
  const BioPtr cert_bio = reader_of(cert);
  const BioPtr key_bio = reader_of(key);
  const CertificatePtr certificate(
      PEM_read_bio_X509(cert_bio.get(), nullptr, no_pass_phrase, nullptr));
  const KeyPtr private_key(
      PEM_read_bio_PrivateKey(key_bio.get(), nullptr, no_pass_phrase, nullptr));
  const bool match = certificate && private_key &&
                     X509_check_private_key(certificate.get(), private_key.get()) == 1;
  ERR_clear_error();
  if (!certificate) return {Code::kInvalid, "no PEM certificate found"};
  if (!private_key) return {Code::kInvalid, "no usable PEM private key found"};
  if (!match) return {Code::kInvalid, "the private key does not belong to the certificate"};
  return {};
}

Result<std::string> read_file(const std::string& path) {
  Result<std::string> content = read_text_file(path);
  if (!content) return content.error().with_context("cannot read " + path);
  return content;
}

// The data if there is any, else the file's content, else nothing.
Result<std::string> content(const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return data;
  return read_file(file);
}

}  // namespace

std::optional<WallTime> certificate_start(std::string_view pem) {
  const BioPtr bio = reader_of(pem);
  const CertificatePtr certificate(PEM_read_bio_X509(bio.get(), nullptr, no_pass_phrase, nullptr));
  ERR_clear_error();
  std::tm start{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notBefore(certificate.get()), &start) != 1) {
    return std::nullopt;
  }
  return std::chrono::system_clock::from_time_t(timegm(&start));
}

std::optional<WallTime> client_certificate_end(const ConnectionConfig& config) {
  const Result<std::string> pem = content(config.cert_data, config.cert_file);
  if (!pem) return std::nullopt;
  const Result<CertificateTimes> times = certificate_times(*pem);
  if (!times) return std::nullopt;
  return times->not_after;
}

Result<std::unique_ptr<TlsSource>> TlsSource::open(const ConnectionConfig& config, Time now,
                                                   RestMetrics& metrics, Logger log) {
  const bool has_ca = !config.ca_data.empty() || !config.ca_file.empty();
  const bool has_cert = !config.cert_data.empty() || !config.cert_file.empty();
  const bool has_key = !config.key_data.empty() || !config.key_file.empty();
  if (config.insecure && has_ca) {
    return Status(Code::kInvalid,
                  "specifying a root certificates file with the insecure flag is not allowed");
  }
  if (has_cert != has_key) {
    return Status(Code::kInvalid, has_cert ? "a client certificate needs its key"
                                           : "a client key needs its certificate");
  }
  TlsMaterial first;
  Result<std::string> ca = content(config.ca_data, config.ca_file);
  if (!ca) return ca.error().with_context("unable to load root certificates");
  first.roots = has_ca ? TlsMaterial::Roots::kGiven : TlsMaterial::Roots::kSystem;
  first.ca = *std::move(ca);
  if (!first.ca.empty()) {
    if (Status s = check_certificates(first.ca); !s.ok()) {
      return s.with_context("unable to load root certificates" +
                            (config.ca_data.empty() ? " from " + config.ca_file : std::string()));
    }
  }
  Result<std::string> cert = content(config.cert_data, config.cert_file);
  if (!cert) return cert.error().with_context("unable to load the client certificate");
  Result<std::string> key = content(config.key_data, config.key_file);
  if (!key) return key.error().with_context("unable to load the client key");
  first.cert = *std::move(cert);
  first.key = *std::move(key);
  if (has_cert) {
    if (Status s = check_key_pair(first.cert, first.key); !s.ok()) {
      return s.with_context("unable to load the client certificate" +
                            (config.cert_data.empty() ? " " + config.cert_file : std::string()));
    }
  }
  // Data is for good, a file may change. A pair is watched only if both halves are files.
  Files files;
  if (config.ca_data.empty()) files.ca = config.ca_file;
  if (config.cert_data.empty() && config.key_data.empty()) {
    files.cert = config.cert_file;
    files.key = config.key_file;
  }
  return std::make_unique<TlsSource>(std::move(files),
                                     std::make_shared<const TlsMaterial>(std::move(first)), now,
                                     metrics, std::move(log));
}

TlsSource::TlsSource(Files files, std::shared_ptr<const TlsMaterial> first, Time now,
                     RestMetrics& metrics, Logger log)
    : files_(std::move(files)),
      metrics_(metrics),
      log_(std::move(log)),
      material_(std::move(first)),
      checked_ca_at_(now),
      checked_pair_at_(now) {}

std::shared_ptr<const TlsMaterial> TlsSource::current(Time now) {
  std::shared_ptr<const TlsMaterial> old;
  Due due = Due::kPair;
  {
    MutexLock lock(mutex_);
    const bool is_ca_due = !files_.ca.empty() && now - checked_ca_at_ >= kCaRecheck;
    const bool is_pair_due = !files_.cert.empty() && now - checked_pair_at_ >= kPairRecheck;
    if (is_reading_ || (!is_ca_due && !is_pair_due)) return material_;
    is_reading_ = true;
    checked_pair_at_ = now;
    if (is_ca_due) {
      checked_ca_at_ = now;
      due = Due::kPairAndCa;
    }
    old = material_;
  }
  std::shared_ptr<const TlsMaterial> fresh = reread(*old, due);
  MutexLock lock(mutex_);
  is_reading_ = false;
  if (fresh != nullptr) material_ = std::move(fresh);
  return material_;
}

// Null when nothing has changed.
std::shared_ptr<const TlsMaterial> TlsSource::reread(const TlsMaterial& old, Due due) {
  TlsMaterial next = old;
  if (due == Due::kPairAndCa) next.ca = reread_ca(old.ca);
  if (!files_.cert.empty()) reread_pair(next);
  ++next.version;
  if (next.ca == old.ca && next.cert == old.cert && next.key == old.key) return nullptr;
  if (next.cert != old.cert) log_.info(1, "Client certificate reloaded", {{"file", files_.cert}});
  return std::make_shared<const TlsMaterial>(std::move(next));
}

void TlsSource::reread_pair(TlsMaterial& material) {
  Result<std::string> cert = read_file(files_.cert);
  Result<std::string> key = read_file(files_.key);
  if (cert && key && *cert == material.cert && *key == material.key) {
    MutexLock lock(mutex_);
    pair_mistake_.clear();
    return;
  }
  // Halves of two pairs are normal while the files are being replaced: the next read finds a
  // pair.
  const Status usable = !cert ? cert.error() : !key ? key.error() : check_key_pair(*cert, *key);
  if (usable.ok()) {
    material.cert = *std::move(cert);
    material.key = *std::move(key);
  }
  {
    MutexLock lock(mutex_);
    if (usable.message() == std::exchange(pair_mistake_, usable.message())) return;
  }
  if (usable.ok()) return;
  log_.error("Cannot reload the client certificate, keeping the old one",
             {{"file", files_.cert}, {"err", usable.message()}});
}

std::string TlsSource::reread_ca(const std::string& old) const {
  Result<std::string> read = read_file(files_.ca);
  std::string_view failure;
  if (!read) {
    failure = "read_error";
  } else if (read->empty()) {
    failure = "empty";
  } else if (!check_certificates(*read).ok()) {
    failure = "ca_parse_error";
  }
  if (!failure.empty()) {
    metrics_.ca_reloaded("failure", failure);
    log_.error("Cannot reload the CA bundle, keeping the old one",
               {{"file", files_.ca}, {"reason", failure}});
    return old;
  }
  metrics_.ca_reloaded("success", *read == old ? "unchanged" : "updated");
  return *std::move(read);
}

}  // namespace davit::host
