/// A client of registries: the HTTP API of distribution-spec v1.1, over the host's HTTP client.
///
/// Registries need HTTPS, except those on this machine. The content that a registry sends is
/// bounded before it is read, and judged by its digest afterwards (host/oci/bundle.hpp). A login
/// goes to the registry and to the server of tokens that it names, both over HTTPS; a redirect gets
/// none.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "host/config/oci_reference.hpp"
#include "host/oci/bundle.hpp"
#include "host/oci/docker_config.hpp"
#include "host/outbound/outbound_client.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"

namespace davit::host {

struct RegistryOptions {
  std::string login_file;       ///< docker's config.json; empty: anonymous.
  std::string ca_file;          ///< PEM file with the only roots that count; empty: the system's.
  OutboundConnector connect{};  ///< Empty: over sockets.
  std::stop_token stop{};       ///< Ends every request.
};

/// One repository. One thread at a time; blocks.
class Registry final : public BundleSource {
 public:
  /// `clock` and the sink of `log` must outlive it. kInvalid or kUnsupported: the login cannot be
  /// used.
  [[nodiscard]] static Result<std::unique_ptr<Registry>> open(const OciReference& reference,
                                                              const RegistryOptions& options,
                                                              Clock& clock, const Logger& log);
  ~Registry() override;

  /// kNotFound: there is nothing with this tag or digest. kForbidden: a login is missing or not
  /// sufficient. kUnavailable: the registry does not respond as one.
  [[nodiscard]] Result<std::string> document(const std::string& wanted) override;
  [[nodiscard]] Result<std::string> blob(const OciDescriptor& descriptor) override;

  /// Uploads what the registry lacks, and lets `tag`, or nothing if it is empty, name the artifact.
  /// Parts that others refer to come first, so that an artifact is never incomplete.
  [[nodiscard]] Status push(const OciArtifact& artifact, const std::string& tag);

  /// All tags of the repository, in the registry's order.
  [[nodiscard]] Result<std::vector<std::string>> tags();

  struct Parts;  ///< For open().
  explicit Registry(std::unique_ptr<Parts> parts);

 private:
  const std::unique_ptr<Parts> parts_;
};

/// The parameters of a challenge of a 401 (RFC 9110, section 11.6.1).
struct AuthChallenge {
  std::string scheme;  ///< "bearer" or "basic", in lower case.
  std::string realm;
  std::string service;
};

/// The first challenge in a WWW-Authenticate header that davit can meet; an empty scheme: none.
[[nodiscard]] AuthChallenge parse_challenge(std::string_view header);

}  // namespace davit::host
