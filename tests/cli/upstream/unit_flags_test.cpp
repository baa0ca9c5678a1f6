#include "cli/upstream/unit_flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The drop-in without its comments.
std::string drop_in(const std::vector<std::string>& args) {
  const FromFlagsResult result = unit_from_flags(args);
  EXPECT_THAT(result.problems, IsEmpty());
  std::string text = result.text;
  while (text.starts_with('#')) text.erase(0, text.find('\n') + 1);
  return text;
}

TEST(UnitFlagsTest, EachFileBecomesACredentialAndItsFlagNamesTheCopy) {
  EXPECT_EQ(drop_in({"--authentication-kubeconfig=/etc/kubernetes/controller-manager.conf",
                     "--kubeconfig=/etc/kubernetes/controller-manager.conf",
                     "--root-ca-file=/etc/kubernetes/pki/ca.crt", "--v=2",
                     "--service-account-private-key-file=/etc/kubernetes/pki/sa.key",
                     "--cluster-signing-key-file=/etc/kubernetes/pki/ca.key",
                     "--cloud-config=/etc/kubernetes/cloud.conf"}),
            "[Unit]\n"
            "ConditionPathExists=\n"
            "ConditionPathExists=/etc/kubernetes/controller-manager.conf\n"
            "\n"
            "[Service]\n"
            "LoadCredential=kubeconfig:/etc/kubernetes/controller-manager.conf\n"
            "LoadCredential=ca.crt:/etc/kubernetes/pki/ca.crt\n"
            "LoadCredential=sa.key:/etc/kubernetes/pki/sa.key\n"
            "LoadCredential=ca.key:/etc/kubernetes/pki/ca.key\n"
            "Environment=\"DAVIT_CREDENTIALS=--authentication-kubeconfig=%d/kubeconfig "
            "--root-ca-file=%d/ca.crt --service-account-private-key-file=%d/sa.key "
            "--cluster-signing-key-file=%d/ca.key\"\n")
      << "the file of a flag without effect stays where it is";
}

TEST(UnitFlagsTest, FilesOfOneNameAreTwoCredentials) {
  EXPECT_EQ(drop_in({"--client-ca-file=/a/ca.crt", "--requestheader-client-ca-file=/b/ca.crt",
                     "--tls-cert-file=/c/kubeconfig"}),
            "[Service]\n"
            "LoadCredential=ca.crt:/a/ca.crt\n"
            "LoadCredential=2-ca.crt:/b/ca.crt\n"
            "LoadCredential=2-kubeconfig:/c/kubeconfig\n"
            "Environment=\"DAVIT_CREDENTIALS=--client-ca-file=%d/ca.crt "
            "--requestheader-client-ca-file=%d/2-ca.crt --tls-cert-file=%d/2-kubeconfig\"\n");
}

TEST(UnitFlagsTest, PairsOfFilesKeepTheirNames) {
  EXPECT_EQ(drop_in({"--tls-sni-cert-key=/a.crt,/a%.key:*.a.example,b.example"}),
            "[Service]\n"
            "LoadCredential=a.crt:/a.crt\n"
            "LoadCredential=a-.key:/a%%.key\n"
            "Environment=\"DAVIT_CREDENTIALS=--tls-sni-cert-key=%d/a.crt,%d/a-.key:*.a.example,"
            "b.example\"\n");
}

TEST(UnitFlagsTest, FolderThatIsWrittenToLiesBelowTheServicesOwn) {
  EXPECT_THAT(drop_in({"--cert-dir=/etc/kubernetes/pki"}),
              HasSubstr("--cert-dir=%S/davit/serving\""));
  EXPECT_THAT(drop_in({"--cert-dir=/etc/kubernetes/pki"}), Not(HasSubstr("LoadCredential")));
}

TEST(UnitFlagsTest, PathThatNoUnitCanNameIsAMistake) {
  for (const char* const path : {"/a b", "/a\nb", "/a\"b", "/a\\b"}) {
    const FromFlagsResult result = unit_from_flags({std::string("--root-ca-file=") + path});
    EXPECT_THAT(result.problems,
                ElementsAre(HasSubstr("--root-ca-file: a unit cannot name a path")))
        << path;
    EXPECT_EQ(result.text, "");
  }
}

}  // namespace
}  // namespace davit::host
