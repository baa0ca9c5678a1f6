/// Names in certificates, for the .cpp files that talk to OpenSSL themselves.
#pragma once

#include <openssl/x509.h>

#include <string>
#include <vector>

namespace davit {

/// The values of one field of a name, such as NID_organizationName, in their order and in UTF-8.
[[nodiscard]] std::vector<std::string> name_entries(const X509_NAME* name, int nid);
/// The host names and addresses that a server's certificate is for; without any, its common name.
[[nodiscard]] std::vector<std::string> names_of(const X509* certificate);
/// The certificate in DER; empty when OpenSSL refuses.
[[nodiscard]] std::string to_der(const X509* certificate);

}  // namespace davit
