/// A cluster in memory for the controllers of the plugin, under the rights of its note.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/base64.hpp>
#include <davit/testing/cluster.hpp>
#include <map>
#include <string>
#include <vector>

#include "plugins/bootstrap/note.hpp"

namespace davit::bootstrap {

class BootstrapTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  using Verb = testing::Verb;
  using Data = std::map<std::string, std::string>;

  static constexpr const char* kSecretText = "0123456789abcdef";

  void TearDown() override {
    EXPECT_THAT(cluster_.violations(), ::testing::IsEmpty());
    EXPECT_THAT(cluster_.events(), ::testing::IsEmpty()) << "CERT114: none of them records any";
    for (const testing::LogRecord& each : cluster_.log()) {
      for (const auto& [key, value] : each.fields) {
        EXPECT_EQ(value.find(kSecretText), std::string::npos) << "CERT115";
      }
    }
  }
  void settle() { cluster_.run_until_idle(); }

  /// The data of the token "abcdef" that signs.
  [[nodiscard]] static Data good() {
    return {
        {"token-id", "abcdef"}, {"token-secret", kSecretText}, {"usage-bootstrap-signing", "true"}};
  }
  [[nodiscard]] static Data good_until(const std::string& expiration) {
    Data data = good();
    data["expiration"] = expiration;
    return data;
  }
  struct Secret {
    std::string name = "bootstrap-token-abcdef";
    std::string ns = "kube-system";
    std::string type = "bootstrap.kubernetes.io/token";
    std::string uid = "uid-abcdef";
  };
  void add_token(const Data& data, const Secret& secret) {
    Json object = Json::must(R"({"apiVersion":"v1","kind":"Secret"})");
    object["metadata"]["name"] = secret.name;
    object["metadata"]["namespace"] = secret.ns;
    object["metadata"]["uid"] = secret.uid;
    object["type"] = secret.type;
    object["data"] = Json::object();
    for (const auto& [key, value] : data) object["data"][key] = encode_base64(value);
    cluster_.add(object);
    settle();
  }
  void add_token(const Data& data) { add_token(data, Secret{}); }
  [[nodiscard]] bool has_token(const std::string& name = "bootstrap-token-abcdef",
                               const std::string& ns = "kube-system") {
    return cluster_.find<TokenSecret>({ns, name}).has_value();
  }
  /// The requests of the controllers, a line each.
  [[nodiscard]] std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
    return out;
  }

  testing::Cluster cluster_{{.note = note_text<bootstrap::declare>()}};
};

}  // namespace davit::bootstrap
