#include "host/config/oci_reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

const std::string kDigest = "sha256:" + std::string(64, 'a');

TEST(OciReferenceTest, PartsAreTakenApart) {
  const Result<OciReference> all =
      OciReference::parse("oci://registry.example.com:5000/team/greeter:1.2.0@" + kDigest);
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(all->registry, "registry.example.com:5000");
  EXPECT_EQ(all->repository, "team/greeter");
  EXPECT_EQ(all->tag, "1.2.0");
  EXPECT_EQ(all->digest, kDigest);
  EXPECT_EQ(all->wanted(), kDigest) << "a tag beside a digest is for people";
  EXPECT_EQ(all->text(), "registry.example.com:5000/team/greeter:1.2.0@" + kDigest);

  const Result<OciReference> short_one = OciReference::parse("ghcr.io/greeter");
  ASSERT_TRUE(short_one);
  EXPECT_EQ(short_one->wanted(), "latest");
  EXPECT_FALSE(OciReference::parse("ghcr.io/greeter", OciReference::Tag::kRequired));
}

TEST(OciReferenceTest, WhatIsNotAReferenceIsRefused) {
  for (const std::string text : {"",
                                 "oci://",
                                 "greeter",
                                 "/greeter",
                                 "host/",
                                 "host//a",
                                 "host/a/",
                                 "host/../a",
                                 "Host/a",
                                 "host/A",
                                 "host:port/a",
                                 "host/a:",
                                 "host/a@sha256:12",
                                 "host/a@md5:12",
                                 "host/a b",
                                 "host/a:.x",
                                 "host/a\n",
                                 "user@host/a",
                                 "http://host/a",
                                 "-host/a",
                                 "host/-a"}) {
    EXPECT_FALSE(OciReference::parse(text)) << text;
  }
}

}  // namespace
}  // namespace davit::host
