#include "host/loading/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <davit/base64.hpp>
#include <davit/kube/time.hpp>

#include "host/loading/digest.hpp"
#include "host/loading/loader.hpp"
#include "tests/host/loading/samples.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

// The key pair of RFC 8032, section 7.1, test 1, as `openssl pkey` writes it.
constexpr const char* kPrivateKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* kPublicKey = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

SigningKey known_key() { return std::move(*SigningKey::from_pem(kPrivateKey)); }

SignatureSettings trusting(const SigningKey& key) {
  return {.keys = {{"release", key.public_key()}}};
}

const SignedPlugin kPlugin{"d", "sample", "1.2.3"};

SignedPlugin of(std::string_view content) { return {sha256_hex(content), "sample", "1.2.3"}; }

TEST(SigningKeyTest, KeyOfOpenSslIsReadAndWrittenUnchanged) {
  const SigningKey key = known_key();
  EXPECT_EQ(encode_base64(key.public_key()), kPublicKey);
  EXPECT_EQ(key.pem(), kPrivateKey);
  EXPECT_EQ(*parse_public_key(kPublicKey), key.public_key());
  EXPECT_EQ(*parse_public_key("MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="),
            key.public_key())
      << "between the lines of PEM";
}

TEST(SigningKeyTest, TwoKeysDiffer) {
  EXPECT_NE(SigningKey::generate()->public_key(), SigningKey::generate()->public_key());
}

TEST(SigningKeyTest, OtherKeysAreRefused) {
  // An EC key, made with openssl ecparam.
  constexpr const char* kEcKey =
      "-----BEGIN PRIVATE KEY-----\n"
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAQEBAQEBAQEBAQEB\n"
      "AQEBAQEBAQEBAQEBAQEBAQEBAQGhRANCAARv8DsUUONldpr61FGHodmlflSXQlVM\n"
      "iFZ7MGsNcvp8nhYYMAlW3uZ+sWpgAEoC3/P2B4QxkUSDK6NgjFuMU33z\n"
      "-----END PRIVATE KEY-----\n";
  for (const char* text : {"", "no key", kEcKey}) {
    EXPECT_THAT(SigningKey::from_pem(text).error().message(),
                HasSubstr("is not an Ed25519 private key in PEM"));
  }
  for (const char* text : {"", "AAAA", "%", kPrivateKey}) {
    EXPECT_EQ(parse_public_key(text).error().code(), Code::kInvalid) << text;
  }
}

TEST(SignatureTest, SignatureIsOfTheDigestAndTheFormatIsPinned) {
  const SigningKey key = known_key();
  EXPECT_EQ(key_id(key.public_key()), "21fe31dfa154a261");
  const std::string line = key.sign(of("a"));
  EXPECT_THAT(line, testing::StartsWith("davit-signature-v2 21fe31dfa154a261 "));
  EXPECT_EQ(line, key.sign(of("a"))) << "Ed25519 is deterministic";
  EXPECT_EQ(*verify_signature(line, of("a"), trusting(key).keys), "release");
}

TEST(SignatureTest, TheDateIsSigned) {
  const SigningKey key = known_key();
  const std::optional<WallTime> now = parse_time("2026-11-30T14:00:00Z");
  const std::string line = key.sign(of("a"), now);
  EXPECT_THAT(line,
              testing::StartsWith("davit-signature-v3 21fe31dfa154a261 2026-11-30T14:00:00Z "));
  EXPECT_EQ(*verify_signature(line, of("a"), trusting(key).keys), "release");
  for (const char* const other :
       {"2026-11-30T14:00:01Z", "2026-11-30T14:00:00.0Z", "2026-11-30T15:00:00+01:00", ""}) {
    std::string changed = line;
    changed.replace(36, 20, other);
    EXPECT_FALSE(verify_signature(changed, of("a"), trusting(key).keys)) << other;
  }
}

TEST(SignatureTest, SignaturesAfterTheEndOfAKeyDoNotCount) {
  const SigningKey key = known_key();
  std::vector<TrustedKey> keys = trusting(key).keys;
  keys.front().until = parse_time("2026-11-30T14:00:00Z");
  EXPECT_TRUE(verify_signature(key.sign(of("a"), keys.front().until), of("a"), keys));
  const std::string late = key.sign(of("a"), parse_time("2026-11-30T14:00:01Z"));
  for (const std::string& text : {late, key.sign(of("a"))}) {
    EXPECT_EQ(verify_signature(text, of("a"), keys).error().message(),
              "the key release counts only for signatures with a date until "
              "2026-11-30T14:00:00Z: sign it with another key");
  }
}

