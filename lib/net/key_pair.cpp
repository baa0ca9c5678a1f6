#include "lib/net/key_pair.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/net/pem_block.hpp"

namespace davit {
namespace {

/// The first block of a kind, and the types of those before it.
struct Search {
  std::optional<PemBlock> found;
  std::vector<std::string> skipped;

  [[nodiscard]] bool skipped_only(std::string_view ending) const {
    return skipped.size() == 1 && skipped.front().ends_with(ending);
  }
  /// "[A B]"
  [[nodiscard]] std::string types() const {
    std::string out;
    for (const std::string& each : skipped) out += (out.empty() ? "" : " ") + each;
    return '[' + out + ']';
  }
};

template <typename Wanted>
Search search(const std::string& pem, const Wanted& wanted) {
  const BioPtr in = reader_of(pem);
  Search out;
  while (std::optional<PemBlock> block = next_block(in.get())) {
    if (wanted(block->type)) {
      out.found = std::move(block);
      return out;
    }
    out.skipped.push_back(block->type);
  }
  return out;
}

bool is_certificate(const std::string& type) { return type == "CERTIFICATE"; }
bool is_key(const std::string& type) {
  return type == "PRIVATE KEY" || type.ends_with(" PRIVATE KEY");
}

std::string missing_certificate(const Search& search) {
  if (search.skipped.empty()) return "tls: failed to find any PEM data in certificate input";
  if (search.skipped_only("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private "
           "key; PEM inputs may have been switched";
  }
  return "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
         "blocks of the following types: " +
         search.types();
}

std::string missing_key(const Search& search) {
  if (search.skipped.empty()) return "tls: failed to find any PEM data in key input";
  if (search.skipped_only("CERTIFICATE")) {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after "
         "skipping PEM blocks of the following types: " +
         search.types();
}

/// Whether a server can have a key of this kind.
bool is_known(const EVP_PKEY* key) {
  constexpr std::array<const char*, 3> kKinds = {"RSA", "EC", "ED25519"};
  return std::ranges::any_of(kKinds,
                             [&](const char* each) { return EVP_PKEY_is_a(key, each) == 1; });
}

}  // namespace

std::string key_pair_problem(const KeyPair& pair) {
  const Search certificate_block = search(pair.certificate, is_certificate);
  if (!certificate_block.found) return missing_certificate(certificate_block);
  const Search key_block = search(pair.key, is_key);
  if (!key_block.found) return missing_key(key_block);
  const auto leaf = decoded<CertificatePtr, d2i_X509>(certificate_block.found->bytes);
  if (!leaf) return "x509: malformed certificate";
  const auto secret = decoded<KeyPtr, d2i_AutoPrivateKey>(key_block.found->bytes);
  if (!secret || !is_known(secret.get())) return "tls: failed to parse private key";
  const EVP_PKEY* open = X509_get0_pubkey(leaf.get());
  if (open == nullptr || !is_known(open)) return "tls: unknown public key algorithm";
  const int equal = EVP_PKEY_eq(open, secret.get());
  ERR_clear_error();
  if (equal == 1) return "";
  return equal == -1 ? "tls: private key type does not match public key type"
                     : "tls: private key does not match public key";
}

}  // namespace davit
