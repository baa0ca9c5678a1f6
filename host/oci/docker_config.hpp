/// Credentials for registries, from docker's config.json as `docker login`, `podman login` and
/// image pull secrets of Kubernetes write it. The format: docker's cli/config/configfile.
#pragma once

#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit::host {

struct RegistryLogin {
  std::string user;
  std::string password;  ///< A secret: keep it out of messages.
};

/// The file that docker reads: $DOCKER_CONFIG/config.json, else ~/.docker/config.json; empty if the
/// environment names neither.
[[nodiscard]] std::string docker_config_path();

/// The login for `registry` ("registry.example.com:5000") in `text`, the content of a config.json;
/// nothing: none is there, so that requests are anonymous. kInvalid: malformed. kUnsupported: it is
/// kept by a credential helper, or is an identity token, which davit does not use; the line says
/// what to do. Errors contain nothing of the file's values.
[[nodiscard]] Result<std::optional<RegistryLogin>> find_login(std::string_view text,
                                                              const std::string& registry);

/// The same for the file at `path`; nothing if there is no file, or `path` is empty.
[[nodiscard]] Result<std::optional<RegistryLogin>> read_login(const std::string& path,
                                                              const std::string& registry);

}  // namespace davit::host
