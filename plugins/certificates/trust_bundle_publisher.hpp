/// The publisher of the CA of the API server's certificate.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <string>
#include <string_view>

#include "plugins/certificates/views.hpp"
#include "plugins/shared/pki/sync_metrics.hpp"

namespace davit::certificates {

inline constexpr std::string_view kServingSigner = "kubernetes.io/kube-apiserver-serving";
inline constexpr std::string_view kServingBundles =
    "spec.signerName=kubernetes.io/kube-apiserver-serving";

/// A ClusterTrustBundle in the version that is asked for first.
class TrustBundle : public ObjectView {
 public:
  static constexpr Resource kResource = {kGroup, "v1beta1", "clustertrustbundles",
                                         "ClusterTrustBundle"};
  using ObjectView::ObjectView;

  [[nodiscard]] std::string_view certificates() const { return spec()["trustBundle"].string(); }
};

/// The same in the version of older servers.
class AlphaTrustBundle : public TrustBundle {
 public:
  static constexpr Resource kResource = {kGroup, "v1alpha1", "clustertrustbundles",
                                         "ClusterTrustBundle"};
  using TrustBundle::TrustBundle;
};

/// Keeps one bundle of the signer, and deletes its others.
/// Rule: docs/spec/certificates.md, part G.
template <typename Bundle>
class TrustBundlePublisher final : public Controller {
 public:
  /// `certificates`: the bundle in PEM.
  TrustBundlePublisher(Context& cluster, std::string certificates);

 private:
  [[nodiscard]] Result<Again> sync() const;
  [[nodiscard]] Status publish() const;
  [[nodiscard]] Status remove_others() const;

  Context& cluster_;
  const std::string certificates_;
  const std::string name_;
  Queue queue_;
  Informer<Bundle> bundles_;
  pki::SyncMetrics metrics_;
};

/// Reads the configuration and the file that it names. Skipped unless the feature gate is on, there
/// is a CA, and the server has the resource.
[[nodiscard]] InitResult open_trust_bundle_publisher(Context& cluster);

}  // namespace davit::certificates
