/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/options.hpp>

#include "plugins/certificates/access_review.hpp"
#include "plugins/certificates/approving_controller.hpp"
#include "plugins/certificates/pod_request_cleaner.hpp"
#include "plugins/certificates/request_cleaner.hpp"
#include "plugins/certificates/signers.hpp"
#include "plugins/certificates/signing_controller.hpp"
#include "plugins/certificates/trust_bundle_publisher.hpp"
#include "plugins/certificates/views.hpp"

namespace davit::certificates {

/// Has no objects: the server asks for rights to it where it admits what signers write.
inline constexpr Resource kSignerRights{kGroup, "v1", "signers", "Signer"};

/// The server sends only the bundles of the one signer.
constexpr void declare(Note& note) {
  note.plugin("certificates", "0.1.0")
      .controller({.name = "certificatesigningrequest-signing-controller",
                   .factory = &SigningController::open,
                   .aliases = {"csrsigning"},
                   .workers = 5,
                   .client_name = "certificate-controller"})
      .rule<SigningRequest>({"patch"}, {.subresource = "status"})
      .rule(kSignerRights, {"sign"},
            {.resource_names = {kSigners[0].name, kSigners[1].name, kSigners[2].name,
                                kSigners[3].name}})
      .watch<SigningRequest>({"spec", "status"});
  note.controller({.name = "certificatesigningrequest-approving-controller",
                   .factory = &make_without_options<ApprovingController>,
                   .aliases = {"csrapproving"},
                   .workers = 5,
                   .client_name = "certificate-controller"})
      .rule<SigningRequest>({"patch"}, {.subresource = "approval"})
      .rule(kSignerRights, {"approve"}, {.resource_names = {kKubeletClientSigner}})
      .rule<AccessReview>({"create"})
      .watch<SigningRequest>({"spec", "status"});
  note.controller({.name = "certificatesigningrequest-cleaner-controller",
                   .factory = &make_without_options<RequestCleaner>,
                   .aliases = {"csrcleaner"},
                   .client_name = "certificate-controller"})
      .rule<SigningRequest>({"delete"})
      .watch<SigningRequest>({"metadata.creationTimestamp", "status"});
  note.controller({.name = "podcertificaterequest-cleaner-controller",
                   .factory = &PodRequestCleaner::open,
                   .client_name = "podcertificaterequestcleaner"})
      .rule<PodCertificateRequest>({"delete"})
      .watch<PodCertificateRequest>({"metadata.creationTimestamp"});
  note.controller({.name = "kube-apiserver-serving-clustertrustbundle-publisher-controller",
                   .factory = &open_trust_bundle_publisher})
      .rule<TrustBundle>({"create", "patch", "delete"})
      .rule(kSignerRights, {"attest"}, {.resource_names = {kServingSigner}})
      .watch<TrustBundle>({"spec.trustBundle"}, {.field_selector = kServingBundles})
      .watch<AlphaTrustBundle>({"spec.trustBundle"}, {.field_selector = kServingBundles});
}

}  // namespace davit::certificates
