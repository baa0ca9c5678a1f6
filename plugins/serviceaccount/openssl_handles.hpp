/// Owners of what OpenSSL allocates.
#pragma once

#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

namespace davit::serviceaccount {

/// Frees with the C function `kFree`.
template <auto kFree>
struct FreedBy {
  template <typename T>
  void operator()(T* held) const noexcept {
    kFree(held);
  }
};

using BioHandle = std::unique_ptr<BIO, FreedBy<&BIO_free_all>>;
using CertificateHandle = std::unique_ptr<X509, FreedBy<&X509_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreedBy<&EVP_MD_CTX_free>>;
using PrivateKeyHandle = std::unique_ptr<EVP_PKEY, FreedBy<&EVP_PKEY_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, FreedBy<&ECDSA_SIG_free>>;

}  // namespace davit::serviceaccount
