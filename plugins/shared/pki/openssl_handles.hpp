/// Owners of what OpenSSL allocates.
#pragma once

#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string_view>

namespace davit::pki {

/// Frees with the C function `kFree`.
template <auto kFree>
struct FreedBy {
  template <typename T>
  void operator()(T* held) const noexcept {
    kFree(held);
  }
};

/// Memory that OpenSSL has allocated.
using BytesHandle =
    std::unique_ptr<unsigned char, decltype([](unsigned char* held) { OPENSSL_free(held); })>;
using BioHandle = std::unique_ptr<BIO, FreedBy<&BIO_free_all>>;
using CertificateHandle = std::unique_ptr<X509, FreedBy<&X509_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreedBy<&EVP_MD_CTX_free>>;
using PrivateKeyHandle = std::unique_ptr<EVP_PKEY, FreedBy<&EVP_PKEY_free>>;
using RequestHandle = std::unique_ptr<X509_REQ, FreedBy<&X509_REQ_free>>;
using NameHandle = std::unique_ptr<X509_NAME, FreedBy<&X509_NAME_free>>;
using ExtensionHandle = std::unique_ptr<X509_EXTENSION, FreedBy<&X509_EXTENSION_free>>;
using GeneralNamesHandle = std::unique_ptr<GENERAL_NAMES, FreedBy<&GENERAL_NAMES_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, FreedBy<&ECDSA_SIG_free>>;

/// The bytes of a text, as OpenSSL's functions take them.
[[nodiscard]] inline const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace davit::pki
