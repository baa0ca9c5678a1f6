#include "plugins/volumeprotection/finalizers.hpp"

#include <davit/json_writer.hpp>
#include <utility>
#include <vector>

namespace davit::volumeprotection {
namespace {

std::vector<std::string_view> others_of(const ObjectView& object, std::string_view finalizer) {
  std::vector<std::string_view> out;
  for (const Value each : object.metadata()[&Names::finalizers].elements()) {
    if (each.string() != finalizer) out.push_back(each.string());
  }
  return out;
}

std::string finalizers_patch(const ObjectView& object,
                             const std::vector<std::string_view>& finalizers) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", object.uid());
  out.member("resourceVersion", object.resource_version()).key("finalizers");
  if (finalizers.empty()) {
    out.null();
  } else {
    out.begin_array();
    for (const std::string_view each : finalizers) out.string(each);
    out.end_array();
  }
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace

std::string patch_with(const ObjectView& object, std::string_view finalizer) {
  std::vector<std::string_view> finalizers = others_of(object, finalizer);
  finalizers.push_back(finalizer);
  return finalizers_patch(object, finalizers);
}

std::string patch_without(const ObjectView& object, std::string_view finalizer) {
  return finalizers_patch(object, others_of(object, finalizer));
}

}  // namespace davit::volumeprotection