TEST(SignatureTest, ARefusedDigestIsRefused) {
  SignatureSettings settings;
  EXPECT_TRUE(check_revoked(of("a"), settings).ok());
  settings.refused_digests = {"b", of("a").digest};
  EXPECT_EQ(check_revoked(of("a"), settings).code(), Code::kForbidden);
  EXPECT_TRUE(check_revoked(of("c"), settings).ok());
}

TEST(SignatureTest, SignatureOfAnotherDigestIsAChangedFile) {
  const SigningKey key = known_key();
  EXPECT_EQ(
      verify_signature(key.sign(of("a")), of("b"), trusting(key).keys).error().message(),
      "it has changed since the key release (21fe31dfa154a261) signed it: sign it again if the "
      "change is yours");
}

TEST(SignatureTest, SignatureIsOfTheNameAndTheVersionToo) {
  const SigningKey key = known_key();
  const std::string line = key.sign({"d", "sample", "1.2.3"});
  EXPECT_TRUE(verify_signature(line, {"d", "sample", "1.2.3"}, trusting(key).keys));
  EXPECT_FALSE(verify_signature(line, {"d", "other", "1.2.3"}, trusting(key).keys));
  EXPECT_FALSE(verify_signature(line, {"d", "sample", "1.2.4"}, trusting(key).keys));
}

TEST(SignatureTest, EachChangedBitOfASignatureIsNoticed) {
  const SigningKey key = known_key();
  const SignedPlugin digest = of("a");
  const std::string line = key.sign(digest);
  const std::size_t begin = line.rfind(' ') + 1;
  const std::string bytes = *decode_base64(line.substr(begin, line.size() - begin - 1));
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(verify_signature(line.substr(0, begin) + encode_base64(changed) + "\n", digest,
                                  trusting(key).keys))
        << bit;
  }
}

TEST(SignatureTest, UnknownKeyIsNamedAndSoAreTheTrustedOnes) {
  const SigningKey key = known_key();
  const Result<SigningKey> other = SigningKey::generate();
  EXPECT_EQ(verify_signature(key.sign(kPlugin), kPlugin, trusting(*other).keys).error().message(),
            "it is signed by the unknown key 21fe31dfa154a261; trusted are: release " +
                key_id(other->public_key()));
}

TEST(SignatureTest, AKeyIsKnownByItsBytesNotByTheNameInTheSignature) {
  const SigningKey key = known_key();
  const Result<SigningKey> other = SigningKey::generate();
  std::string forged = other->sign(kPlugin);
  forged.replace(forged.find(' ') + 1, 16, key_id(key.public_key()));
  EXPECT_FALSE(verify_signature(forged, kPlugin, trusting(key).keys));
}

TEST(SignatureTest, OneOfSeveralSignaturesAndKeysIsEnough) {
  const SigningKey key = known_key();
  const Result<SigningKey> other = SigningKey::generate();
  const std::string both = other->sign(kPlugin) + key.sign(kPlugin);
  EXPECT_EQ(*verify_signature(both, kPlugin, trusting(key).keys), "release");
  EXPECT_EQ(*verify_signature(key.sign(kPlugin), kPlugin,
                              {{"former", other->public_key()}, {"next", key.public_key()}}),
            "next");
}

TEST(SignatureTest, MalformedSignaturesAreRefusedByTheirLine) {
  const SigningKey key = known_key();
  const std::string good = key.sign(kPlugin);
  for (const std::string& text : {
           std::string("\n"),
           std::string("davit-signature-v2\n"),
           std::string("davit-signature-v2 21fe31dfa154a261\n"),
           std::string("davit-signature-v2 21fe31dfa154a261 \n"),
           std::string("davit-signature-v2 21fe31dfa154a261 AAAA\n"),
           std::string("davit-signature-v2 21FE31DFA154A261 ") + good.substr(36),
           std::string("davit-signature-v1") + good.substr(18),
           std::string(1, '\0') + good,
           good.substr(0, good.size() - 4),
       }) {
    EXPECT_THAT(verify_signature(text, kPlugin, trusting(key).keys).error().message(),
                HasSubstr("line 1 of the signature is malformed"))
        << text;
  }
  EXPECT_THAT(verify_signature(good + "x", kPlugin, trusting(key).keys).error().message(),
              HasSubstr("line 2 of the signature is malformed"));
  EXPECT_THAT(verify_signature("", kPlugin, trusting(key).keys).error().message(),
              HasSubstr("the signature is empty"));
}

