#include "plugins/serviceaccount/publish_plan.hpp"

#include <davit/json_writer.hpp>
#include <optional>
#include <utility>

#include "plugins/shared/pods/json_rewrite.hpp"
namespace davit::serviceaccount {
namespace {

using pods::Replacement;
using pods::rewrite_object;

constexpr std::string_view kBundleKey = "ca.crt";
constexpr std::string_view kDescriptionAnnotation = "kubernetes.io/description";
constexpr std::string_view kDescription =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters.";

void write_data(JsonWriter& out, std::string_view bundle) {
  out.begin_object().member(kBundleKey, bundle).end_object();
}

/// The cached metadata with upstream's description among the annotations.
void write_metadata(JsonWriter& out, const ConfigMap& cached) {
  const Replacement description{kDescriptionAnnotation,
                                [](JsonWriter& to) { to.string(kDescription); }};
  const Replacement annotations{"annotations", [&](JsonWriter& to) {
                                  rewrite_object(to, cached.annotations(), {&description, 1});
                                }};
  rewrite_object(out, cached.metadata(), {&annotations, 1});
}

}  // namespace

bool is_current(const ConfigMap& map, std::string_view bundle) {
  const Value data = map.data();
  const std::optional<std::string_view> present = data[kBundleKey].text();
  return data.count() == 1 && present == bundle &&
         !map.annotation(kDescriptionAnnotation).value_or("").empty();
}

std::string new_map(std::string_view bundle) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("name", kRootCaMap);
  out.key("annotations").begin_object().member(kDescriptionAnnotation, kDescription);
  out.end_object().end_object().key("data");
  write_data(out, bundle);
  out.end_object();
  return std::move(out).text();
}

std::string corrected_map(const ConfigMap& cached, std::string_view bundle) {
  // Items of lists have neither apiVersion nor kind.
  const Replacement replacements[] = {
      {"apiVersion", [](JsonWriter& to) { to.string("v1"); }},
      {"kind", [](JsonWriter& to) { to.string("ConfigMap"); }},
      {"metadata", [&](JsonWriter& to) { write_metadata(to, cached); }},
      {"data", [&](JsonWriter& to) { write_data(to, bundle); }}};
  JsonWriter out;
  rewrite_object(out, cached.value(), replacements);
  return std::move(out).text();
}

}  // namespace davit::serviceaccount
