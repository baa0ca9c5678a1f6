#include "lib/net/gzip.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

namespace davit {
namespace {

std::string gunzip(std::string_view packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string in(packed);
  std::string out(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(GzipTest, TextComesBackAsItWas) {
  std::string varied;
  for (int i = 0; i < 60000; ++i) varied += static_cast<char>((i * 2654435761U) >> 24);

  EXPECT_EQ(gunzip(gzip("")), "");
  EXPECT_EQ(gunzip(gzip("a 1\nb 2\n")), "a 1\nb 2\n");
  EXPECT_EQ(gunzip(gzip(varied)), varied);
}

TEST(GzipTest, RepetitiveTextBecomesSmaller) {
  EXPECT_LT(gzip(std::string(10000, 'a')).size(), 200U);
}

TEST(GzipTest, AClientIsSentGzipOnlyIfItsHeaderAcceptsIt) {
  EXPECT_TRUE(accepts_gzip("gzip"));
  EXPECT_TRUE(accepts_gzip("deflate, GZIP;q=0.5 , br"));
  EXPECT_TRUE(accepts_gzip("x-gzip"));
  EXPECT_TRUE(accepts_gzip("*"));
  EXPECT_TRUE(accepts_gzip("gzip;q=1.0, *;q=0"));

  EXPECT_FALSE(accepts_gzip(""));
  EXPECT_FALSE(accepts_gzip("identity"));
  EXPECT_FALSE(accepts_gzip("gzipped"));
  EXPECT_FALSE(accepts_gzip("gzip;q=0"));
  EXPECT_FALSE(accepts_gzip("gzip; q=0.000"));
  EXPECT_FALSE(accepts_gzip("*, gzip;q=0"));
  EXPECT_FALSE(accepts_gzip(",;,="));
}

}  // namespace
}  // namespace davit
