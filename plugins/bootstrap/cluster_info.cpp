#include "plugins/bootstrap/cluster_info.hpp"

#include <davit/json_writer.hpp>
#include <utility>

namespace davit::bootstrap {
namespace {

constexpr std::string_view kSignaturePrefix = "jws-kubeconfig-";

}  // namespace

std::string signature_key(std::string_view id) {
  return std::string(kSignaturePrefix) + std::string(id);
}

std::string signatures_patch(const ConfigMap& info, const Signatures& wanted) {
  JsonWriter out;
  bool differs = false;
  std::size_t present = 0;
  out.begin_object().key("metadata").begin_object().member("uid", info.uid());
  out.member("resourceVersion", info.resource_version()).end_object();
  out.key("data").begin_object();
  for (const Member& each : info.data().members()) {
    if (!each.key.starts_with(kSignaturePrefix)) continue;
    ++present;
    const auto found = wanted.find(each.key);
    if (found == wanted.end()) out.key(each.key).null();
    differs = differs || found == wanted.end() || found->second != each.value.string();
  }
  for (const auto& [key, signature] : wanted) out.member(key, signature);
  out.end_object().end_object();
  return differs || present != wanted.size() ? std::move(out).text() : "";
}

}  // namespace davit::bootstrap
