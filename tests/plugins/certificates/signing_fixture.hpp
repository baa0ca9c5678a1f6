/// The signing controller with a CA in files.
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/certificates/signing_controller.hpp"
#include "tests/plugins/certificates/fixture.hpp"

namespace davit::certificates {

class SigningTest : public CertificatesTest {
 protected:
  void write_ca(const MadeCa& ca) {
    ca_ = ca;
    static_cast<void>(file("ca.crt", ca.certificate));
    static_cast<void>(file("ca.key", ca.key));
  }
  /// The general pair, and a duration.
  [[nodiscard]] std::string config(const std::string& ttl = "24h") const {
    return R"({"clusterSigningCertFile":")" + path("ca.crt") + R"(","clusterSigningKeyFile":")" +
           path("ca.key") + R"(","clusterSigningDuration":")" + ttl + R"("})";
  }
  /// The path of a file, written or not.
  [[nodiscard]] std::string path(const std::string& name) const {
    const std::string made = file("path", "");
    return made.substr(0, made.size() - 4) + name;
  }
  void start(const std::string& ttl = "24h") {
    const Status started = cluster_.start(kSigning, &SigningController::open, config(ttl));
    ASSERT_TRUE(started.ok()) << started.message();
    settle();
    cluster_.clear_records();
  }
  void start_with(const MadeCa& ca, const std::string& ttl = "24h") {
    write_ca(ca);
    start(ttl);
  }
  /// Adds an approved request; its certificate, empty if there is none.
  Issued issue(const RequestOptions& options, const char* signer = kClient,
               Usages usages = {"client auth"}, std::string_view patch = "{}") {
    static_cast<void>(issue_pem(options, signer, usages, patch));
    return Issued(certificate(last_));
  }
  std::string issue_pem(const RequestOptions& options, const char* signer = kClient,
                        Usages usages = {"client auth"}, std::string_view patch = "{}") {
    last_ = "csr-" + std::to_string(++count_);
    last_pem_ = make_request(options);
    add_request(last_, signer, last_pem_, usages, patch);
    decide(last_, "Approved");
    return certificate(last_);
  }
  /// Approves one that the signer refuses; the message of the refusal.
  std::string refused(const RequestOptions& options, const char* signer, Usages usages) {
    EXPECT_EQ(issue_pem(options, signer, usages), "");
    const std::vector<std::string> all = conditions(last_);
    constexpr std::string_view kBegin = "Failed SignerValidationFailure ";
    if (all.size() != 2 || !all[1].starts_with(kBegin)) return "not failed";
    return all[1].substr(kBegin.size());
  }
  /// The error of a start that fails.
  [[nodiscard]] std::string refusal_of(const std::string& text) {
    const Status refused = cluster_.start(kSigning, &SigningController::open, text);
    EXPECT_FALSE(refused.ok());
    return refused.message();
  }
  [[nodiscard]] std::string log_text() const {
    std::string out;
    for (const testing::LogRecord& each : cluster_.log()) {
      out += each.message;
      for (const auto& [key, value] : each.fields) out += " " + key + "=" + value;
      out += "\n";
    }
    return out;
  }
  [[nodiscard]] std::string last_error() const {
    return cluster_.syncs().empty() ? "" : cluster_.syncs().back().error;
  }

  MadeCa ca_;
  std::string last_;      ///< The name of the last request.
  std::string last_pem_;  ///< Its PKCS#10.

 private:
  int count_ = 0;
};

}  // namespace davit::certificates
