#include "host/config/oci_reference.hpp"

#include <davit/hex.hpp>

#include "lib/base/take_until.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kScheme = "oci://";
constexpr std::string_view kPortDigits = "0123456789";
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kRepositoryBytesMax = 255;  // With the registry, as clients limit it.
constexpr std::size_t kTagBytesMax = 128;
constexpr std::size_t kPortSizeMax = 5;

bool consists_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

/// A host such as "example.com", "localhost" or "127.0.0.1", with or without a port.
bool is_registry(std::string_view text) {
  const std::string_view host = take_until(text, ":");
  const bool named = !host.empty() && consists_of(host, std::string(kLower) + ".-") &&
                     kLower.find(host.front()) != std::string_view::npos;
  return named && consists_of(text, kPortDigits) && text.size() <= kPortSizeMax;
}

/// Parts in lower case, joined by slashes; within a part, single marks between letters and digits.
bool is_repository(std::string_view text) {
  if (text.empty() || text.size() > kRepositoryBytesMax || text.back() == '/') return false;
  while (!text.empty()) {
    const std::string_view part = take_until(text, "/");
    const bool plain = !part.empty() && consists_of(part, std::string(kLower) + "._-");
    if (!plain || kLower.find(part.front()) == std::string_view::npos ||
        kLower.find(part.back()) == std::string_view::npos ||
        part.find("..") != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_oci_digest(std::string_view text) {
  constexpr std::string_view kAlgorithm = "sha256:";
  constexpr std::size_t kHexDigits = 64;
  return text.starts_with(kAlgorithm) && text.size() == kAlgorithm.size() + kHexDigits &&
         is_lower_hex(text.substr(kAlgorithm.size()));
}

bool is_oci_tag(std::string_view text) {
  const std::string word = std::string(kLower) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !text.empty() && text.size() <= kTagBytesMax && consists_of(text, word + ".-") &&
         word.find(text.front()) != std::string::npos;
}

std::string OciReference::text() const {
  return registry + "/" + repository + (tag.empty() ? "" : ":" + tag) +
         (digest.empty() ? "" : "@" + digest);
}

Result<OciReference> OciReference::parse(std::string_view text, Tag tag) {
  const Status wrong(Code::kInvalid,
                     "must be a reference such as oci://registry.example.com/team/greeter:1.2.0 or "
                     "…/greeter@sha256:DIGEST, with a registry and in lower case");
  if (text.starts_with(kScheme)) text.remove_prefix(kScheme.size());
  OciReference out;
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    out.digest = text.substr(at + 1);
    if (!is_oci_digest(out.digest)) return wrong;
    text = text.substr(0, at);
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return wrong;
  out.registry = text.substr(0, slash);
  text.remove_prefix(slash + 1);
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    out.tag = text.substr(colon + 1);
    if (!is_oci_tag(out.tag)) return wrong;
    text = text.substr(0, colon);
  }
  out.repository = text;
  if (!is_registry(out.registry) || !is_repository(out.repository)) return wrong;
  if (out.tag.empty() && out.digest.empty()) {
    if (tag == Tag::kRequired) {
      return Status(Code::kInvalid, "must be a reference with a tag or a digest");
    }
    out.tag = "latest";
  }
  return out;
}

}  // namespace davit::host
