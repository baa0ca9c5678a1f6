/// The private key that signs tokens of ServiceAccounts.
#pragma once

#include <davit/base64.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "plugins/shared/pki/openssl_handles.hpp"

namespace davit::serviceaccount {

using pki::PrivateKeyHandle;

/// An RSA key (RS256) or an ECDSA key on P-256, P-384 or P-521 (ES256, ES384, ES512). Constant, so
/// that all threads may sign at once. Rule: docs/spec/serviceaccount.md, C1 and C8.
class SigningKey {
 public:
  /// The first PEM block that is a private key in PKCS#1, SEC 1 or PKCS#8; others are skipped.
  /// kInvalid: there is none, or it is of another type or curve.
  [[nodiscard]] static Result<SigningKey> parse(std::string_view pem);

  /// As JSON Web Algorithms name it: "RS256".
  [[nodiscard]] std::string_view algorithm() const { return scheme_->algorithm; }
  /// Names the public key: base64url of the SHA-256 of its DER form.
  [[nodiscard]] const std::string& id() const { return id_; }
  /// The signature in the form of JSON Web Signatures. kInternal: OpenSSL fails.
  [[nodiscard]] Result<std::string> sign(std::string_view text) const;

 private:
  /// Signs with one kind of key.
  struct Scheme {
    std::string_view group;  ///< OpenSSL's name of the curve; empty: RSA.
    std::string_view algorithm;
    const EVP_MD* (*digest)();
    int number_size;  ///< Bytes of each of the two numbers of a signature; 0: RSA.
  };
  static const Scheme kSchemes[];

  SigningKey(PrivateKeyHandle key, const Scheme& scheme, std::string id)
      : key_(std::move(key)), scheme_(&scheme), id_(std::move(id)) {}
  [[nodiscard]] static const Scheme* scheme_of(const EVP_PKEY& key);
  [[nodiscard]] static Result<SigningKey> make(PrivateKeyHandle key);

  PrivateKeyHandle key_;
  const Scheme* scheme_;
  std::string id_;
};

}  // namespace davit::serviceaccount
