/// The signing controller: issues the certificates of approved requests.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "plugins/certificates/ca_files.hpp"
#include "plugins/certificates/certificate_request.hpp"
#include "plugins/certificates/configuration.hpp"
#include "plugins/certificates/views.hpp"

namespace davit::certificates {

/// Each signer has its own queue and workers, so that a signer with a broken CA does not delay the
/// others. Rule: docs/spec/certificates.md, part A.
class SigningController final : public Controller {
 public:
  /// Reads the configuration and the files that it names.
  [[nodiscard]] static InitResult open(Context& cluster);

  /// A signer with its CA.
  struct Running {
    const Signer* signer;
    std::unique_ptr<CaFiles> files;
  };

  SigningController(Context& cluster, Duration ttl, std::vector<Running> running);

 private:
  [[nodiscard]] Result<Again> sync(const Running& running, const Key& key) const;
  /// Writes why a request is not signed.
  [[nodiscard]] Status fail(const SigningRequest& object, std::string_view why) const;
  [[nodiscard]] Result<std::string> make_certificate(const CaFiles& files,
                                                     const CertificateRequest& request,
                                                     const SigningRequest& object) const;
  /// Adds the key to the queue of its signer.
  void add(const SigningRequest& object) const;
  /// Has every CA that has changed read again.
  [[nodiscard]] Result<Again> poll_files() const;

  Context& cluster_;
  const Duration ttl_;
  const std::vector<Running> running_;
  std::vector<Queue> queues_;  // One for each of running_.
  Informer<SigningRequest> requests_;
};

}  // namespace davit::certificates
