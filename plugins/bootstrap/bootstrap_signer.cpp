#include "plugins/bootstrap/bootstrap_signer.hpp"

#include <davit/options.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "plugins/bootstrap/cluster_info.hpp"
#include "plugins/bootstrap/token_signature.hpp"

namespace davit::bootstrap {

InitResult BootstrapSigner::open(Context& cluster) {
  if (Status s = check_options(cluster.config(), {}); !s.ok()) return s;
  auto made = std::make_unique<BootstrapSigner>(cluster);
  if (!made->maps_) return made->maps_.error();
  if (!made->secrets_) return made->secrets_.error();
  return std::unique_ptr<Controller>(std::move(made));
}

BootstrapSigner::BootstrapSigner(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "bootstrap_signer_queue"},
                                [this](const Key& key) { return sync(key); })),
      maps_(cluster.open_dynamic_informer(
          informer_of<ConfigMap>(
              {.ns = kInfoNamespace, .field_selector = kInfoMaps, .field = "data"}, wake()),
          {.added = [this](const ObjectView&) { add(); },
           .updated = [this](const ObjectView&, const ObjectView&) { add(); }})),
      secrets_(cluster.open_dynamic_informer(
          informer_of<TokenSecret>(
              {.ns = kTokenNamespace, .field_selector = kTokenSecrets, .field = "data"}, wake()),
          {.any = [this](const Event<ObjectView>&) { add(); }})) {}

DynamicInformerOptions::Wake BootstrapSigner::wake() const {
  return {queue_, Key{.ns = std::string(kInfoNamespace), .name = std::string(kInfoName)}};
}

void BootstrapSigner::add() const { queue_.add(wake().key); }

Result<Again> BootstrapSigner::sync(const Key& key) const {
  // Tokens that are not in the cache yet would lose their signatures. The informers wake the key.
  if (!maps_->synced().ok() || !secrets_->synced().ok()) return Again::when_changed();
  const Lookup<ObjectView> found = maps_->get(key);
  if (!found) return Again::when_changed();
  const ConfigMap info(found->value());
  const std::optional<std::string_view> content = info.data()["kubeconfig"].text();
  if (!content) return Again::when_changed();
  Signatures wanted;
  for (const ObjectView& object : secrets_->list()) {
    const TokenSecret each(object.value());
    const std::string id = signing_id(each, cluster_.wall_now());
    if (!id.empty()) wanted[signature_key(id)] = signature_of(each, *content);
  }
  const std::string patch = signatures_patch(info, wanted);
  if (patch.empty()) return Again::when_changed();
  const Status written =
      cluster_.client()
          .patch<ConfigMap>(key, PatchType::kMerge, patch, {.answer = Answer::kMetadata})
          .error()
          .unless(Code::kNotFound);
  if (!written.ok()) return written;
  return Again::when_changed();
}

}  // namespace davit::bootstrap
