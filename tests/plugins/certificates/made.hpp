/// CAs and requests that tests make, and a reader of the certificates that they get.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plugins/shared/pki/openssl_handles.hpp"

namespace davit::certificates {

/// 2024-05-01, noon: the time at which a test's cluster begins.
inline constexpr std::int64_t kNoon = 1'714'564'800;
inline constexpr std::int64_t kYear = 31'536'000;

struct MadeCa {
  std::string certificate;
  std::string key;
};
struct CaOptions {
  std::string key = "P-256";  ///< As OpenSSL names curves, or "RSA", "ED25519".
  std::int64_t not_after = kNoon + 10 * kYear;
  bool has_key_id = true;
};
/// A CA with a new key, in PEM.
[[nodiscard]] MadeCa make_ca(const CaOptions& options = {});

/// One attribute of a subject: "O", "system:nodes".
struct Attribute {
  std::string type;
  std::string text;
  int kind = V_ASN1_UTF8STRING;
};
struct RequestOptions {
  std::vector<Attribute> subject{};
  std::string alternative_names{};  ///< As in OpenSSL's configuration: "DNS:a,IP:10.0.0.1".
  bool wants_ca = false;
  std::string key = "P-256";
  int extension_attribute = NID_ext_req;
  int names_times = 1;  ///< Requests of the extension subjectAltName.
  const EVP_MD* digest = nullptr;
};
/// A PKCS#10 request with a new key, in PEM.
[[nodiscard]] std::string make_request(const RequestOptions& options = {});
/// A request whose signature is that of another.
[[nodiscard]] std::string make_forged_request();
/// A request for an RSA key of 16 bits, which is too short to sign anything.
[[nodiscard]] std::string make_request_of_16_bits();
/// A request of CN=alice that an RSA key of 16,384 bits has signed: making one takes a minute.
[[nodiscard]] std::string request_of_16384_bits();
/// The subject of a node, and what its tests add.
[[nodiscard]] std::vector<Attribute> node_subject(std::vector<Attribute> more = {});

/// A certificate that was issued.
class Issued {
 public:
  explicit Issued(const std::string& pem);

  [[nodiscard]] bool is_signed_by(const std::string& ca) const;
  /// "O=dev,CN=alice"; values of one RDN have "+" between them.
  [[nodiscard]] std::string subject() const;
  [[nodiscard]] std::string issuer() const;
  [[nodiscard]] std::int64_t not_before() const;
  [[nodiscard]] std::int64_t not_after() const;
  [[nodiscard]] std::string serial() const;
  [[nodiscard]] int serial_bits() const;
  [[nodiscard]] long version() const { return X509_get_version(held_.get()) + 1; }
  /// OpenSSL's name of the algorithm.
  [[nodiscard]] std::string algorithm() const;
  /// Short names in order; critical ones end in "!".
  [[nodiscard]] std::vector<std::string> extensions() const;
  /// As OpenSSL prints it; empty: there is none.
  [[nodiscard]] std::string extension(int type) const;
  /// Whether the certificate is for the key of this request.
  [[nodiscard]] bool is_for(const std::string& request) const;

 private:
  pki::CertificateHandle held_;
};

}  // namespace davit::certificates
