/// Rows CERT001 to CERT008, CERT019 to CERT022, CERT029, CERT036 to CERT051, CERT115 and CERT117.
#include "plugins/certificates/signing_controller.hpp"

#include <algorithm>

#include "tests/plugins/certificates/signing_fixture.hpp"

namespace davit::certificates {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class SigningControllerTest : public SigningTest {};

TEST_F(SigningControllerTest, CERT001_AnApprovedRequestGetsACertificate) {
  start_with(make_ca());
  const std::string pem = issue_pem({.subject = {{"O", "dev"}, {"CN", "alice"}}});
  EXPECT_TRUE(pem.starts_with("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_TRUE(pem.ends_with("-----END CERTIFICATE-----\n"));
  EXPECT_EQ(pem.find("-----BEGIN", 1), std::string::npos);
  const Issued made(pem);
  EXPECT_TRUE(made.is_signed_by(ca_.certificate));
  EXPECT_TRUE(made.is_for(last_pem_));
  EXPECT_EQ(made.subject(), "O=dev,CN=alice");
  EXPECT_EQ(made.issuer(), "CN=test-ca");
  EXPECT_EQ(made.version(), 3);
  EXPECT_THAT(conditions(last_), SizeIs(1));
  EXPECT_THAT(requests(), ElementsAre("patch certificatesigningrequests/csr-1/status 200"));
}

TEST_F(SigningControllerTest, CERT002_ACertificateHasNothingThatWasNotAskedFor) {
  start_with(make_ca());
  const Issued made = issue({.subject = {{"CN", "alice"}}});
  EXPECT_THAT(made.extensions(),
              ElementsAre("extendedKeyUsage", "basicConstraints!", "authorityKeyIdentifier"));
  EXPECT_EQ(made.extension(NID_ext_key_usage), "TLS Web Client Authentication");
  EXPECT_EQ(made.extension(NID_basic_constraints), "CA:FALSE");
  EXPECT_NE(made.extension(NID_authority_key_identifier), "");
}

TEST_F(SigningControllerTest, CERT003_KeyUsageComesFirst) {
  start_with(make_ca());
  const Issued made = issue({.subject = {{"CN", "alice"}}}, kClient,
                            {"digital signature", "key encipherment", "client auth"});
  EXPECT_THAT(made.extensions(), ElementsAre("keyUsage!", "extendedKeyUsage", "basicConstraints!",
                                             "authorityKeyIdentifier"));
  EXPECT_EQ(made.extension(NID_key_usage), "Digital Signature, Key Encipherment");
}

TEST_F(SigningControllerTest, CERT004_AlternativeNamesAreTakenOverByType) {
  start_with(make_ca());
  const Issued made =
      issue({.subject = {{"CN", "a"}},
             .alternative_names = "URI:https://u,IP:10.0.0.1,email:a@b,DNS:d2,DNS:d1"});
  EXPECT_EQ(made.extensions().back(), "subjectAltName");
  EXPECT_EQ(made.extension(NID_subject_alt_name),
            "DNS:d2, DNS:d1, email:a@b, IP Address:10.0.0.1, URI:https://u");
}

TEST_F(SigningControllerTest, CERT005_WithoutASubjectTheNamesAreCritical) {
  start_with(make_ca());
  const Issued made = issue({.alternative_names = "URI:https://u"});
  EXPECT_EQ(made.subject(), "");
  EXPECT_EQ(made.extensions().back(), "subjectAltName!");
}

TEST_F(SigningControllerTest, CERT006_TheSubjectIsRebuilt) {
  start_with(make_ca());
  const Issued made = issue({.subject = {{"serialNumber", "5"},
                                         {"UID", "u"},
                                         {"CN", "n1"},
                                         {"OU", "u2"},
                                         {"OU", "u1"},
                                         {"emailAddress", "a@b"},
                                         {"O", "o1"},
                                         {"O", "o2"},
                                         {"street", "way"},
                                         {"L", "city"},
                                         {"ST", "state"},
                                         {"C", "DE"},
                                         {"DC", "dc"},
                                         {"CN", "n2"}}});
  EXPECT_EQ(made.subject(),
            "C=DE,O=o1+O=o2,OU=u1+OU=u2,L=city,ST=state,street=way,CN=n2,serialNumber=5");
}

TEST_F(SigningControllerTest, CERT007_ARequestCannotMakeACa) {
  start_with(make_ca());
  const Issued made = issue({.subject = {{"CN", "a"}}, .wants_ca = true});
  EXPECT_EQ(made.extension(NID_basic_constraints), "CA:FALSE");
  EXPECT_THAT(made.extensions(),
              ElementsAre("extendedKeyUsage", "basicConstraints!", "authorityKeyIdentifier"));
}

TEST_F(SigningControllerTest, CERT008_SerialNumbersDiffer) {
  start_with(make_ca());
  const std::string pem = make_request({.subject = {{"CN", "a"}}});
  for (const char* name : {"a", "b"}) {
    add_request(name, kClient, pem, {"client auth"});
    decide(name, "Approved");
  }
  const Issued first(certificate("a"));
  const Issued second(certificate("b"));
  EXPECT_NE(first.serial(), second.serial());
  EXPECT_LE(first.serial_bits(), 128);
  EXPECT_GT(first.serial_bits(), 64);
}

TEST_F(SigningControllerTest, CERT009_TheValidityIsThatOfTheFlag) {
  start_with(make_ca());
  const Issued made = issue({.subject = {{"CN", "a"}}});
  EXPECT_EQ(made.not_before(), kNoon - 300);
  EXPECT_EQ(made.not_after(), kNoon + 24 * 3600 - 300);
}

TEST_F(SigningControllerTest, CERT010_TheValidityIsThatOfTheRequest) {
  start_with(make_ca());
  const Issued made = issue({.subject = {{"CN", "a"}}}, kClient, {"client auth"},
                            R"({"spec":{"expirationSeconds":7200}})");
  EXPECT_EQ(made.not_after(), kNoon + 7200);
}

TEST_F(SigningControllerTest, CERT017_ANewCaSignsWhatAnExpiredOneCouldNot) {
  start_with(make_ca({.not_after = 1'609'459'200}));
  EXPECT_EQ(issue_pem({.subject = {{"CN", "a"}}}), "");
  EXPECT_THAT(last_error(), HasSubstr("error auto signing csr: the signer has expired: "
                                      "NotAfter=2021-01-01 00:00:00 +0000 UTC"));
  EXPECT_THAT(conditions(last_), SizeIs(1));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  write_ca(make_ca());
  cluster_.advance(10s);
  EXPECT_TRUE(Issued(certificate(last_)).is_signed_by(ca_.certificate));
}

TEST_F(SigningControllerTest, CERT019_TheAlgorithmIsThatOfTheCasKey) {
  const std::pair<const char*, const char*> kAlgorithms[] = {
      {"RSA", "RSA-SHA256"},          {"P-256", "ecdsa-with-SHA256"},
      {"P-384", "ecdsa-with-SHA384"}, {"P-521", "ecdsa-with-SHA512"},
      {"ED25519", "ED25519"},
  };
  for (const auto& [key, algorithm] : kAlgorithms) {
    start_with(make_ca({.key = key}));
    const Issued made = issue({.subject = {{"CN", "a"}}});
    EXPECT_EQ(made.algorithm(), algorithm);
    EXPECT_TRUE(made.is_signed_by(ca_.certificate));
    cluster_.stop(kSigning);
  }
}

TEST_F(SigningControllerTest, CERT020_TheKeyIsThatOfTheRequest) {
  start_with(make_ca());
  for (const char* key : {"RSA", "P-256", "ED25519"}) {
    EXPECT_TRUE(issue({.subject = {{"CN", "a"}}, .key = key}).is_for(last_pem_)) << key;
  }
}

TEST_F(SigningControllerTest, CERT021_ACaWithoutKeyIdentifierIsNotNamed) {
  start_with(make_ca({.has_key_id = false}));
  EXPECT_THAT(issue({.subject = {{"CN", "a"}}}).extensions(),
              ElementsAre("extendedKeyUsage", "basicConstraints!"));
}

TEST_F(SigningControllerTest, CERT022_AKubeletGetsItsClientCertificate) {
  start_with(make_ca());
  EXPECT_EQ(
      issue({.subject = node_subject()}, kKubelet, {"digital signature", "client auth"}).subject(),
      "O=system:nodes,CN=system:node:n1");
  EXPECT_NE(issue_pem({.subject = node_subject()}, kKubelet,
                      {"client auth", "key encipherment", "digital signature"}),
            "");
}

TEST_F(SigningControllerTest, CERT029_AKubeletGetsItsServingCertificate) {
  start_with(make_ca());
  const Issued made = issue({.subject = node_subject(), .alternative_names = "DNS:n1,IP:10.0.0.1"},
                            kServing, {"digital signature", "server auth"});
  EXPECT_EQ(made.extension(NID_ext_key_usage), "TLS Web Server Authentication");
  EXPECT_EQ(made.extension(NID_subject_alt_name), "DNS:n1, IP Address:10.0.0.1");
}

TEST_F(SigningControllerTest, CERT036_AFailedRequestIsNeverLookedAtAgain) {
  start_with(make_ca());
  EXPECT_EQ(refused({.subject = {{"CN", "a"}}}, kClient, {"digital signature"}),
            "missing required usage for client certificate: client auth");
  cluster_.clear_records();
  cluster_.merge<SigningRequest>({"", last_}, R"({"metadata":{"labels":{"a":"b"}}})");
  cluster_.resync("certificatesigningrequests");
  settle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(SigningControllerTest, CERT037_WithoutApprovalNothingIsSigned) {
  start_with(make_ca());
  add_request("a", kClient, make_request({.subject = {{"CN", "a"}}}), {"client auth"});
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(SigningControllerTest, CERT038_ADeniedRequestIsNotSigned) {
  start_with(make_ca());
  add_request("a", kClient, make_request({.subject = {{"CN", "a"}}}), {"client auth"});
  decide("a", "Denied");
  decide("a", "Approved");
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(SigningControllerTest, CERT039_ARequestThatSomebodyFailedIsNotSigned) {
  start_with(make_ca());
  add_request("a", kClient, make_request({.subject = {{"CN", "a"}}}), {"client auth"});
  decide("a", "Failed");
  decide("a", "Approved");
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(SigningControllerTest, CERT040_AnotherSignersRequestIsNotTouched) {
  start_with(make_ca());
  for (const char* signer : {"example.com/x", "kubernetes.io/foo"}) {
    EXPECT_EQ(issue_pem({.subject = {{"CN", "a"}}}, signer), "");
  }
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(SigningControllerTest, CERT041_ACertificateOfSomebodyElseStays) {
  start_with(make_ca());
  EXPECT_EQ(issue_pem({.subject = {{"CN", "a"}}}, kClient, {"client auth"},
                      R"({"status":{"certificate":"b3RoZXI="}})"),
            "other");
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(SigningControllerTest, CERT042_AFailedWriteIsTriedAgainWithPauses) {
  start_with(make_ca());
  cluster_.fail_next({.verb = Verb::kPatch, .http_status = 409, .reason = "Conflict"});
  cluster_.fail_next({.verb = Verb::kPatch, .http_status = 500, .times = 2});
  std::vector<Time> times;
  cluster_.on_request([&](const testing::RequestRecord&) { times.push_back(cluster_.now()); });
  static_cast<void>(issue_pem({.subject = {{"CN", "a"}}}));
  EXPECT_THAT(last_error(), HasSubstr("error updating signature for csr: "));
  cluster_.advance(10s);
  ASSERT_THAT(times, SizeIs(4));
  EXPECT_GE(times[1] - times[0], 200ms);
  EXPECT_GE(times[2] - times[1], 400ms);
  EXPECT_GE(times[3] - times[2], 800ms);
  EXPECT_NE(certificate(last_), "");
  cluster_.on_request({});
}

TEST_F(SigningControllerTest, CERT043_RequestsFromBeforeTheStartAreSigned) {
  write_ca(make_ca());
  const std::string pem = make_request({.subject = {{"CN", "a"}}});
  for (int i = 0; i < 20; ++i) {
    add_request("old-" + std::to_string(i), kClient, pem, {"client auth"});
    decide("old-" + std::to_string(i), "Approved");
  }
  start();
  for (int i = 0; i < 20; ++i) EXPECT_NE(certificate("old-" + std::to_string(i)), "");
}

TEST_F(SigningControllerTest, CERT044_OnlyASignerWithFilesRuns) {
  write_ca(make_ca());
  ASSERT_TRUE(cluster_
                  .start(kSigning, &SigningController::open,
                         R"({"kubeAPIServerClientCertFile":")" + path("ca.crt") +
                             R"(","kubeAPIServerClientKeyFile":")" + path("ca.key") + R"("})")
                  .ok());
  settle();
  EXPECT_NE(issue_pem({.subject = {{"CN", "a"}}}), "");
  EXPECT_EQ(issue_pem({.subject = node_subject()}, kKubelet, {"digital signature", "client auth"}),
            "");
  for (const char* signer : {kServing, kKubelet, "kubernetes.io/legacy-unknown"}) {
    EXPECT_THAT(log_text(), HasSubstr("specific files were specified for other signers and not "
                                      "this one signer=" +
                                      std::string(signer)));
  }
  EXPECT_THAT(log_text(), Not(HasSubstr(std::string(kClient) + "\n")));
}

TEST_F(SigningControllerTest, CERT045_WithoutFilesItIsSkipped) {
  const Status skipped = cluster_.start(kSigning, &SigningController::open, "{}");
  EXPECT_EQ(skipped.code(), Code::kUnsupported);
  EXPECT_THAT(skipped.message(),
              HasSubstr("Skipping CSR signer controller because no csr cert/key was specified"));
  EXPECT_EQ(issue_pem({.subject = {{"CN", "a"}}}), "");
}

TEST_F(SigningControllerTest, CERT046_WithOneGeneralFileItIsSkipped) {
  for (const char* text :
       {R"({"clusterSigningCertFile":"/x"})", R"({"clusterSigningKeyFile":"/x"})"}) {
    const Status skipped = cluster_.start(kSigning, &SigningController::open, text);
    EXPECT_EQ(skipped.code(), Code::kUnsupported) << text;
  }
}

TEST_F(SigningControllerTest, CERT047_ASpecificFileNeedsItsPair) {
  EXPECT_THAT(refusal_of(R"({"kubeletServingCertFile":"/x"})"),
              HasSubstr(R"("cluster-signing-kubelet-serving": cannot specify cert without key)"));
  EXPECT_THAT(
      refusal_of(R"({"kubeletClientKeyFile":"/x"})"),
      HasSubstr(R"("cluster-signing-kube-apiserver-client": cannot specify key without cert)"));
  const std::string both =
      refusal_of(R"({"kubeAPIServerClientCertFile":"/x","legacyUnknownKeyFile":"/x"})");
  EXPECT_THAT(both,
              HasSubstr(R"("cluster-signing-kube-apiserver": cannot specify cert without key)"));
  EXPECT_THAT(both,
              HasSubstr(R"("cluster-signing-legacy-unknown": cannot specify key without cert)"));
}

TEST_F(SigningControllerTest, CERT048_GeneralAndSpecificFilesDoNotGoTogether) {  // HO-016
  EXPECT_THAT(refusal_of(R"({"clusterSigningKeyFile":"/x","legacyUnknownCertFile":"/x",
                             "legacyUnknownKeyFile":"/x"})"),
              HasSubstr("cannot specify --cluster-signing-{cert,key}-file and other "
                        "--cluster-signing-*-file flags at the same time"));
}

TEST_F(SigningControllerTest, CERT049_AMissingFileEndsTheStart) {
  EXPECT_THAT(
      refusal_of(config()),
      HasSubstr("failed to init kubernetes.io/kubelet-serving certificate controller: "
                "error reading CA cert file \"" +
                path("ca.crt") + "\": open " + path("ca.crt") + ": no such file or directory"));
}

TEST_F(SigningControllerTest, CERT050_TwoCertificatesEndTheStart) {
  MadeCa ca = make_ca();
  ca.certificate += make_ca().certificate;
  write_ca(ca);
  EXPECT_THAT(refusal_of(config()), HasSubstr("expected 1 certificate, found 2"));
}

TEST_F(SigningControllerTest, CERT051_TheKeyOfAnotherCaEndsTheStart) {
  MadeCa ca = make_ca();
  ca.key = make_ca().key;
  write_ca(ca);
  EXPECT_THAT(refusal_of(config()), HasSubstr("the private key is not that of the certificate"));
}

TEST_F(SigningControllerTest, ADurationMayHaveAnySign) {
  write_ca(make_ca());
  EXPECT_THAT(refusal_of(config("8760")), HasSubstr("clusterSigningDuration must be a duration"));
  start("-1h");
  EXPECT_EQ(issue({.subject = {{"CN", "a"}}}).not_after(), kNoon - 3600);
}

TEST_F(SigningControllerTest, CERT114_NeitherACertificateNorARefusalIsAnEvent) {
  start_with(make_ca());
  EXPECT_NE(issue_pem({.subject = {{"CN", "a"}}}), "");
  EXPECT_NE(refused({.subject = {{"CN", "a"}}}, kClient, {"digital signature"}), "");
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(SigningControllerTest, CERT115_NoErrorShowsAKey) {
  write_ca(make_ca());
  MadeCa bad = ca_;
  bad.certificate = make_ca().certificate;
  const std::string digits = ca_.key.substr(ca_.key.find('\n') + 1, 40);
  write_ca(bad);
  EXPECT_THAT(refusal_of(config()), Not(HasSubstr(digits)));
}

TEST_F(SigningControllerTest, CERT117_ASwapLeavesEachRequestOneCertificate) {
  write_ca(make_ca());
  start();
  const std::string pem = make_request({.subject = {{"CN", "a"}}});
  cluster_.fail_next({.verb = Verb::kPatch, .times = 25});
  for (int i = 0; i < 50; ++i) {
    add_request("c-" + std::to_string(i), kClient, pem, {"client auth"});
    decide("c-" + std::to_string(i), "Approved");
  }
  ASSERT_TRUE(cluster_.swap(kSigning, &SigningController::open, config()).ok());
  cluster_.advance(1min);
  for (int i = 0; i < 50; ++i) EXPECT_NE(certificate("c-" + std::to_string(i)), "");
  const auto done = cluster_.requests_of(Verb::kPatch, "certificatesigningrequests", "status");
  EXPECT_EQ(std::count_if(done.begin(), done.end(), [](const auto& each) { return each.ok(); }),
            50);
}

TEST_F(SigningControllerTest, ARecreatedRequestIsNotSignedForTheOldOne) {
  start_with(make_ca());
  cluster_.hold("certificatesigningrequests");
  add_request("a", kClient, make_request({.subject = {{"CN", "good"}}}), {"client auth"});
  decide("a", "Approved");
  cluster_.release_one("certificatesigningrequests");
  cluster_.release_one("certificatesigningrequests");
  cluster_.erase<SigningRequest>({"", "a"});
  add_request("a", kClient, make_request({.subject = {{"CN", "evil"}}}), {"client auth"},
              R"({"metadata":{"uid":"other"}})");
  settle();
  EXPECT_EQ(certificate("a"), "") << "nobody has approved it";
  cluster_.release("certificatesigningrequests");
  settle();
  EXPECT_EQ(certificate("a"), "");
}

TEST_F(SigningControllerTest, AForgedRequestIsNotSigned) {
  start_with(make_ca());
  add_request("a", kClient, make_forged_request(), {"client auth"});
  decide("a", "Approved");
  EXPECT_THAT(last_error(), HasSubstr("error auto signing csr: unable to verify certificate "
                                      "request signature: "));
  add_request("b", kClient, "garbage", {"client auth"});
  decide("b", "Approved");
  EXPECT_THAT(last_error(), HasSubstr("unable to parse csr \"b\": PEM block type must be "
                                      "CERTIFICATE REQUEST"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(SigningControllerTest, AKeyOf16BitsGetsNoCertificate) {
  start_with(make_ca());
  add_request("tiny", kClient, make_request_of_16_bits(), {"client auth"});
  decide("tiny", "Approved");
  EXPECT_EQ(certificate("tiny"), "");
  EXPECT_THAT(last_error(), HasSubstr("RSA keys need 1024 bits, not 16"));
}

TEST_F(SigningControllerTest, AKeyOf16384BitsGetsACertificate) {
  start_with(make_ca());
  const std::string pem = request_of_16384_bits();
  add_request("huge", kClient, pem, {"client auth"});
  decide("huge", "Approved");
  const Issued made(certificate("huge"));
  EXPECT_TRUE(made.is_signed_by(ca_.certificate));
  EXPECT_TRUE(made.is_for(pem));
}

TEST_F(SigningControllerTest, LegacyRequestsGetEveryUsageOfTheTable) {
  start_with(make_ca());
  const Issued made =
      issue({.subject = {{"CN", "a"}}}, "kubernetes.io/legacy-unknown",
            {"signing", "content commitment", "data encipherment", "key agreement", "cert sign",
             "crl sign", "decipher only", "s/mime", "email protection", "any", "ocsp signing"});
  EXPECT_EQ(made.extension(NID_ext_key_usage),
            "Any Extended Key Usage, E-mail Protection, OCSP Signing");
  EXPECT_EQ(made.extension(NID_key_usage),
            "Digital Signature, Non Repudiation, Data Encipherment, Key Agreement, Certificate "
            "Sign, CRL Sign, Decipher Only");
  EXPECT_EQ(made.extension(NID_basic_constraints), "CA:FALSE");
  EXPECT_EQ(issue_pem({}, "kubernetes.io/legacy-unknown", {"b", "a"}), "");
  EXPECT_THAT(last_error(), HasSubstr(R"(unrecognized usage values: ["a" "b"])"));
}

}  // namespace
}  // namespace davit::certificates
