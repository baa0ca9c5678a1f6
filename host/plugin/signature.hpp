/// Signatures of plugins: Ed25519 (RFC 8032) over a statement that has the file's SHA-256 digest.
///
/// The signature of `x.so` is in `x.so.sig`, a line of text for each key that signed it, so that
/// the plugin's own bytes, and with them its digest, stay as they were built:
///
///     davit-signature-v1 KEY_ID SIGNATURE
///
/// KEY_ID: the first 16 hex digits of the SHA-256 digest of the public key's 32 bytes. SIGNATURE:
/// base64 of 64 bytes. What is signed: the line "davit-signature-v1 DIGEST\n", DIGEST in lower-case
/// hex. The first word keeps a signature of something else from counting as one of a plugin.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/plugin_signatures.hpp"

namespace davit::host {

/// 16 lower-case hex digits that name a public key of 32 bytes.
[[nodiscard]] std::string key_id(std::string_view public_key);

/// `x.so.sig` for `x.so`.
[[nodiscard]] std::filesystem::path signature_path(const std::filesystem::path& plugin);

/// A private key.
class SigningKey {
 public:
  /// kInternal: OpenSSL has no randomness.
  [[nodiscard]] static Result<SigningKey> generate();
  /// The key in a PEM text (PKCS #8), as `openssl genpkey -algorithm ed25519` writes it. kInvalid:
  /// there is none, it is encrypted, or of another kind.
  [[nodiscard]] static Result<SigningKey> from_pem(std::string_view text);

  SigningKey(SigningKey&&) noexcept;
  SigningKey& operator=(SigningKey&&) noexcept;
  ~SigningKey();

  /// A secret: keep it out of messages.
  [[nodiscard]] std::string pem() const;
  [[nodiscard]] std::string public_key() const;
  /// The line, with its line break, for a file with this digest.
  [[nodiscard]] std::string sign(std::string_view digest) const;

 private:
  struct Key;
  explicit SigningKey(std::unique_ptr<Key> key);

  std::unique_ptr<Key> key_;
};

/// The key that signed the file, which is what `keys` call it; kForbidden with the reason, which
/// does not name the plugin, if `text`, the content of its signature file, has no signature of
/// `digest` by one of `keys`.
[[nodiscard]] Result<std::string> verify_signature(std::string_view text, std::string_view digest,
                                                   const std::vector<TrustedKey>& keys);

/// The same for the plugin at `path`: reads its signature file. kNotFound: there is none.
[[nodiscard]] Result<std::string> find_signer(const std::filesystem::path& path,
                                              std::string_view digest,
                                              const std::vector<TrustedKey>& keys);

/// Whether the plugin at `path`, whose bytes have `digest`, may run. Reads its signature file, and
/// nothing at all if `settings` have no keys. kForbidden: one line that says what to do and does
/// not name the plugin.
[[nodiscard]] Status check_signature(const std::filesystem::path& path, std::string_view digest,
                                     const SignatureSettings& settings);

}  // namespace davit::host
