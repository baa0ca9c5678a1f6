/// The manifest's settings for signatures of plugins.
#pragma once

#include <compare>
#include <davit/result.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/fields.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// An Ed25519 key whose signatures count.
struct TrustedKey {
  std::string name;        ///< For messages.
  std::string public_key;  ///< 32 bytes.
  /// Only signatures with a date, and with one up to this time, count. Nothing: all do.
  std::optional<WallTime> until = std::nullopt;

  friend bool operator==(const TrustedKey&, const TrustedKey&) = default;
};

/// The signatures that plugins need. Without keys, signatures are not read.
struct SignatureSettings {
  std::vector<TrustedKey> keys;
  bool required = true;  ///< False: plugins without a signature are also loaded.
  /// Names of libraries ("libz.so.1") that plugins may bring from the system's folders, beside
  /// those of the C and C++ runtimes.
  std::vector<std::string> libraries = {};
  /// The lowest version of a plugin that is loaded, by the plugin's name.
  std::map<std::string, std::string> lowest_versions = {};
  /// SHA-256 digests of plugin files that are not loaded, signed or not; lower-case hex.
  std::vector<std::string> refused_digests = {};

  /// Whether a plugin without a signature is refused.
  [[nodiscard]] bool are_required() const { return required && !keys.empty(); }

  friend bool operator==(const SignatureSettings&, const SignatureSettings&) = default;
};

/// The 32 bytes of an Ed25519 public key: base64 of those, or of the 44 bytes of a
/// SubjectPublicKeyInfo, as between the lines of the PEM file that `openssl pkey -pubout` writes
/// (RFC 8410, section 4). kInvalid: anything else.
[[nodiscard]] Result<std::string> parse_public_key(std::string_view base64);

/// The order of two versions such as "1.10.2", "v2.0" or "2.0-rc.1", as semantic versions have it;
/// missing numbers count as 0, and what follows a '+' does not count. Nothing: one of them has
/// another form.
[[nodiscard]] std::optional<std::strong_ordering> compare_versions(std::string_view a,
                                                                   std::string_view b);

/// Reads the mapping `node`, which `in` has too.
void read_plugin_signatures(const YamlNode& node, Fields& in, SignatureSettings& settings);

}  // namespace davit::host
