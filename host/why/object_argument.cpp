#include "host/why/object_argument.hpp"

#include <algorithm>

#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& each : out) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  }
  return out;
}

bool is_called(const ResourceInfo& info, std::string_view word) {
  return info.resource == word || info.singular == word || lower(info.kind) == word ||
         std::find(info.short_names.begin(), info.short_names.end(), word) !=
             info.short_names.end();
}

/// Whether "deployments.apps" or "deployments.v1.apps" may mean it; `rest` follows the first dot.
bool is_of(const ResourceInfo& info, std::string_view rest) {
  return rest.empty() || info.group == rest || info.version + "." + info.group == rest;
}

}  // namespace

Result<ObjectArgument> resolve_object(std::string_view argument, const ApiCatalog& catalog) {
  const std::size_t slash = argument.find('/');
  const std::string_view name =
      slash == std::string_view::npos ? std::string_view() : argument.substr(slash + 1);
  if (slash == 0 || name.empty() || name.find('/') != std::string_view::npos) {
    return Status(Code::kInvalid, short_json_string(argument) +
                                      " does not name an object: write KIND/NAME, such as "
                                      "deployment/web");
  }
  const std::string kind = lower(argument.substr(0, slash));
  const std::size_t dot = kind.find('.');
  const std::string_view word = std::string_view(kind).substr(0, dot);
  const std::string_view rest =
      dot == std::string::npos ? std::string_view() : std::string_view(kind).substr(dot + 1);
  for (const ApiCatalog::Group& group : catalog.groups) {
    for (const ApiCatalog::Version& version : group.versions) {
      for (const ResourceInfo& info : version.resources) {
        if (is_called(info, word) && is_of(info, rest)) {
          return ObjectArgument{info, std::string(name)};
        }
      }
    }
  }
  return Status(Code::kNotFound, "the server has no resource " + short_json_string(kind));
}

}  // namespace davit::host
