#include "lib/base/text_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_directory.hpp"

namespace davit {
namespace {

TEST(TextFileTest, AFileIsReadWhole) {
  host::TempDirectory directory;
  std::string text(100'000, 'x');
  text[50'000] = '\0';
  text += "end";
  EXPECT_EQ(read_text_file(directory.write("large", text)).value(), text);
  EXPECT_EQ(read_text_file(directory.write("empty", "")).value(), "");
}

TEST(TextFileTest, FilesOfTheKernelAreReadThoughTheyHaveNoSize) {
  ASSERT_EQ(std::filesystem::file_size("/proc/self/stat"), 0U);
  EXPECT_NE(read_text_file("/proc/self/stat").value_or(""), "");
}

TEST(TextFileTest, MissingFilesAreDistinguishedFromUnreadableOnes) {
  const auto refused = [](const char* path) { return read_text_file(path).error(); };
  EXPECT_EQ(refused("/does/not/exist").code(), Code::kNotFound);
  EXPECT_EQ(refused("/does/not/exist").message(), "no such file or directory");
  EXPECT_EQ(refused("/dev/null/below").code(), Code::kNotFound);
  EXPECT_EQ(refused("/dev/null/below").message(), "Not a directory");
  EXPECT_EQ(refused("/").code(), Code::kInvalid);
  EXPECT_EQ(refused("/").message(), "is a directory");
}

TEST(TextFileTest, AFailureInTheMiddleIsNotAnEnd) {
  // Nothing is mapped at address 0.
  const Status failed = read_text_file("/proc/self/mem").error();
  EXPECT_EQ(failed.code(), Code::kInvalid);
  EXPECT_EQ(failed.message(), "Input/output error");
}

TEST(TextFileTest, AFileWithoutEndIsRefused) {
  const Status failed = read_text_file("/dev/zero").error();
  EXPECT_EQ(failed.code(), Code::kInvalid);
  EXPECT_EQ(failed.message(), "is larger than 8 MiB");
}

}  // namespace
}  // namespace davit
