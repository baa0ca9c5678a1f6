#include "host/isolation/child_settings.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lib/kube/json.hpp"

namespace davit::host {

std::string to_text(const ChildSettings& settings) {
  Json controllers = Json::array();
  for (const ChildSettings::Controller& each : settings.controllers) {
    Json one = Json::object({{"name", each.name}, {"config", each.config}});
    if (each.workers) one.set("workers", static_cast<std::int64_t>(*each.workers));
    controllers.push_back(std::move(one));
  }
  return davit::to_text(Json::object({{"plugin", settings.plugin},
                                      {"path", settings.path},
                                      {"sha256", settings.sha256},
                                      {"server", settings.server},
                                      {"tlsServerName", settings.tls_server_name},
                                      {"insecure", settings.is_insecure},
                                      {"ca", settings.ca},
                                      {"manifest", settings.manifest},
                                      {"controllers", std::move(controllers)}}));
}

Result<ChildSettings> parse_child_settings(std::string_view text) {
  const Result<Json> read = parse_json(text);
  if (!read) return read.error().with_context("the settings of the child process");
  const Json& all = *read;
  ChildSettings out;
  out.plugin = all.get("plugin").text();
  out.path = all.get("path").text();
  out.sha256 = all.get("sha256").text();
  out.server = all.get("server").text();
  out.tls_server_name = all.get("tlsServerName").text();
  out.is_insecure = all.get("insecure").boolean();
  out.ca = all.get("ca").text();
  out.manifest = all.get("manifest").text();
  for (const Json& each : all.get("controllers").items()) {
    ChildSettings::Controller one{each.get("name").text(), {}, each.get("config").text()};
    if (const auto workers = each.get("workers").integer()) {
      one.workers = static_cast<std::uint32_t>(*workers);
    }
    out.controllers.push_back(std::move(one));
  }
  if (!out.plugin.empty() && !out.server.empty() && !out.controllers.empty()) return out;
  return Status(Code::kInvalid,
                "the settings of the child process lack plugin, server or controllers");
}

Result<ChildSettings> read_child_settings(int descriptor) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) return Status(Code::kInvalid, "there are no settings");
  std::string text(static_cast<std::size_t>(facts.st_size), '\0');
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return parse_child_settings(text);
}

}  // namespace davit::host
