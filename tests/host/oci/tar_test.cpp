#include "host/oci/tar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<ArchivedFile>& files) {
  std::vector<std::string> names;
  for (const ArchivedFile& each : files) names.push_back(each.name);
  return names;
}

/// Why reading fails; empty if it does not.
std::string refusal(const std::string& bytes, const TarLimits& limits = {}) {
  return read_tar(bytes, limits).error().message();
}

/// The archive with `change` applied to its first header, whose sum is made right again.
template <typename Change>
std::string changed(std::string archive, Change change) {
  change(archive);
  std::fill_n(archive.begin() + 148, 8, ' ');
  unsigned sum = 0;
  for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(archive[i]);
  for (std::size_t i = 6; i-- > 0; sum /= 8) archive[148 + i] = static_cast<char>('0' + sum % 8);
  archive[154] = '\0';
  return archive;
}

std::string of_type(char type) {
  return changed(write_tar({{"greeter.so", ""}}), [&](std::string& bytes) { bytes[156] = type; });
}

std::string named(const std::string& name) {
  return changed(write_tar({{"x", "1"}}),
                 [&](std::string& bytes) { std::copy(name.begin(), name.end(), bytes.begin()); });
}

TEST(TarTest, FilesComeBackAsTheyWere) {
  const std::string large(1000, 'x');
  const std::string bytes =
      write_tar({{"greeter.so", large}, {"crds/greeting.yaml", "kind: X\n"}, {"empty", ""}});
  EXPECT_EQ(bytes.size() % 512, 0U);

  const Result<std::vector<ArchivedFile>> files = read_tar(bytes);

  ASSERT_TRUE(files) << files.error().message();
  EXPECT_THAT(names_of(*files), ElementsAre("greeter.so", "crds/greeting.yaml", "empty"));
  EXPECT_EQ((*files)[0].content, large);
  EXPECT_EQ((*files)[1].content, "kind: X\n");
  EXPECT_EQ((*files)[2].content, "");
}

TEST(TarTest, LinksAndDevicesAreRefused) {
  EXPECT_THAT(refusal(of_type('1')), HasSubstr("\"greeter.so\" is a hard link"));
  EXPECT_THAT(refusal(of_type('2')), HasSubstr("\"greeter.so\" is a symbolic link"));
  EXPECT_THAT(refusal(of_type('3')), HasSubstr("is a device"));
  EXPECT_THAT(refusal(of_type('6')), HasSubstr("is a FIFO"));
  EXPECT_THAT(refusal(of_type('x')), HasSubstr("an entry of type"));
  EXPECT_THAT(refusal(of_type('S')), HasSubstr("an entry of type"));
}

TEST(TarTest, AbsolutePathsAndWaysOutAreRefused) {
  EXPECT_THAT(refusal(named("/etc/passwd")), HasSubstr("is an absolute path"));
  EXPECT_THAT(refusal(named("../greeter.so")), HasSubstr("leads out of its folder"));
  EXPECT_THAT(refusal(named("a/../../b")), HasSubstr("leads out of its folder"));
  EXPECT_THAT(refusal(named("a//b")), HasSubstr("leads out of its folder"));
  EXPECT_THAT(refusal(named("a\\b")), HasSubstr("backslash"));
  EXPECT_THAT(refusal(named("a\nb")), HasSubstr("control character"));
  EXPECT_THAT(refusal(named("a/b/c/d/e/f/g/h/i")), HasSubstr("is too deep"));
  EXPECT_EQ(refusal(named("./a")), "") << "as tar writes a folder";
}

TEST(TarTest, NamesThatRepeatAreRefused) {
  EXPECT_THAT(refusal(write_tar({{"a", "1"}, {"a", "2"}})), HasSubstr("\"a\" is there twice"));
}

TEST(TarTest, MoreFilesThanAllowedAreRefused) {
  TarLimits limits;
  limits.files_max = 2;
  EXPECT_EQ(refusal(write_tar({{"a", ""}, {"b", ""}}), limits), "");
  EXPECT_THAT(refusal(write_tar({{"a", ""}, {"b", ""}, {"c", ""}}), limits),
              HasSubstr("more than 2 files"));
}

TEST(TarTest, EveryCutAndEveryChangedByteOfTheHeadIsSurvived) {
  const std::string bytes = write_tar({{"a", std::string(600, 'x')}, {"b", "y"}});
  for (std::size_t size = 0; size < bytes.size() - 1024; size += 7) {
    EXPECT_NE(refusal(bytes.substr(0, size)), "") << size;
  }
  for (std::size_t at = 0; at < 512; ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 0x55);
    // The sum and the magic cover all of it; a digit for a NUL may mean the same.
    (void)read_tar(other);
  }
}

TEST(TarTest, SizesBeyondTheArchiveAreRefused) {
  const std::string bytes = changed(write_tar({{"a", "1"}}), [](std::string& archive) {
    const std::string huge = "77777777777";
    std::copy(huge.begin(), huge.end(), archive.begin() + 124);
  });
  EXPECT_THAT(refusal(bytes), HasSubstr("\"a\" is cut"));
}

}  // namespace
}  // namespace davit::host
