#include "plugins/certificates/trust_bundle_publisher.hpp"

#include <openssl/evp.h>

#include <array>
#include <chrono>
#include <davit/hex.hpp>
#include <davit/options.hpp>
#include <memory>
#include <span>
#include <utility>

#include "plugins/shared/gates/read_switch.hpp"
#include "plugins/shared/pki/root_ca.hpp"

namespace davit::certificates {
namespace {

constexpr std::string_view kBundleSwitch = "clusterTrustBundle";
constexpr const char* kNotServed =
    "no known scheme version was found for clustertrustbundles, cannot start "
    "kube-apiserver-serving-clustertrustbundle-publisher-controller";

/// G3
std::string name_of(std::string_view certificates) {
  constexpr std::size_t kBytes = 12;  // 24 digits.
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  static_cast<void>(EVP_Digest(certificates.data(), certificates.size(), digest.data(), &size,
                               EVP_sha256(), nullptr));
  return "kubernetes.io:kube-apiserver-serving:" + hex_text(std::span(digest).first(kBytes));
}

template <typename Bundle>
std::string new_bundle(std::string_view name, std::string_view certificates) {
  JsonWriter out;
  out.begin_object().member("kind", Bundle::kResource.kind);
  out.member("apiVersion", Bundle::kResource.api_version());
  out.key("metadata").begin_object().member("name", name).end_object();
  out.key("spec").begin_object().member("signerName", kServingSigner);
  out.member("trustBundle", certificates).end_object().end_object();
  return std::move(out).text();
}

std::string bundle_patch(const TrustBundle& bundle, std::string_view certificates) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", bundle.uid());
  out.member("resourceVersion", bundle.resource_version()).end_object();
  out.key("spec").begin_object().member("trustBundle", certificates).end_object().end_object();
  return std::move(out).text();
}

template <typename Bundle>
std::unique_ptr<Controller> publisher(Context& cluster, std::string certificates) {
  return std::make_unique<TrustBundlePublisher<Bundle>>(cluster, std::move(certificates));
}

}  // namespace

InitResult open_trust_bundle_publisher(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = pki::check_text_options(
          config, {kBundleSwitch, pki::kRootCaFileOption, pki::kRootCaOption});
      !s.ok()) {
    return s;
  }
  const Result<bool> on = gates::read_switch(config, kBundleSwitch);
  if (!on) return on.error();
  if (!*on) return cluster.skip("the feature gate ClusterTrustBundle is off");
  Result<std::string> certificates = pki::read_root_ca(config);
  if (!certificates) return certificates.error();
  if (certificates->empty()) return cluster.skip("there is no CA to publish");
  const Status beta = cluster.client().resource_exists(TrustBundle::kResource);
  if (beta.ok()) return publisher<TrustBundle>(cluster, *std::move(certificates));
  if (beta.code() != Code::kNotFound) {
    return beta.with_context("discovery failed for ClusterTrustBundle");
  }
  const Status alpha = cluster.client().resource_exists(AlphaTrustBundle::kResource);
  if (alpha.ok()) return publisher<AlphaTrustBundle>(cluster, *std::move(certificates));
  if (alpha.code() != Code::kNotFound) {
    return alpha.with_context("discovery failed for ClusterTrustBundle");
  }
  return cluster.skip(kNotServed);
}

template <typename Bundle>
TrustBundlePublisher<Bundle>::TrustBundlePublisher(Context& cluster, std::string certificates)
    : cluster_(cluster),
      certificates_(std::move(certificates)),
      name_(name_of(certificates_)),
      queue_(cluster.open_queue({.name = "ca_cert_publisher_cluster_trust_bundles"},
                                [this](const Key&) { return sync(); })),
      bundles_(cluster.open_informer<Bundle>(
          {.any = [this](const Event<Bundle>&) { queue_.add(Key{.ns = {}, .name = name_}); }},
          {.field_selector = kServingBundles})),
      metrics_(cluster, {.total = "clustertrustbundle_publisher_sync_total",
                         .duration = "clustertrustbundle_publisher_sync_duration_seconds",
                         .help = "Number of syncs of the publisher of ClusterTrustBundles."}) {
  // Without any bundle no event comes.
  cluster.start_timer({}, [this] { queue_.add(Key{.ns = {}, .name = name_}); });
}

template <typename Bundle>
Result<Again> TrustBundlePublisher<Bundle>::sync() const {
  const Time begin = cluster_.now();
  Status outcome = publish();
  if (outcome.ok()) outcome = remove_others();
  metrics_.record(outcome, begin);
  if (!outcome.ok()) return outcome;
  return Again::when_changed();
}

template <typename Bundle>
Status TrustBundlePublisher<Bundle>::publish() const {
  const Lookup<Bundle> bundle = bundles_.get("", name_);
  constexpr WriteOptions kOptions{.answer = Answer::kMetadata};
  if (!bundle) {
    return cluster_.client()
        .create<Bundle>("", new_bundle<Bundle>(name_, certificates_), kOptions)
        .error();
  }
  if (bundle->certificates() == certificates_) return {};
  return cluster_.client()
      .patch<Bundle>(bundle->key(), PatchType::kMerge, bundle_patch(*bundle, certificates_),
                     kOptions)
      .error();
}

template <typename Bundle>
Status TrustBundlePublisher<Bundle>::remove_others() const {
  Status last;
  for (const Bundle& each : bundles_.list()) {
    if (each.name() == name_) continue;
    const Status deleted =
        cluster_.client().template remove<Bundle>(each.key()).unless(Code::kNotFound);
    if (deleted.ok()) continue;
    cluster_.log().error("a ClusterTrustBundle of another CA cannot be deleted",
                         {{"bundle", each.name()}, {"error", deleted.message()}});
    last = deleted;
  }
  return last;
}

template class TrustBundlePublisher<TrustBundle>;
template class TrustBundlePublisher<AlphaTrustBundle>;

}  // namespace davit::certificates
