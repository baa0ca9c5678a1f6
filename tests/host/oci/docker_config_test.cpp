#include "host/oci/docker_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/base64.hpp>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string auths(const std::string& host, const std::string& members) {
  return R"({"auths":{")" + host + R"(":{)" + members + "}}}";
}

/// "user/password", "none" or the error.
std::string login(const std::string& text, const std::string& registry) {
  const Result<std::optional<RegistryLogin>> found = find_login(text, registry);
  if (!found) return found.error().message();
  return *found ? (*found)->user + "/" + (*found)->password : "none";
}

TEST(DockerConfigTest, TheLoginOfTheRegistryIsFound) {
  const std::string both = R"("auth":")" + encode_base64("me:pass:word") + R"(")";
  EXPECT_EQ(login(auths("r.example.com:5000", both), "r.example.com:5000"), "me/pass:word");
  EXPECT_EQ(login(auths("r.example.com", both), "r.example.com:5000"), "none");
  EXPECT_EQ(login(auths("https://r.example.com/v2/", both), "r.example.com"), "me/pass:word");
  EXPECT_EQ(login(auths("https://index.docker.io/v1/", both), "docker.io"), "me/pass:word");
  EXPECT_EQ(login(auths("r.example.com", R"("username":"u","password":"p")"), "r.example.com"),
            "u/p");
  EXPECT_EQ(login("{}", "r.example.com"), "none");
}

TEST(DockerConfigTest, LoginsThatDavitCannotUseAreNamed) {
  const std::string helper = R"({"credHelpers":{"r.example.com":"ecr-login"}})";
  EXPECT_THAT(login(helper, "r.example.com"), HasSubstr("a credential helper keeps the login"));
  EXPECT_EQ(login(helper, "other.example.com"), "none");
  const std::string store = R"({"auths":{"r.example.com":{}},"credsStore":"desktop"})";
  EXPECT_THAT(login(store, "r.example.com"), HasSubstr("a credential helper keeps the login"));
  EXPECT_THAT(login(auths("r.example.com", R"("identitytoken":"s3cret")"), "r.example.com"),
              testing::AllOf(HasSubstr("is a token"), Not(HasSubstr("s3cret"))));
}

TEST(DockerConfigTest, MalformedFilesAreNamedWithoutTheirContent) {
  const TempDirectory directory;
  const std::string file = directory.write("config.json", "{\"auths\": s3cret");
  const Status status = read_login(file, "r.example.com").error();
  EXPECT_THAT(status.message(), testing::AllOf(HasSubstr(file), Not(HasSubstr("s3cret"))));
  EXPECT_THAT(login(auths("r.example.com", R"("auth":"s3cret!")"), "r.example.com"),
              HasSubstr("is malformed"));
  EXPECT_TRUE(read_login((directory.path() / "none").string(), "r.example.com"));
}

}  // namespace
}  // namespace davit::host
