
#include <gtest/gtest.h>

#include <davit/base64.hpp>

namespace davit {
namespace {

TEST(Base64Test, StandardAlphabetWithPaddingIsDecoded) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("TQ=="), "M");
  EXPECT_EQ(decode_base64("TWE="), "Ma");
  EXPECT_EQ(decode_base64("TWFu"), "Man");
  EXPECT_EQ(decode_base64("TW\nFu\n"), "Man");
  EXPECT_EQ(decode_base64("\r\nTQ=\n=\r\n"), "M");
  EXPECT_EQ(decode_base64("+/+/"), "\xfb\xff\xbf");
  for (const char* text : {"T", "TQ", "TQ=", "TWF", "T===", "TQ==TQ==", "TW-u", "TW u", "T=Fu",
                           "TW=u", "TWFu=", "====", " TWFu", "TWFu ", "TWFu-", "TWFu\tTWFu"}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

TEST(Base64Test, EncodedTextDecodesToTheSameBytes) {
  EXPECT_EQ(encode_base64("M"), "TQ==");
  EXPECT_EQ(encode_base64("Ma"), "TWE=");
  for (const std::string_view bytes : {"", "M", "Ma", "Man", "\xfb\xff\xbf\x01"}) {
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
  }
}

TEST(Base64Test, FormForUrlsHasNoPadding) {
  constexpr std::string_view kCases[][2] = {
      {"", ""}, {"f", "Zg"}, {"fo", "Zm8"}, {"foo", "Zm9v"}, {"\xfb\xff", "-_8"}};
  for (const auto& [bytes, text] : kCases) {
    EXPECT_EQ(encode_base64_url(bytes), text);
    EXPECT_EQ(decode_base64_url(text), bytes);
  }
  for (const char* text : {"Z", "Zg==", "+/8", "Zm9vZ", "Zm 8"}) {
    EXPECT_EQ(decode_base64_url(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace davit
