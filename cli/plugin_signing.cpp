#include "cli/plugin_signing.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <davit/base64.hpp>
#include <filesystem>
#include <ostream>
#include <system_error>
#include <utility>

#include "host/config/manifest.hpp"
#include "host/loading/plugin_file.hpp"
#include "host/loading/signature.hpp"
#include "host/process/exit_codes.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/file_trust.hpp"
#include "lib/base/replace_file.hpp"
#include "lib/base/text_file.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/base/write_all.hpp"

namespace davit::host {
namespace {

int refuse_signing(std::ostream& err, const std::string& text) {
  err << "davit: " << text << "\n";
  return kExitMistakes;
}

std::string reason_of(int error) { return std::generic_category().message(error); }

/// Writes a file that does not exist yet. Its mode never is a wider one, not even at first.
Status write_new(const std::string& path, const std::string& text, mode_t mode) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.valid() || !write_all(file.get(), text)) {
    return Status(Code::kInvalid, "cannot write " + path + ": " + reason_of(errno));
  }
  return {};
}

Result<SigningKey> read_key(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.error().with_context(path);
  if (is_readable_by_others(path)) {
    return Status(Code::kForbidden,
                  path + ": others may read this private key; run chmod go= on it");
  }
  Result<SigningKey> key = SigningKey::from_pem(*text);
  if (!key) return key.error().with_context(path);
  return key;
}

SignedPlugin signed_form(const PluginFile& plugin) {
  return {plugin.digest, plugin.declaration.name, plugin.declaration.version};
}

}  // namespace

std::optional<SignatureSettings> read_signature_settings(const std::vector<std::string>& keys,
                                                         const std::string& manifest,
                                                         std::ostream& err) {
  SignatureSettings settings;
  if (!manifest.empty()) {
    ManifestResult read = load_manifest(manifest);
    for (const Mistake& each : read.mistakes) err << "davit: " << each.str() << "\n";
    if (!read.ok()) return std::nullopt;
    settings = std::move(read.manifest.plugin_signatures);
  }
  for (const std::string& each : keys) {
    Result<std::string> bytes = parse_public_key(each);
    if (!bytes) {
      err << "davit: --public-key " << bytes.error().message() << "\n";
      return std::nullopt;
    }
    const std::string name = "--public-key " + std::to_string(&each - keys.data() + 1);
    settings.keys.push_back({name, std::move(*bytes)});
  }
  return settings;
}

int run_plugin_keygen(const PluginKeygenOptions& options, std::ostream& out, std::ostream& err) {
  constexpr mode_t kMode = 0600;
  const Result<SigningKey> key = SigningKey::generate();
  if (!key) return refuse_signing(err, key.error().message());
  if (Status s = write_new(options.file, key->pem(), kMode); !s.ok()) {
    return refuse_signing(err, s.message());
  }
  const std::string name = std::filesystem::path(options.file).stem().string();
  out << "pluginSignatures:\n  keys:\n    - name: \"" << name
      << "\"\n      publicKey: " << encode_base64(key->public_key()) << "\n";
  return kExitGood;
}

int run_plugin_sign(const PluginSignOptions& options, std::ostream& out, std::ostream& err) {
  const Result<SigningKey> key = read_key(options.key);
  if (!key) return refuse_signing(err, key.error().message());
  const WallTime now = make_system_clock()->wall_now();
  int code = kExitGood;
  for (const std::string& each : options.files) {
    const Result<PluginFile> plugin = inspect_plugin(each);
    if (!plugin) {
      code = refuse_signing(err, plugin.error().message());
      continue;
    }
    const std::string path = signature_path(each).string();
    const std::string line = key->sign(signed_form(*plugin), now);
    if (Status s = replace_file(path, line, Readable::kByAll); !s.ok()) {
      code = refuse_signing(err, s.message());
      continue;
    }
    out << path << ": " << plugin->declaration.name << " " << plugin->declaration.version
        << ", signed with the key " << key_id(key->public_key()) << "\n";
  }
  return code;
}

int run_plugin_verify(const PluginVerifyOptions& options, std::ostream& out, std::ostream& err) {
  const std::optional<SignatureSettings> read =
      read_signature_settings(options.keys, options.manifest, err);
  if (!read) return kExitMistakes;
  const SignatureSettings& settings = *read;
  if (settings.keys.empty()) {
    return refuse_signing(err,
                          "no key to check with: give --public-key, or a --manifest with "
                          "pluginSignatures.keys");
  }
  int code = kExitGood;
  for (const std::string& each : options.files) {
    const Result<PluginFile> file = inspect_plugin(each);
    if (!file) {
      code = refuse_signing(err, file.error().message());
      continue;
    }
    const SignedPlugin plugin = signed_form(*file);
    const Result<std::string> signer = find_signer(each, plugin, settings.keys);
    Status refused = signer ? check_version(plugin, settings) : signer.error();
    if (refused.ok()) refused = check_revoked(plugin, settings);
    if (!refused.ok()) {
      code = refuse_signing(err, "plugin " + each + ": " + refused.message());
      continue;
    }
    out << each << ": " << plugin.name << " " << plugin.version << ", signed with the key "
        << *signer << "\n";
  }
  return code;
}

}  // namespace davit::host
