#include "plugins/serviceaccount/configuration.hpp"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cerrno>
#include <davit/kube/duration.hpp>
#include <davit/options.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>

#include "plugins/serviceaccount/openssl_handles.hpp"

namespace davit::serviceaccount {
namespace {

constexpr std::chrono::hours kDefaultPeriod{8760};  // A year.

bool has_certificate(const std::string& pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) return false;
  const CertificateHandle found(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  return found != nullptr;
}

}  // namespace

Status check_text_options(Value config, std::initializer_list<std::string_view> known) {
  if (Status s = check_options(config, known); !s.ok()) return s;
  for (const Member& each : config.members()) {
    if (each.value.kind() == Kind::kString) continue;
    return {Code::kInvalid, std::string(each.key) + " must be a string"};
  }
  return {};
}

Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  // A directory opens, and fails at the first byte.
  if (in.is_open() && !in.bad()) return text;
  const std::string why = std::generic_category().message(errno);
  return Status(Code::kInvalid, "cannot read " + path + ": " + why);
}

Result<std::string> read_root_ca(Value config) {
  const std::string file(config[kRootCaFileOption].string());
  if (file.empty()) return std::string(config[kRootCaOption].string());
  Result<std::string> pem = read_file(file);
  if (pem && has_certificate(*pem)) return pem;
  return Status(Code::kInvalid, "error parsing root-ca-file at " + file + ": " +
                                    (pem ? "data does not contain any valid certificate in PEM"
                                         : pem.error().message()));
}

Result<Duration> read_cleanup_period(Value config) {
  const Value option = config[kPeriodOption];
  if (option.is_absent()) return Duration(kDefaultPeriod);
  const std::optional<Duration> period = parse_duration(option.string());
  if (period && *period > Duration::zero()) return *period;
  return Status(Code::kInvalid, "invalid CleanUpPeriod: " + std::string(kPeriodOption) +
                                    " must be a positive duration such as 8760h, not \"" +
                                    std::string(option.string()) + "\"");
}

}  // namespace davit::serviceaccount
