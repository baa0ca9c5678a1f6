#include "host/loading/signature.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <davit/base64.hpp>
#include <davit/hex.hpp>
#include <davit/kube/time.hpp>
#include <davit/mutant.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "host/loading/digest.hpp"
#include "lib/base/assert.hpp"
#include "lib/base/openssl_owners.hpp"
#include "lib/base/take_until.hpp"
#include "lib/base/unique_fd.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kDated = "davit-signature-v3";
constexpr std::string_view kUndated = "davit-signature-v2";
constexpr std::size_t kPublicKeyBytes = 32;
constexpr std::size_t kSignatureBytes = 64;
constexpr std::size_t kKeyIdDigits = 16;
/// Thirty lines: more keys than a plugin is ever signed with.
constexpr std::size_t kSignatureFileBytesMax = 4096;

using DigestPtr = std::unique_ptr<EVP_MD_CTX, OpenSslFree<EVP_MD_CTX_free>>;

const unsigned char* octets(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

/// `time` is empty for a signature without one.
std::string statement(const SignedPlugin& plugin, const std::string& time) {
  return std::string(time.empty() ? kUndated : kDated) + " " + plugin.digest + " " + plugin.name +
         " " + plugin.version + (time.empty() ? "" : " " + time) + "\n";
}

struct SignatureLine {
  std::string key;        // Its id.
  std::string time;       // As in the line; empty: without one.
  std::string signature;  // 64 bytes.
};

bool is_signed_by(const std::string& public_key, const SignatureLine& line,
                  const SignedPlugin& plugin) {
  const KeyPtr key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, octets(public_key),
                                               public_key.size()));
  const DigestPtr context(EVP_MD_CTX_new());
  if (key == nullptr || context == nullptr) return false;
  if (EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) return false;
  const std::string text = statement(plugin, line.time);
  return EVP_DigestVerify(context.get(), octets(line.signature), line.signature.size(),
                          octets(text), text.size()) == 1;
}

/// Whether a time counts only in the one form in which it is signed.
bool is_exact_time(const std::string& text) {
  const std::optional<WallTime> time = parse_time(text);
  return time && format_time(*time) == text;
}

/// Whether a signature of this key counts, which is a good one.
bool is_in_time(const TrustedKey& key, const SignatureLine& line) {
  if (!key.until || mutant("signature-date")) return true;
  const std::optional<WallTime> time = parse_time(line.time);
  return time && *time <= *key.until;
}

std::optional<SignatureLine> parse_line(std::string_view line) {
  const std::string_view format = take_until(line, " ");
  if (format != kDated && format != kUndated) return std::nullopt;
  SignatureLine out;
  out.key = take_until(line, " ");
  if (out.key.size() != kKeyIdDigits || !is_lower_hex(out.key)) {
    return std::nullopt;
  }
  if (format == kDated) {
    out.time = take_until(line, " ");
    if (!is_exact_time(out.time)) return std::nullopt;
  }
  std::optional<std::string> bytes = decode_base64(line);
  if (!bytes || bytes->size() != kSignatureBytes) return std::nullopt;
  out.signature = std::move(*bytes);
  return out;
}

Result<std::vector<SignatureLine>> parse_lines(std::string_view text) {
  std::vector<SignatureLine> lines;
  while (!text.empty()) {
    std::optional<SignatureLine> line = parse_line(take_until(text, "\n"));
    if (!line) {
      return Status(Code::kForbidden, "line " + std::to_string(lines.size() + 1) +
                                          " of the signature is malformed; it must be \"" +
                                          std::string(kDated) +
                                          " KEY_ID TIME SIGNATURE\": sign the plugin again");
    }
    lines.push_back(std::move(*line));
  }
  if (lines.empty()) return Status(Code::kForbidden, "the signature is empty: sign the plugin");
  return lines;
}

std::string listed(const std::vector<TrustedKey>& keys) {
  std::string out;
  for (const TrustedKey& each : keys) {
    out += (out.empty() ? "" : ", ") + each.name + " " + key_id(each.public_key);
  }
  return out;
}

/// Its content; nothing if there is no such file.
Result<std::optional<std::string>> read_signature(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& text) {
    return Status(Code::kForbidden, "the signature " + path.string() + " " + text);
  };
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid() && errno == ENOENT) return std::optional<std::string>();
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    return refuse("cannot be read: " + std::generic_category().message(errno));
  }
  if (!S_ISREG(info.st_mode)) return refuse("is not a regular file");
  std::array<char, kSignatureFileBytesMax + 1> buffer;
  std::string text;
  while (text.size() <= kSignatureFileBytesMax) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse("cannot be read: " + std::generic_category().message(errno));
    if (got == 0) return std::optional<std::string>(std::move(text));
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return refuse("is larger than 4 KiB");
}

/// A prompt in the middle of a build would hang it.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*rwflag*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

}  // namespace

struct SigningKey::Key {
  KeyPtr handle;
};

SigningKey::SigningKey(std::unique_ptr<Key> key) : key_(std::move(key)) {}
SigningKey::SigningKey(SigningKey&&) noexcept = default;
SigningKey& SigningKey::operator=(SigningKey&&) noexcept = default;
SigningKey::~SigningKey() = default;

std::string key_id(std::string_view public_key) {
  return sha256_hex(public_key).substr(0, kKeyIdDigits);
}

std::filesystem::path signature_path(const std::filesystem::path& plugin) {
  return plugin.string() + ".sig";
}

