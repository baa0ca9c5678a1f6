#include "plugins/serviceaccount/signing_key.hpp"

#include <openssl/bn.h>
#include <openssl/ec.h>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "plugins/shared/pki/pem.hpp"

namespace davit::serviceaccount {

using pki::bytes_of;
using pki::BytesHandle;
using pki::DigestContext;
using pki::EcdsaSignature;

namespace {

std::string fingerprint(EVP_PKEY& key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(&key, &der);
  const BytesHandle held(der);
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned written = 0;
  if (size <= 0 || EVP_Digest(der, static_cast<std::size_t>(size), out.data(), &written,
                              EVP_sha256(), nullptr) != 1) {
    return "";
  }
  return encode_base64_url({reinterpret_cast<const char*>(out.data()), written});
}

/// The signature's two numbers as they are, from their DER form.
std::optional<std::string> raw_numbers(std::string_view der, int number_size) {
  const unsigned char* at = bytes_of(der);
  const EcdsaSignature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (!signature) return std::nullopt;
  std::string out(static_cast<std::size_t>(2 * number_size), '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  const bool fits =
      BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), to, number_size) > 0 &&
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), to + number_size, number_size) > 0;
  return fits ? std::optional(out) : std::nullopt;
}

}  // namespace

const SigningKey::Scheme SigningKey::kSchemes[] = {{"", "RS256", &EVP_sha256, 0},
                                                   {"prime256v1", "ES256", &EVP_sha256, 32},
                                                   {"secp384r1", "ES384", &EVP_sha384, 48},
                                                   {"secp521r1", "ES512", &EVP_sha512, 66}};

const SigningKey::Scheme* SigningKey::scheme_of(const EVP_PKEY& key) {
  std::array<char, 64> group{};
  std::size_t size = 0;
  if (EVP_PKEY_is_a(&key, "EC") == 1) {
    if (EVP_PKEY_get_group_name(&key, group.data(), group.size(), &size) != 1) return nullptr;
  } else if (EVP_PKEY_is_a(&key, "RSA") != 1) {
    return nullptr;
  }
  for (const Scheme& each : kSchemes) {
    if (each.group == std::string_view(group.data(), size)) return &each;
  }
  return nullptr;
}

Result<SigningKey> SigningKey::parse(std::string_view pem) {
  PrivateKeyHandle key = pki::first_private_key(pem);
  if (!key) {
    return Status(Code::kInvalid, "data does not contain a valid RSA or ECDSA private key");
  }
  return make(std::move(key));
}

Result<SigningKey> SigningKey::make(PrivateKeyHandle key) {
  const Scheme* scheme = scheme_of(*key);
  if (scheme == nullptr) {
    return Status(Code::kInvalid,
                  "unknown private key type or curve; use RSA, or ECDSA on P-256, P-384 or P-521");
  }
  std::string id = fingerprint(*key);
  if (id.empty()) return Status(Code::kInvalid, "the private key has no public key");
  return SigningKey(std::move(key), *scheme, std::move(id));
}

Result<std::string> SigningKey::sign(std::string_view text) const {
  const DigestContext context(EVP_MD_CTX_new());
  const Status failed(Code::kInternal, "OpenSSL cannot sign a token");
  std::size_t size = 0;
  if (!context ||
      EVP_DigestSignInit(context.get(), nullptr, scheme_->digest(), nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, bytes_of(text), text.size()) != 1) {
    return failed;
  }
  std::string out(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                     bytes_of(text), text.size()) != 1) {
    return failed;
  }
  out.resize(size);
  if (scheme_->number_size == 0) return out;
  std::optional<std::string> numbers = raw_numbers(out, scheme_->number_size);
  if (!numbers) return failed;
  return *std::move(numbers);
}

}  // namespace davit::serviceaccount
