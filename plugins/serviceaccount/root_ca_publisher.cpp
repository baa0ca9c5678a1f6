#include "plugins/serviceaccount/root_ca_publisher.hpp"

#include <memory>
#include <utility>

#include "plugins/serviceaccount/configuration.hpp"

namespace davit::serviceaccount {

InitResult RootCaPublisher::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_text_options(config, {kRootCaFileOption, kRootCaOption}); !s.ok()) return s;
  Result<std::string> bundle = read_root_ca(config);
  if (!bundle) return bundle.error();
  return std::unique_ptr<Controller>(
      std::make_unique<RootCaPublisher>(cluster, *std::move(bundle)));
}

RootCaPublisher::RootCaPublisher(Context& cluster, std::string bundle)
    : cluster_(cluster),
      bundle_(std::move(bundle)),
      queue_(cluster.open_queue({.name = "root_ca_cert_publisher"},
                                [this](const Key& key) { return sync(key); })),
      namespaces_(cluster.open_informer<Namespace>(
          {.added = [this](const Namespace& ns) { queue_.add(ns); },
           .updated =
               [this](const Namespace&, const Namespace& ns) {
                 if (ns.is_active()) queue_.add(ns);
               }})),
      maps_(cluster.open_informer<ConfigMap>(
          {.updated =
               [this](const ConfigMap&, const ConfigMap& map) {
                 queue_.add({.ns = {}, .name = std::string(map.ns())});
               },
           .deleted =
               [this](const ConfigMap& map) {
                 queue_.add({.ns = {}, .name = std::string(map.ns())});
               }},
          {.field_selector = kRootCaMaps})),
      metrics_(cluster, {.total = "root_ca_cert_publisher_sync_total",
                         .duration = "root_ca_cert_publisher_sync_duration_seconds",
                         .help = "Number of namespace syncs happened in root ca cert publisher."}) {
}

Result<Again> RootCaPublisher::sync(const Key& key) const {
  const Time begin = cluster_.now();
  const Status outcome = publish(key.name);
  metrics_.record(outcome, begin);
  if (!outcome.ok()) return outcome;
  return Again::when_changed();
}

Status RootCaPublisher::publish(const std::string& ns) const {
  const Lookup<ConfigMap> map = maps_.get(ns, kRootCaMap);
  if (!map) return create(ns);
  if (is_current(*map, bundle_)) return {};
  return cluster_.client()
      .update<ConfigMap>(map->key(), corrected_map(*map, bundle_), {.answer = Answer::kMetadata})
      .error();
}

Status RootCaPublisher::create(const std::string& ns) const {
  const Status created = cluster_.client()
                             .create<ConfigMap>(ns, new_map(bundle_), {.answer = Answer::kMetadata})
                             .error();
  if (created.has_cause(kNamespaceTerminating)) return {};
  return created.unless(Code::kNotFound);
}

}  // namespace davit::serviceaccount
