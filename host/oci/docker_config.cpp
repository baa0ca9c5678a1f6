#include "host/oci/docker_config.hpp"

#include <cstdlib>
#include <davit/base64.hpp>
#include <utility>

#include "lib/base/take_until.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {
namespace {

/// "index.docker.io" for "https://index.docker.io/v1/": old logins are below a URL.
std::string_view host_of(std::string_view key) {
  if (const std::size_t mark = key.find("://"); mark != std::string_view::npos) {
    key.remove_prefix(mark + 3);
  }
  return take_until(key, "/");
}

/// The member for a registry.
const Json* find_host(const Json& hosts, std::string_view registry) {
  const std::string_view other = registry == "docker.io" ? "index.docker.io" : registry;
  for (const Json::Member& each : hosts.members()) {
    const std::string_view host = host_of(each.key);
    if (host == registry || host == other) return &each.value;
  }
  return nullptr;
}

Status helper(const std::string& registry) {
  return Status(Code::kUnsupported,
                "a credential helper keeps the login for " + registry +
                    ", and davit runs none: log in with a separate DOCKER_CONFIG folder whose "
                    "config.json has \"auths\" only");
}

}  // namespace

std::string docker_config_path() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string folder = variable("DOCKER_CONFIG"); !folder.empty()) {
    return folder + "/config.json";
  }
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.docker/config.json";
}

Result<std::optional<RegistryLogin>> find_login(std::string_view text,
                                                const std::string& registry) {
  const Result<Json> config = parse_json(text);
  if (!config || !config->is_object()) return Status(Code::kInvalid, "is not a JSON object");
  if (find_host(config->get("credHelpers"), registry) != nullptr) return helper(registry);
  const Json* const entry = find_host(config->get("auths"), registry);
  if (entry == nullptr) return std::optional<RegistryLogin>();
  if (!entry->text_at({"identitytoken"}).empty() || !entry->text_at({"registrytoken"}).empty()) {
    return Status(Code::kUnsupported,
                  "the login for " + registry + " is a token; davit needs a user and a password");
  }
  const std::string& user = entry->text_at({"username"});
  if (!user.empty()) {
    return std::optional(RegistryLogin{user, entry->text_at({"password"})});
  }
  const std::string& both = entry->text_at({"auth"});
  if (both.empty()) {
    // An empty entry says that the store of the whole file has it.
    if (!config->text_at({"credsStore"}).empty()) return helper(registry);
    return std::optional<RegistryLogin>();
  }
  const std::optional<std::string> decoded = decode_base64(both);
  const std::size_t colon = decoded ? decoded->find(':') : std::string::npos;
  if (colon == std::string::npos) {
    return Status(Code::kInvalid, "the login for " + registry + " is malformed");
  }
  return std::optional(RegistryLogin{decoded->substr(0, colon), decoded->substr(colon + 1)});
}

Result<std::optional<RegistryLogin>> read_login(const std::string& path,
                                                const std::string& registry) {
  if (path.empty()) return std::optional<RegistryLogin>();
  const Result<std::string> text = read_text_file(path);
  if (!text && text.error().code() == Code::kNotFound) return std::optional<RegistryLogin>();
  if (!text) return text.error().with_context(path);
  Result<std::optional<RegistryLogin>> login = find_login(*text, registry);
  if (!login) return login.error().with_context(path);
  return login;
}

}  // namespace davit::host
