#include <algorithm>
#include <cstring>
#include <davit/discovery.hpp>
#include <davit/kube/group_version.hpp>
#include <string>

namespace davit {
namespace {

/// The `index`-th entry of an array of entries that may be shorter or longer than ours.
template <typename T>
T entry(const T* first, std::size_t size, std::size_t index) {
  T out{};
  std::memcpy(static_cast<void*>(&out), reinterpret_cast<const char*>(first) + index * size,
              std::min(size, sizeof(T)));
  return out;
}

Status missing() { return {Code::kUnsupported, "the host lacks the capability davit.discovery/1"}; }

template <typename Call>
Result<ServedCatalog> read(const Api& api, const Call& call) {
  if (api.discovery == nullptr) return missing();
  davit_catalog raw{};
  raw.size = sizeof(raw);
  const davit_code code = call(*api.discovery, raw);
  if (code != DAVIT_OK) return api.failure_of(code, "discovery failed");
  ServedCatalog out;
  out.fetched = Time(Duration(raw.fetched_ns));
  for (std::size_t i = 0; i < raw.resource_count; ++i) {
    out.resources.emplace_back(entry<davit_served_resource>(raw.resources, raw.resource_size, i));
  }
  for (std::size_t i = 0; i < raw.unknown_count; ++i) {
    const auto each = entry<davit_unknown_version>(raw.unknown, raw.unknown_size, i);
    out.unknown.push_back({from_c(each.group), from_c(each.version), from_c(each.message)});
  }
  return out;
}

template <typename Call>
Result<ServedResource> look_up(const Api& api, const Call& call) {
  if (api.discovery == nullptr) return missing();
  davit_served_resource raw{};
  raw.size = sizeof(raw);
  const davit_code code = call(*api.discovery, raw);
  if (code == DAVIT_OK) return ServedResource(raw);
  return api.failure_of(
      code, code == DAVIT_NOT_FOUND ? "the server does not offer it" : "discovery failed");
}

}  // namespace

bool ServedCatalog::is_unknown(std::string_view group, std::string_view version) const {
  return std::any_of(unknown.begin(), unknown.end(), [&](const UnknownVersion& each) {
    return each.group == group && each.version == version;
  });
}

Result<ServedResource> Discovery::find(std::string_view group, std::string_view version,
                                       std::string_view resource) const {
  return look_up(*api_, [&](const davit_discovery_v1& table, davit_served_resource& out) {
    return table.find(api_->call(), to_c(group), to_c(version), to_c(resource), &out);
  });
}

Result<ServedResource> Discovery::find_kind(std::string_view api_version,
                                            std::string_view kind) const {
  const GroupVersion of = split_api_version(api_version);
  return look_up(*api_, [&](const davit_discovery_v1& table, davit_served_resource& out) {
    return table.find_kind(api_->call(), to_c(of.group), to_c(of.version), to_c(kind), &out);
  });
}

Result<ServedCatalog> Discovery::catalog() const {
  return read(*api_, [this](const davit_discovery_v1& table, davit_catalog& out) {
    return table.catalog(api_->call(), &out);
  });
}

Result<ServedCatalog> Discovery::fetch() const {
  return read(*api_, [this](const davit_discovery_v1& table, davit_catalog& out) {
    return table.fetch(api_->call(), &out);
  });
}

Status Discovery::wake(const Queue& queue, const Key& key) const {
  if (api_->discovery == nullptr) return missing();
  const std::string text = key.text();
  const davit_code code = api_->discovery->wake(api_->call(), queue.handle(), to_c(text));
  return code == DAVIT_OK ? Status()
                          : api_->failure_of(code, "the host refused to watch discovery");
}

void Discovery::refresh() const {
  if (api_->discovery != nullptr) static_cast<void>(api_->discovery->refresh(api_->call()));
}

}  // namespace davit
