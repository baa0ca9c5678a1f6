/// Signatures of plugins: Ed25519 (RFC 8032) over a statement that has the file's SHA-256 digest
/// and the name and version that it declares.
///
/// The signature of `x.so` is in `x.so.sig`, a line of text for each key that signed it, so that
/// the plugin's own bytes, and with them its digest, stay as they were built:
///
///     davit-signature-v3 KEY_ID TIME SIGNATURE
///
/// KEY_ID: the first 16 hex digits of the SHA-256 digest of the public key's 32 bytes. SIGNATURE:
/// base64 of 64 bytes. TIME: that of signing, as RFC 3339 has it ("2026-11-30T14:00:00Z"). What is
/// signed: the line "davit-signature-v3 DIGEST NAME VERSION TIME\n", DIGEST in lower-case hex; none
/// of the four has a space. The first word keeps a signature of something else from counting as one
/// of a plugin. Lines of version 2 are the same without TIME.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/plugin_signatures.hpp"

namespace davit::host {

/// The facts that a signature confirms.
struct SignedPlugin {
  std::string digest;
  std::string name;     ///< As the file declares it.
  std::string version;  ///< Likewise.
};

/// 16 lower-case hex digits that name a public key of 32 bytes.
[[nodiscard]] std::string key_id(std::string_view public_key);

/// `x.so.sig` for `x.so`.
[[nodiscard]] std::filesystem::path signature_path(const std::filesystem::path& plugin);

/// A private key.
class SigningKey {
 public:
  /// kInternal: OpenSSL has no randomness.
  [[nodiscard]] static Result<SigningKey> generate();
  /// The key in a PEM text (PKCS #8), as `openssl genpkey -algorithm ed25519` writes it. kInvalid
  /// if the text has no key, or one that is encrypted or of another kind.
  [[nodiscard]] static Result<SigningKey> from_pem(std::string_view text);

  SigningKey(SigningKey&&) noexcept;
  SigningKey& operator=(SigningKey&&) noexcept;
  ~SigningKey();

  /// A secret: keep it out of messages.
  [[nodiscard]] std::string pem() const;
  [[nodiscard]] std::string public_key() const;
  /// The line, with its line break, for this plugin: of version 3 with a time, else of version 2.
  [[nodiscard]] std::string sign(const SignedPlugin& plugin,
                                 std::optional<WallTime> now = std::nullopt) const;

 private:
  struct Key;
  explicit SigningKey(std::unique_ptr<Key> key);

  std::unique_ptr<Key> key_;
};

/// The key that signed the file, which is what `keys` call it; kForbidden with the reason, which
/// does not name the plugin, if `text`, the content of its signature file, has no signature of
/// `plugin` by one of `keys`.
[[nodiscard]] Result<std::string> verify_signature(std::string_view text,
                                                   const SignedPlugin& plugin,
                                                   const std::vector<TrustedKey>& keys);

/// The same for the plugin at `path`: reads its signature file. kNotFound without such a file.
[[nodiscard]] Result<std::string> find_signer(const std::filesystem::path& path,
                                              const SignedPlugin& plugin,
                                              const std::vector<TrustedKey>& keys);

/// Whether the plugin at `path` may run. Reads its signature file, unless `settings` have no keys.
/// kForbidden: one line that says what to do and does not name the plugin.
[[nodiscard]] Status check_signature(const std::filesystem::path& path, const SignedPlugin& plugin,
                                     const SignatureSettings& settings);

/// Whether the plugin is at least as new as `settings` require: an older build may have a fault
/// that its signature knows nothing of. kForbidden: one line that does not name the plugin.
[[nodiscard]] Status check_version(const SignedPlugin& plugin, const SignatureSettings& settings);

/// Whether `settings` refuse this very file. kForbidden: one line that does not name the plugin.
[[nodiscard]] Status check_revoked(const SignedPlugin& plugin, const SignatureSettings& settings);

}  // namespace davit::host
