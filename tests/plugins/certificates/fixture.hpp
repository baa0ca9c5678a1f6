/// A cluster in memory for the controllers of the plugin, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/certificates/note.hpp"
#include "tests/plugins/certificates/made.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::certificates {

inline constexpr const char* kSigning = "certificatesigningrequest-signing-controller";
inline constexpr const char* kApproving = "certificatesigningrequest-approving-controller";
inline constexpr const char* kClient = "kubernetes.io/kube-apiserver-client";
inline constexpr const char* kServing = "kubernetes.io/kubelet-serving";
inline constexpr const char* kKubelet = "kubernetes.io/kube-apiserver-client-kubelet";

class CertificatesTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  using Verb = testing::Verb;
  using Usages = std::initializer_list<const char*>;

  void TearDown() override;

  /// Adds a request that is pending.
  void add_request(const std::string& name, const std::string& signer, const std::string& pem,
                   Usages usages, std::string_view patch = "{}");
  /// Adds a condition, as an administrator.
  void decide(const std::string& name, const std::string& type,
              const std::string& time = "2024-05-01T12:00:00Z");
  void settle() { cluster_.run_until_idle(); }

  [[nodiscard]] Json json(const std::string& name) {
    return cluster_.json<SigningRequest>({"", name});
  }
  [[nodiscard]] bool has(const std::string& name) {
    return cluster_.find<SigningRequest>({"", name}).has_value();
  }
  /// The certificate in PEM; empty: there is none.
  [[nodiscard]] std::string certificate(const std::string& name);
  /// "Failed SignerValidationFailure usages did not match …" for each condition.
  [[nodiscard]] std::vector<std::string> conditions(const std::string& name);
  /// The requests of the controllers, a line each.
  [[nodiscard]] std::vector<std::string> requests() const;
  [[nodiscard]] std::string file(const std::string& name, std::string_view content) const {
    return directory_.write(name, content);
  }
  /// Replaces a file as editors and mounts do: by another one of that name.
  void replace(const std::string& name, std::string_view content) const;
  void remove_file(const std::string& name) const { directory_.remove(name); }

  testing::Cluster cluster_{{.note = note_text<certificates::declare>()}};

 private:
  host::TempDirectory directory_;
};

}  // namespace davit::certificates