class SignedPluginTest : public testing::Test {
 protected:
  SignedPluginTest()
      : staging_(StagingDirectory::create_below(directory_.path())),
        plugin_(copy_sample(directory_, "good", "plugins/p.so")),
        settings_(trusting(key_)) {}

  void sign(const std::string& digest) {
    (void)directory_.write("plugins/p.so.sig", key_.sign({digest, "sample", "1.2.3"}));
  }
  [[nodiscard]] Status load() {
    return load_plugin(*staging_, plugin_, {.signatures = settings_}).error();
  }
  /// The refusal, without the test's directory.
  [[nodiscard]] std::string refusal() { return without_directory(load().message(), directory_); }

  TempDirectory directory_;
  Result<StagingDirectory> staging_;
  const std::filesystem::path plugin_;
  const SigningKey key_ = known_key();
  SignatureSettings settings_;
};

TEST_F(SignedPluginTest, OnlyASignedPluginIsLoaded) {
  EXPECT_EQ(refusal(),
            "plugin DIR/plugins/p.so: the signature DIR/plugins/p.so.sig is missing; make it with "
            "davit plugin sign");
  EXPECT_EQ(load().code(), Code::kForbidden);

  sign(read_plugin_file(plugin_)->digest);
  EXPECT_EQ(refusal(), "");

  (void)directory_.write("plugins/p.so", sample_content("good") + "x");
  EXPECT_THAT(refusal(),
              HasSubstr("plugin DIR/plugins/p.so: it has changed since the key release"));
}

TEST_F(SignedPluginTest, BuildOlderThanTheLowestVersionIsRefused) {
  sign(read_plugin_file(plugin_)->digest);
  settings_.lowest_versions = {{"sample", "1.2.3"}, {"other", "9"}};
  EXPECT_EQ(refusal(), "");
  settings_.lowest_versions["sample"] = "1.10";
  EXPECT_EQ(refusal(),
            "plugin DIR/plugins/p.so: its version is 1.2.3, the manifest requires at least 1.10");
  EXPECT_EQ(load().code(), Code::kForbidden);
}

TEST_F(SignedPluginTest, LibraryThatNoSignatureCoversIsRefused) {
  // The loader would take it from LD_LIBRARY_PATH, and run its constructors.
  std::string image = sample_content("signal");
  const std::string needed = "libc.so.6";
  ASSERT_NE(image.find(needed), std::string::npos);
  for (std::size_t at = image.find(needed); at != std::string::npos; at = image.find(needed)) {
    image.replace(at, needed.size(), "libq.so.6");
  }
  (void)directory_.write("plugins/p.so", image);
  sign(read_plugin_file(plugin_)->digest);
  EXPECT_EQ(refusal(),
            "plugin DIR/plugins/p.so: needs the library libq.so.6, which no signature covers: link "
            "it statically, or name it in pluginSignatures.libraries");
  settings_.libraries = {"libq.so.6"};
  EXPECT_EQ(refusal(),
            "plugin DIR/plugins/p.so: needs the library libq.so.6, which no folder of the system "
            "has");
}

TEST_F(SignedPluginTest, WithoutTheRequirementOnlyWrongSignaturesAreRefused) {
  settings_.required = false;
  EXPECT_EQ(refusal(), "");

  sign("another digest");
  EXPECT_THAT(refusal(), HasSubstr("it has changed since"));
}

TEST_F(SignedPluginTest, WithoutKeysSignaturesAreNotRead) {
  settings_.keys.clear();
  (void)directory_.write("plugins/p.so.sig", "nonsense");
  EXPECT_EQ(refusal(), "");
}

TEST_F(SignedPluginTest, WhatCannotBeASignatureFileIsNamed) {
  const std::filesystem::path file = directory_.write("plugins/p.so.sig", std::string(4097, 'a'));
  EXPECT_THAT(refusal(), HasSubstr("the signature DIR/plugins/p.so.sig is larger than 4 KiB"));

  std::filesystem::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("is not a regular file"));

  std::filesystem::remove(file);
  std::filesystem::create_symlink("p.so.sig", file);
  EXPECT_THAT(refusal(), HasSubstr("cannot be read: Too many levels of symbolic links"));
}

}  // namespace
}  // namespace davit::host
