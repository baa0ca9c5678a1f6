#include "host/outbound/outbound_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;

OutboundUrl url_of(std::string_view text) {
  const Result<OutboundUrl> url = OutboundUrl::parse(text);
  EXPECT_TRUE(url) << text << ": " << url.error().message();
  return url.value_or(OutboundUrl());
}

DeclaredHost declared(std::string_view text) {
  const Result<DeclaredHost> host = DeclaredHost::parse(text, DeclaredHost::Path::kRefused);
  EXPECT_TRUE(host) << text << ": " << host.error().message();
  return host.value_or(DeclaredHost());
}

TEST(OutboundUrlTest, UrlIsSplitIntoOriginAndTarget) {
  const OutboundUrl url = url_of("https://DNS.example.com/v2/zones?key=secret#top");
  EXPECT_EQ(url.origin(), "https://dns.example.com:443");
  EXPECT_EQ(url.target, "/v2/zones?key=secret");
  EXPECT_EQ(url.shown(), "https://dns.example.com/v2/zones");
  EXPECT_EQ(url.text(), "https://dns.example.com/v2/zones?key=secret");
}

TEST(OutboundUrlTest, UrlWithoutPathHasTheRoot) {
  EXPECT_EQ(url_of("http://localhost:9090").target, "/");
  EXPECT_EQ(url_of("http://localhost:9090?a=b").target, "/?a=b");
  EXPECT_EQ(url_of("https://[::1]:8443/x").origin(), "https://[::1]:8443");
}

TEST(OutboundUrlTest, UrlThatCouldMeanSomethingElseIsRefusedWithoutItsText) {
  for (const std::string text :
       {"dns.example.com/SECRET", "ftp://dns.example.com/SECRET", "https://", "https:///SECRET",
        "https://SECRET@dns.example.com/", "https://dns.example.com/ SECRET",
        "https://dns.example.com/SECRET\r\nX: y", "https://dns.example.com/SECRET\xC3\xA4",
        "https://dns.example.com:99999999/SECRET", "https://dns.example.com:SECRET/",
        "https://SECRET%2e.example.com/", "https://a b/SECRET", "https://dns.example.com\\@SECRET/",
        "https://fe80::1/SECRET"}) {
    const Result<OutboundUrl> url = OutboundUrl::parse(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code(), Code::kMisuse);
    EXPECT_THAT(url.error().message(), Not(HasSubstr("SECRET")));
  }
  EXPECT_FALSE(OutboundUrl::parse("https://x/" + std::string(70'000, 'a')));
}

TEST(OutboundUrlTest, LocationIsResolvedAgainstTheUrl) {
  const OutboundUrl base = url_of("https://dns.example.com:8443/v2/zones?a=b");
  const auto to = [&base](std::string_view location) {
    const Result<OutboundUrl> url = base.resolve(location);
    return url ? url->text() : url.error().message();
  };
  EXPECT_EQ(to("/v3"), "https://dns.example.com:8443/v3");
  EXPECT_EQ(to("records?x=1"), "https://dns.example.com:8443/v2/records?x=1");
  EXPECT_EQ(to("../v1/x"), "https://dns.example.com:8443/v1/x");
  EXPECT_EQ(to("//other.example.com/x"), "https://other.example.com/x");
  EXPECT_EQ(to("http://169.254.169.254/latest"), "http://169.254.169.254/latest");
  EXPECT_FALSE(base.resolve("file:///etc/passwd"));
  EXPECT_FALSE(base.resolve("https://user:password@other.example.com/"));
}

TEST(DeclaredHostTest, HostAllowsItsSchemeNameAndPortOnly) {
  const DeclaredHost host = declared("dns.example.com");
  EXPECT_TRUE(host.allows(url_of("https://DNS.example.com/x")));
  EXPECT_TRUE(host.allows(url_of("https://dns.example.com:443/x")));
  EXPECT_FALSE(host.allows(url_of("http://dns.example.com/x")));
  EXPECT_FALSE(host.allows(url_of("https://dns.example.com:8443/x")));
  EXPECT_FALSE(host.allows(url_of("https://evil.dns.example.com/x")));
  EXPECT_FALSE(host.allows(url_of("https://dns.example.com.evil.org/x")));
  EXPECT_TRUE(declared("http://localhost:9090").allows(url_of("http://localhost:9090/")));
  EXPECT_TRUE(declared("[::1]:8443").allows(url_of("https://[::1]:8443/")));
}

TEST(DeclaredHostTest, WildcardStandsForOneLabel) {
  const DeclaredHost host = declared("*.example.com");
  EXPECT_TRUE(host.allows(url_of("https://a.example.com/")));
  EXPECT_FALSE(host.allows(url_of("https://a.b.example.com/")));
  EXPECT_FALSE(host.allows(url_of("https://example.com/")));
  EXPECT_FALSE(host.allows(url_of("https://.example.com/")));
  EXPECT_FALSE(host.allows(url_of("https://a.example.com.evil.org/")));
  EXPECT_TRUE(declared("*").allows(url_of("https://any.where/")));
  EXPECT_FALSE(declared("*").allows(url_of("http://any.where/")));
  EXPECT_TRUE(declared("http://*").allows(url_of("http://10.0.0.1/")));
}

TEST(DeclaredHostTest, ShortestFormLeavesOutWhatIsUsual) {
  EXPECT_EQ(declared("https://DNS.Example.com:443").text(), "dns.example.com");
  EXPECT_EQ(declared("*.example.com:8443").text(), "*.example.com:8443");
  EXPECT_EQ(declared("http://localhost:80").text(), "http://localhost");
}

TEST(DeclaredHostTest, OtherTextsAreRefused) {
  for (const char* text : {"", "dns.example.com/path", "ftp://x", "a.*.com", "*a.com", "**", "*.",
                           "x y", "user@x", "x:port", "https://", "?"}) {
    EXPECT_FALSE(DeclaredHost::parse(text, DeclaredHost::Path::kRefused)) << text;
  }
  const auto service =
      DeclaredHost::parse("https://dns.example.com/v2?x", DeclaredHost::Path::kIgnored);
  ASSERT_TRUE(service);
  EXPECT_EQ(service->text(), "dns.example.com");
}

}  // namespace
}  // namespace davit::host
