/// The configuration of the controllers.
#pragma once

#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/certificates/signers.hpp"

namespace davit::certificates {

inline constexpr std::string_view kCertificateFileOption = "clusterSigningCertFile";
inline constexpr std::string_view kKeyFileOption = "clusterSigningKeyFile";
inline constexpr std::string_view kDurationOption = "clusterSigningDuration";

/// A signer that runs, and the files of its CA.
struct SignerFiles {
  const Signer* signer;
  std::string certificate_file;
  std::string key_file;
};

/// Rule: docs/spec/certificates.md, A2.
struct SigningConfiguration {
  Duration ttl{};                         ///< The longest validity, of any sign.
  std::vector<SignerFiles> running{};     ///< Empty: nothing is configured.
  std::vector<const Signer*> left_out{};  ///< Those without files beside others with them.
};

/// kInvalid, with upstream's messages: the files do not go together, or a value is none.
[[nodiscard]] Result<SigningConfiguration> read_signing(Value config);

}  // namespace davit::certificates
