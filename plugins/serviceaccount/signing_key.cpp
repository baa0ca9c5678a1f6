#include "plugins/serviceaccount/signing_key.hpp"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace davit::serviceaccount {
namespace {

/// Memory that OpenSSL has allocated.
using Bytes = std::unique_ptr<unsigned char,
                              decltype([](unsigned char* held) { OPENSSL_clear_free(held, 0); })>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// The key in a PEM block of that name; null if it is none.
PrivateKeyHandle key_in(std::string_view block, const unsigned char* data, long size) {
  const unsigned char* at = data;
  if (block == PEM_STRING_RSA) {
    return PrivateKeyHandle(d2i_PrivateKey(EVP_PKEY_RSA, nullptr, &at, size));
  }
  if (block == PEM_STRING_ECPRIVATEKEY) {
    return PrivateKeyHandle(d2i_PrivateKey(EVP_PKEY_EC, nullptr, &at, size));
  }
  if (block == PEM_STRING_PKCS8INF) {
    return PrivateKeyHandle(d2i_AutoPrivateKey(nullptr, &at, size));
  }
  return nullptr;
}

/// The first private key of a PEM text; null: it has none.
PrivateKeyHandle first_key(std::string_view pem) {
  const BioHandle bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  while (bio && PEM_read_bio(bio.get(), &name, &header, &data, &size) == 1) {
    PrivateKeyHandle key = key_in(name, data, size);
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_clear_free(data, static_cast<std::size_t>(size));
    if (key) return key;
  }
  return nullptr;
}

std::string fingerprint(EVP_PKEY& key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(&key, &der);
  const Bytes held(der);
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

std::string encode_base64(std::string_view bytes) {
  constexpr std::size_t kGroup = 3;  // Bytes become four characters.
  std::string out((bytes.size() + kGroup - 1) / kGroup * 4 + 1, '\0');  // OpenSSL adds a NUL.
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(bytes),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string encode_base64_url(std::string_view bytes) {
  std::string out = encode_base64(bytes);
  while (out.ends_with('=')) out.pop_back();
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

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
  PrivateKeyHandle key = first_key(pem);
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
