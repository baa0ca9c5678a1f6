#include "cli/validate/open_definition.hpp"

#include <cctype>
#include <utility>

#include "lib/kube/json.hpp"
#include "sandbox/crd/open_definition.hpp"

namespace davit::host {

std::string open_definition(const DeclaredWatch& watch) {
  std::string kind = watch.resource.substr(0, watch.resource.size() - 1);
  if (!kind.empty()) kind[0] = static_cast<char>(std::toupper(kind[0]));
  return sandbox::definition_text({.group = watch.group,
                                   .version = watch.version,
                                   .plural = watch.resource,
                                   .kind = std::move(kind)});
}

std::string version_patch(const DeclaredWatch& watch) {
  const Json definition = json_literal(open_definition(watch));
  Json version = definition.get("spec").get("versions").items().front();
  version.set("storage", false);
  return to_text(Json::array({Json::object(
      {{"op", "add"}, {"path", "/spec/versions/-"}, {"value", std::move(version)}})}));
}

}  // namespace davit::host
