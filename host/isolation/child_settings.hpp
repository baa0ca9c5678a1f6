/// The settings with which a child process runs its plugin: the part of the manifest that concerns
/// it, and the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

struct ChildSettings {
  struct Controller {
    std::string name;
    std::optional<std::uint32_t> workers;  ///< Nothing: as the plugin declares.
    std::string config;                    ///< JSON text of an object; empty: none.
    friend bool operator==(const Controller&, const Controller&) = default;
  };

  std::string plugin;                   ///< The name that the file must declare.
  std::string path;                     ///< The origin of its bytes, for messages.
  std::string sha256;                   ///< Their digest.
  std::vector<Controller> controllers;  ///< Those that run.
  std::string server;                   ///< As ConnectionConfig has them.
  std::string tls_server_name;
  bool is_insecure = false;
  std::string ca;  ///< PEM; empty: the system's.
  /// A manifest without plugins: client, journal, logging, gates.
  std::string manifest;

  friend bool operator==(const ChildSettings&, const ChildSettings&) = default;
};

[[nodiscard]] std::string to_text(const ChildSettings& settings);
/// kInvalid: not such a text.
[[nodiscard]] Result<ChildSettings> parse_child_settings(std::string_view text);
/// The same for the content of a file.
[[nodiscard]] Result<ChildSettings> read_child_settings(int descriptor);

}  // namespace davit::host
