/// References to artifacts in a registry, as `source` of the manifest and the commands take them.
/// Pure.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit::host {

/// "registry.example.com/team/greeter:1.2.0@sha256:…". Rules: distribution-spec v1.1.1, "Pulling
/// manifests".
struct OciReference {
  std::string registry;    ///< Host, with a port where it is not 443: "127.0.0.1:5000".
  std::string repository;  ///< "team/greeter"
  std::string tag;         ///< May be empty if there is a digest.
  std::string digest;      ///< "sha256:" and 64 hex digits; may be empty if there is a tag.

  /// The reference without "oci://".
  [[nodiscard]] std::string text() const;
  /// The name to ask the registry for: the digest if there is one, else the tag.
  [[nodiscard]] const std::string& wanted() const { return digest.empty() ? tag : digest; }

  /// With or without "oci://". Without a tag and a digest, the tag is "latest", except for
  /// `Tag::kRequired`. kInvalid: one line that begins with "must be".
  enum class Tag { kRequired, kAny };
  [[nodiscard]] static Result<OciReference> parse(std::string_view text, Tag tag = Tag::kAny);

  friend bool operator==(const OciReference&, const OciReference&) = default;
};

/// Whether this is "sha256:" and 64 lower-case hex digits.
[[nodiscard]] bool is_oci_digest(std::string_view text);
/// Whether this may be a tag.
[[nodiscard]] bool is_oci_tag(std::string_view text);

}  // namespace davit::host
