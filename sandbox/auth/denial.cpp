#include "lib/base/json_text.hpp"
#include "sandbox/auth/auth.hpp"

namespace davit::sandbox {
namespace {

std::string full_resource(const AccessAttributes& what) {
  return what.subresource.empty() ? what.name_of_resource
                                  : what.name_of_resource + "/" + what.subresource;
}

}  // namespace

std::string denial(const UserInfo& who, const AccessAttributes& what, std::string_view reason) {
  std::string out = "User " + json_string(who.name) + " cannot " + what.verb;
  if (!what.resource) {
    out += " path " + json_string(what.path);
  } else {
    out += " resource " + json_string(full_resource(what)) + " in API group " +
           json_string(what.group);
    out += what.ns.empty() ? " at the cluster scope" : " in the namespace " + json_string(what.ns);
  }
  return reason.empty() ? out : out + ": " + std::string(reason);
}

std::string forbidden_message(const UserInfo& who, const AccessAttributes& what,
                              std::string_view reason) {
  const std::string why = "forbidden: " + denial(who, what, reason);
  if (!what.resource) return why;
  std::string out =
      what.group.empty() ? what.name_of_resource : what.name_of_resource + "." + what.group;
  if (!what.name.empty()) out += " " + json_string(what.name);
  return out + " is " + why;
}

}  // namespace davit::sandbox
