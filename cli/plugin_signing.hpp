/// `davit plugin keygen`, `davit plugin sign` and `davit plugin verify`.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "host/config/plugin_signatures.hpp"

namespace davit::host {

/// The signature settings of a manifest (empty: none), with these public keys in base64 as well.
/// Nothing after a mistake, which is on `err`.
[[nodiscard]] std::optional<SignatureSettings> read_signature_settings(
    const std::vector<std::string>& keys, const std::string& manifest, std::ostream& err);

struct PluginKeygenOptions {
  std::string file;  ///< For the private key; must not exist.
};

/// Writes an Ed25519 private key with mode 0600, and on `out` the lines for the manifest that make
/// its signatures count. 2: the file exists or cannot be written.
[[nodiscard]] int run_plugin_keygen(const PluginKeygenOptions& options, std::ostream& out,
                                    std::ostream& err);

struct PluginSignOptions {
  std::string key;  ///< File of the private key.
  std::vector<std::string> files;
};

/// Writes a signature beside each plugin (host/loading/signature.hpp) and replaces an existing one.
/// Returns 2 for a key that is unusable or readable by others, or a file that is not a plugin.
[[nodiscard]] int run_plugin_sign(const PluginSignOptions& options, std::ostream& out,
                                  std::ostream& err);

struct PluginVerifyOptions {
  std::vector<std::string> keys;  ///< Public keys in base64.
  std::string manifest;           ///< Its keys are also used; empty: none.
  std::vector<std::string> files;
};

/// Prints whose signature each file has. 2: one has none that counts, or there is no key.
[[nodiscard]] int run_plugin_verify(const PluginVerifyOptions& options, std::ostream& out,
                                    std::ostream& err);

}  // namespace davit::host
