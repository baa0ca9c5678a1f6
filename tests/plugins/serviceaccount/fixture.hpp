/// A cluster in memory for the controllers of the plugin, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/serviceaccount/note.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::serviceaccount {

class ServiceAccountTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  using Verb = testing::Verb;
  using Make = std::function<InitResult(Context&)>;

  void TearDown() override;

  void start(std::string_view controller, const Make& make, std::string_view config = {});
  /// The error of a start that fails.
  [[nodiscard]] Status refusal(std::string_view controller, const Make& make,
                               std::string_view config);
  void settle() { cluster_.run_until_idle(); }

  void add_namespace(const std::string& name, std::string_view patch = "{}");
  /// A finalizer keeps it, and the server refuses new content.
  void add_terminating_namespace(const std::string& name);
  /// The ServiceAccount "s" of the namespace "ns".
  void add_account(std::string_view uid = "uid-s", std::string_view patch = "{}");
  /// The token Secret "t" of "s".
  void add_secret(std::string_view patch = "{}");
  template <typename View>
  void merge(std::string_view name, std::string_view patch) {
    cluster_.merge<View>({"ns", std::string(name)}, patch);
    settle();
  }
  template <typename View>
  [[nodiscard]] Json json(std::string_view name) {
    return cluster_.json<View>({"ns", std::string(name)});
  }
  template <typename View>
  [[nodiscard]] bool has(std::string_view name) {
    return cluster_.find<View>({"ns", std::string(name)}).has_value();
  }

  /// The requests of the controllers, a line each.
  [[nodiscard]] std::vector<std::string> requests() const;
  /// A file with this content, for the configuration.
  [[nodiscard]] std::string file(const std::string& name, std::string_view content) const {
    return directory_.write(name, content);
  }

  testing::Cluster cluster_{{.note = note_text<serviceaccount::declare>()}};

 private:
  void add(Json object, std::string_view patch);

  host::TempDirectory directory_;
};

/// A certificate in PEM, made once.
[[nodiscard]] const std::string& certificate();
/// Another one.
[[nodiscard]] const std::string& other_certificate();

/// A new private key in PEM: "RSA" in PKCS#8, else SEC 1 on a curve such as "P-256".
[[nodiscard]] std::string private_key(const std::string& kind);
/// A new private key of any type in PKCS#8: "ED25519", or as private_key().
[[nodiscard]] std::string pkcs8_key(const std::string& kind);

/// The three parts of a compact JSON Web Signature, decoded.
struct DecodedToken {
  testing::Json header;
  testing::Json claims;
  std::string signature;
  std::string signed_text;
};
[[nodiscard]] DecodedToken decode_token(const std::string& token);
/// Decodes base64, with the alphabet for URLs or the usual one.
[[nodiscard]] std::string decode_base64(std::string text);
/// Whether the signature is that of the key. That of an ECDSA key consists of two plain numbers.
[[nodiscard]] bool is_signed_by(const DecodedToken& token, const std::string& private_key);

}  // namespace davit::serviceaccount
