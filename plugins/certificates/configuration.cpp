#include "plugins/certificates/configuration.hpp"

#include <chrono>
#include <davit/kube/duration.hpp>
#include <davit/options.hpp>
#include <optional>

#include "plugins/shared/pki/root_ca.hpp"

namespace davit::certificates {
namespace {

constexpr std::chrono::hours kDefaultTtl{8760};  // A year.

std::string text_of(Value config, std::string_view name) {
  return std::string(config[name].string());
}

/// As Go reads it, with a sign.
std::optional<Duration> read_signed_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<Duration> size = parse_duration(text);
  return size && negative ? std::optional(-*size) : size;
}

/// Every mistake about the files, in upstream's words; empty: there is none.
std::string mistakes_of(Value config) {
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  bool any = false;
  for (const Signer& each : kSigners) {
    const bool certificate = !text_of(config, each.certificate_option).empty();
    const bool key = !text_of(config, each.key_option).empty();
    any = any || certificate || key;
    const std::string name = "\"" + std::string(each.flag) + "\": ";
    if (certificate && !key) add(name + "cannot specify cert without key");
    if (key && !certificate) add(name + "cannot specify key without cert");
  }
  const bool general =
      !text_of(config, kCertificateFileOption).empty() || !text_of(config, kKeyFileOption).empty();
  if (any && general) {
    add("cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags "
        "at the same time");
  }
  return out;
}

}  // namespace

Result<SigningConfiguration> read_signing(Value config) {
  if (Status s =
          pki::check_text_options(config, {kCertificateFileOption, kKeyFileOption, kDurationOption,
                                           kSigners[0].certificate_option, kSigners[0].key_option,
                                           kSigners[1].certificate_option, kSigners[1].key_option,
                                           kSigners[2].certificate_option, kSigners[2].key_option,
                                           kSigners[3].certificate_option, kSigners[3].key_option});
      !s.ok()) {
    return s;
  }
  SigningConfiguration out{.ttl = kDefaultTtl};
  if (const Value ttl = config[kDurationOption]; !ttl.is_absent()) {
    const std::optional<Duration> read = read_signed_duration(ttl.string());
    if (!read) {
      return Status(Code::kInvalid, std::string(kDurationOption) +
                                        " must be a duration such as 8760h, not \"" +
                                        std::string(ttl.string()) + "\"");
    }
    out.ttl = *read;
  }
  if (const std::string mistakes = mistakes_of(config); !mistakes.empty()) {
    return Status(Code::kInvalid, mistakes);
  }
  const std::string certificate = text_of(config, kCertificateFileOption);
  const std::string key = text_of(config, kKeyFileOption);
  for (const Signer& each : kSigners) {
    const std::string own = text_of(config, each.certificate_option);
    if (!own.empty()) {
      out.running.push_back({&each, own, text_of(config, each.key_option)});
    } else if (!certificate.empty() && !key.empty()) {
      out.running.push_back({&each, certificate, key});
    } else {
      out.left_out.push_back(&each);
    }
  }
  return out;
}

}  // namespace davit::certificates
