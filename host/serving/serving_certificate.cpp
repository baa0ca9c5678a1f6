#include "host/serving/serving_certificate.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "lib/base/replace_file.hpp"
#include "lib/base/text_file.hpp"
#include "lib/net/certificate_pool.hpp"
#include "lib/net/certificates.hpp"
#include "lib/net/tls_channel.hpp"

namespace davit::host {
namespace {

/// Another name than kube-controller-manager's: both may run on one machine.
constexpr const char* kPairName = "davit";

Status read_pair(const std::string& certificate_file, const std::string& key_file,
                 const std::string& flag, std::string& certificate, std::string& key) {
  const auto read = [&flag](const std::string& file, std::string& out) -> Status {
    Result<std::string> text = read_text_file(file);
    if (!text) return text.error().with_context(flag + ": " + file);
    out = *std::move(text);
    return {};
  };
  if (Status s = read(certificate_file, certificate); !s.ok()) return s;
  return read(key_file, key);
}

bool is_same(const TlsIdentity& a, const TlsIdentity& b) {
  const auto named = [](const TlsIdentity& each) {
    std::string out;
    for (const TlsNamedPair& pair : each.named) out += pair.certificate + pair.key;
    return out;
  };
  return a.certificate == b.certificate && a.key == b.key && named(a) == named(b);
}

bool is_expired(const std::string& certificate, WallTime now) {
  const Result<CertificateTimes> times = certificate_times(certificate);
  return times && now > times->not_after;
}

/// "localhost@1700000000": upstream's names of self-signed certificates.
std::string name_at(const std::string& name, WallTime now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  return name + "@" + std::to_string(seconds.count());
}

}  // namespace

Result<ServingCertificate> ServingCertificate::open(const ServingSettings& settings,
                                                    const Seams& seams, const Logger& log) {
  ServingCertificate made(settings, seams, log);
  if (settings.certificate_file.empty()) {
    if (Status s = made.make_self_signed(); !s.ok()) return s;
  }
  Result<TlsIdentity> identity = made.read();
  if (!identity) return identity.error();
  const Result<std::shared_ptr<const TlsContext>> usable = TlsContext::open(*identity);
  if (!usable) {
    const std::string flag = settings.certificate_file.empty() ? "--cert-dir" : "--tls-cert-file";
    return usable.error().with_context(flag);
  }
  made.identity_ = *std::move(identity);
  if (is_expired(made.identity_.certificate, seams.clock.wall_now())) {
    log.warning("The serving certificate has expired: replace its files, which are read again",
                {{"file", made.settings_.certificate_file}});
  }
  made.report_expiry();
  return made;
}

Status ServingCertificate::make_self_signed() {
  const WallTime now = seams_.clock.wall_now();
  const std::string& directory = settings_.certificate_directory;
  const std::filesystem::path base = std::filesystem::path(directory) / kPairName;
  if (!directory.empty()) {
    std::string certificate;
    std::string key;
    const Status kept =
        read_pair(base.string() + ".crt", base.string() + ".key", "", certificate, key);
    if (kept.ok() && !is_expired(certificate, now) &&
        TlsContext::open({.certificate = certificate, .key = key})) {
      settings_.certificate_file = base.string() + ".crt";
      settings_.key_file = base.string() + ".key";
      return {};
    }
  }
  const Result<KeyPair> authority = make_authority(name_at("localhost-ca", now), now);
  if (!authority) return authority.error();
  CertificateRequest request{.common_name = name_at("localhost", now),
                             .use = CertificateUse::kServer,
                             .dns_names = {"localhost"},
                             .addresses = {"127.0.0.1"}};
  const std::string& address = settings_.bind_address;
  if (address != "0.0.0.0" && address != "::" && address != "127.0.0.1") {
    request.addresses.push_back(address);
  }
  Result<KeyPair> own = issue_certificate(*authority, request, now);
  if (!own) return own.error();
  identity_.certificate = own->certificate + authority->certificate;
  identity_.key = std::move(own->key);
  if (directory.empty()) return {};
  settings_.certificate_file = base.string() + ".crt";
  settings_.key_file = base.string() + ".key";
  for (const auto& [file, text] : {std::pair(settings_.key_file, identity_.key),
                                   std::pair(settings_.certificate_file, identity_.certificate)}) {
    if (Status s = replace_file(file, text, Readable::kByOwner); !s.ok()) {
      return s.with_context("--cert-dir");
    }
  }
  return {};
}

Result<TlsIdentity> ServingCertificate::read() const {
  TlsIdentity out;
  out.any_client = TlsIdentity::AnyClient::kAsked;
  out.min_version = parse_tls_version(settings_.min_version).value_or(TlsVersion::k12);
  out.cipher_suites = settings_.cipher_suites;
  for (const std::string& each : settings_.curves) {
    if (std::optional<std::string> name = curve_name(each)) out.curves.push_back(*std::move(name));
  }
  if (settings_.certificate_file.empty()) {
    out.certificate = identity_.certificate;
    out.key = identity_.key;
  } else if (Status s = read_pair(settings_.certificate_file, settings_.key_file,
                                  "the serving certificate", out.certificate, out.key);
             !s.ok()) {
    return s;
  }
  for (const std::string& each : settings_.named_pairs) {
    const NamedFiles files = parse_named_files(each).value_or(NamedFiles());
    TlsNamedPair pair;
    pair.names = files.names;
    if (Status s = read_pair(files.certificate_file, files.key_file, "--tls-sni-cert-key",
                             pair.certificate, pair.key);
        !s.ok()) {
      return s;
    }
    out.named.push_back(std::move(pair));
  }
  return out;
}

std::optional<TlsIdentity> ServingCertificate::reread() {
  Result<TlsIdentity> now = read();
  if (now && is_same(*now, identity_)) {
    refused_.clear();
    return std::nullopt;
  }
  std::string wrong = now ? "" : now.error().message();
  if (now) {
    const Result<std::shared_ptr<const TlsContext>> usable = TlsContext::open(*now);
    if (!usable) {
      wrong = usable.error().message();
    } else if (is_expired(now->certificate, seams_.clock.wall_now())) {
      wrong = "the new certificate has expired";
    }
  }
  if (wrong.empty()) {
    refused_.clear();
    identity_ = *std::move(now);
    seams_.metrics.certificate_reloaded(ServingMetrics::Outcome::kSuccess);
    report_expiry();
    log_.info(0, "Serving with a new certificate", {{"file", settings_.certificate_file}});
    return identity_;
  }
  if (wrong == refused_) return std::nullopt;  // Reported.
  refused_ = wrong;
  seams_.metrics.certificate_reloaded(ServingMetrics::Outcome::kFailure);
  log_.error("Cannot use the new serving certificate, keeping the old one", {{"err", wrong}});
  return std::nullopt;
}

void ServingCertificate::report_expiry() const {
  std::optional<WallTime> first;
  const auto add = [&first](const std::string& certificate) {
    const Result<CertificateTimes> times = certificate_times(certificate);
    if (times) first = std::min(first.value_or(times->not_after), times->not_after);
  };
  add(identity_.certificate);
  for (const TlsNamedPair& each : identity_.named) add(each.certificate);
  if (first) seams_.metrics.certificate_expires(*first);
}

}  // namespace davit::host
