#include "lib/base/markup.hpp"

#include <gtest/gtest.h>

namespace davit {
namespace {

TEST(MarkupTest, NothingIsATagAReferenceOrTheEndOfAnAttribute) {
  EXPECT_EQ(markup_escaped(R"(<a href="x">&lt; 'y'</a>)"),
            "&lt;a href=&quot;x&quot;&gt;&amp;lt; &#39;y&#39;&lt;/a&gt;");
}

TEST(MarkupTest, ControlCharactersDoNotComeThroughAndOthersStay) {
  EXPECT_EQ(markup_escaped(std::string_view("a\0b\x1b[1m\r\n\tc", 11)), "a?b?[1m?\n\tc");
  EXPECT_EQ(markup_escaped("10 × – ünï"), "10 × – ünï");
}

}  // namespace
}  // namespace davit
