#include "lib/base/text_file.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

TEST(TextFileTest, MissingFilesAreDistinguishedFromUnreadableOnes) {
  EXPECT_EQ(read_text_file("/does/not/exist").error().code(), Code::kNotFound);
  EXPECT_EQ(read_text_file("/").error().message(), "is a directory");
}

}  // namespace
}  // namespace davit
