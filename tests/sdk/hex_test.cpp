/// Hexadecimal text and FNV hashes.
#include <gtest/gtest.h>

#include <array>
#include <davit/fnv.hpp>
#include <davit/hex.hpp>
#include <span>
#include <string>
#include <string_view>

namespace davit {
namespace {

TEST(HexTest, EachByteHasTwoDigits) {
  EXPECT_EQ(hex_text(std::string_view("\x00\x7f\x80\xff", 4)), "007f80ff");
  constexpr std::array<unsigned char, 3> kBytes = {0xde, 0xad, 0x0a};
  EXPECT_EQ(hex_text(kBytes), "dead0a");
  EXPECT_EQ(hex_text(std::span(kBytes).first(1)), "de");
  EXPECT_EQ(hex_text(std::string_view()), "");
  std::string out = "%";
  append_hex(out, 0xab, HexCase::kUpper);
  EXPECT_EQ(out, "%AB");
}

TEST(HexTest, NumbersHaveAsManyDigitsAsTheyShould) {
  EXPECT_EQ(hex_number(0x1a2b, 8), "00001a2b");
  EXPECT_EQ(hex_number(0x1a2b, 3), "a2b");
  EXPECT_EQ(hex_number(~std::uint64_t{0}, 16, HexCase::kUpper), "FFFFFFFFFFFFFFFF");
}

TEST(HexTest, OnlyDigitsAreHexadecimal) {
  EXPECT_TRUE(is_lower_hex("0123456789abcdef"));
  EXPECT_FALSE(is_lower_hex("A"));
  EXPECT_TRUE(is_hex("0123456789abcdefABCDEF"));
  for (const char* bad : {"g", "/", ":", "@", "`", " ", "a "}) {
    EXPECT_FALSE(is_lower_hex(bad)) << bad;
    EXPECT_FALSE(is_hex(bad)) << bad;
  }
}

template <typename Word, FnvOrder kOrder>
Word hash(std::string_view text) {
  FnvHash<Word, kOrder> out;
  out.add(text);
  return out.sum();
}

// The values of the authors of the hashes, in draft-eastlake-fnv.
TEST(FnvTest, TheHashesAreThoseOfTheDraft) {
  EXPECT_EQ(fnv1a_64(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a_64("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a_64("foobar"), 0x85944171f73967e8U);
  EXPECT_EQ((hash<std::uint32_t, FnvOrder::kByteFirst>("a")), 0xe40c292cU);
  EXPECT_EQ((hash<std::uint32_t, FnvOrder::kByteFirst>("foobar")), 0xbf9cf968U);
  EXPECT_EQ((hash<std::uint32_t, FnvOrder::kProductFirst>("a")), 0x050c5d7eU);
  EXPECT_EQ((hash<std::uint32_t, FnvOrder::kProductFirst>("foobar")), 0x31f0b262U);
}

TEST(FnvTest, TextThatIsAddedInPartsHasTheSameHash) {
  FnvHash<std::uint64_t> parts;
  parts.add("foo");
  parts.add("bar");
  EXPECT_EQ(parts.sum(), fnv1a_64("foobar"));
}

}  // namespace
}  // namespace davit