Result<SigningKey> SigningKey::generate() {
  auto key = std::make_unique<Key>();
  key->handle.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  if (key->handle == nullptr) return Status(Code::kInternal, "OpenSSL cannot make a key");
  return SigningKey(std::move(key));
}

Result<SigningKey> SigningKey::from_pem(std::string_view text) {
  const BioPtr reader = reader_of(text);
  bool asked = false;
  auto key = std::make_unique<Key>();
  key->handle.reset(PEM_read_bio_PrivateKey(reader.get(), nullptr, no_passphrase, &asked));
  if (asked) {
    return Status(Code::kInvalid,
                  "the key is encrypted; decrypt it with openssl pkey, into a file of mode 0600");
  }
  if (key->handle == nullptr || EVP_PKEY_get_id(key->handle.get()) != EVP_PKEY_ED25519) {
    return Status(Code::kInvalid,
                  "is not an Ed25519 private key in PEM; make one with davit plugin keygen");
  }
  return SigningKey(std::move(key));
}

std::string SigningKey::pem() const {
  const BioPtr out(BIO_new(BIO_s_mem()));
  const int done = PEM_write_bio_PrivateKey(out.get(), key_->handle.get(), nullptr, nullptr, 0,
                                            nullptr, nullptr);
  DAVIT_ASSERT(done == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string SigningKey::public_key() const {
  std::array<unsigned char, kPublicKeyBytes> bytes{};
  std::size_t size = bytes.size();
  const int done = EVP_PKEY_get_raw_public_key(key_->handle.get(), bytes.data(), &size);
  DAVIT_ASSERT(done == 1 && size == bytes.size());
  return std::string(reinterpret_cast<const char*>(bytes.data()), size);
}

std::string SigningKey::sign(const SignedPlugin& plugin, std::optional<WallTime> now) const {
  const DigestPtr context(EVP_MD_CTX_new());
  const std::string time = now ? format_time(*now) : "";
  const std::string text = statement(plugin, time);
  std::array<unsigned char, kSignatureBytes> bytes{};
  std::size_t size = bytes.size();
  const bool done =
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_->handle.get()) == 1 &&
      EVP_DigestSign(context.get(), bytes.data(), &size, octets(text), text.size()) == 1;
  DAVIT_ASSERT(done && size == bytes.size());
  const std::string_view signature(reinterpret_cast<const char*>(bytes.data()), size);
  return std::string(now ? kDated : kUndated) + " " + key_id(public_key()) + " " +
         (now ? time + " " : "") + encode_base64(signature) + "\n";
}

Result<std::string> verify_signature(std::string_view text, const SignedPlugin& plugin,
                                     const std::vector<TrustedKey>& keys) {
  const Result<std::vector<SignatureLine>> lines = parse_lines(text);
  if (!lines) return lines.error();
  const TrustedKey* known = nullptr;
  const TrustedKey* late = nullptr;
  for (const SignatureLine& line : *lines) {
    for (const TrustedKey& key : keys) {
      if (key_id(key.public_key) != line.key) continue;
      known = &key;
      if (!is_signed_by(key.public_key, line, plugin)) continue;
      if (is_in_time(key, line)) return key.name;
      late = &key;
    }
  }
  if (late != nullptr) {
    return Status(Code::kForbidden, "the key " + late->name +
                                        " counts only for signatures with a date until " +
                                        format_time(*late->until) + ": sign it with another key");
  }
  if (known != nullptr) {
    return Status(Code::kForbidden, "it has changed since the key " + known->name + " (" +
                                        key_id(known->public_key) +
                                        ") signed it: sign it again if the change is yours");
  }
  return Status(Code::kForbidden, "it is signed by the unknown key " + lines->front().key +
                                      "; trusted are: " + listed(keys));
}

Result<std::string> find_signer(const std::filesystem::path& path, const SignedPlugin& plugin,
                                const std::vector<TrustedKey>& keys) {
  const std::filesystem::path file = signature_path(path);
  const Result<std::optional<std::string>> text = read_signature(file);
  if (!text) return text.error();
  if (*text) return verify_signature(**text, plugin, keys);
  return Status(Code::kNotFound,
                "the signature " + file.string() + " is missing; make it with davit plugin sign");
}

Status check_signature(const std::filesystem::path& path, const SignedPlugin& plugin,
                       const SignatureSettings& settings) {
  if (settings.keys.empty() || mutant("plugin-signature")) return {};
  const Status found = find_signer(path, plugin, settings.keys).error();
  if (found.code() != Code::kNotFound) return found;
  return settings.required ? Status(Code::kForbidden, found.message()) : Status();
}

Status check_version(const SignedPlugin& plugin, const SignatureSettings& settings) {
  const auto lowest = settings.lowest_versions.find(plugin.name);
  if (lowest == settings.lowest_versions.end() || mutant("lowest-version")) return {};
  const auto order = compare_versions(plugin.version, lowest->second);
  if (order && *order != std::strong_ordering::less) return {};
  return Status(Code::kForbidden, "its version is " + plugin.version +
                                      ", the manifest requires at least " + lowest->second);
}

Status check_revoked(const SignedPlugin& plugin, const SignatureSettings& settings) {
  const auto& refused = settings.refused_digests;
  const bool is_refused = std::find(refused.begin(), refused.end(), plugin.digest) != refused.end();
  if (!is_refused || mutant("refused-digest")) return {};
  return Status(Code::kForbidden, "the manifest refuses this build (pluginSignatures." +
                                      std::string("refusedDigests): use another one"));
}

}  // namespace davit::host
