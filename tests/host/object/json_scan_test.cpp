#include "host/object/json_scan.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/host/object/golden.hpp"

namespace davit::host {
namespace {

std::vector<std::string> values() {
  return {
      "{}",
      "[]",
      "\"\"",
      "0",
      "-12.5e+3",
      "true",
      "null",
      R"("a \" quote and \\")",
      R"({"a":"}"})",
      R"({"a":"\\"})",
      R"(["\\\"]", "{[", [{"x":[]}]])",
      "{\"k\":\"" + std::string(200, 'x') + "\"}",
      "{\"k\":\"" + std::string(63, '\\') + "\\\"}",
      "[" + std::string(61, ' ') + "\"\\\\\", \"\\\"]\"]",
      std::string(100, '[') + std::string(100, ']'),
  };
}

TEST(ValueScannerTest, EndIsFoundWhateverFollows) {
  for (const std::string& value : values()) {
    for (const std::string behind : {",1", "}", "]}", " ", "\n{\"next\":[", "\t\"x\""}) {
      const std::string text = value + behind;
      const char* end = skip_value(text.data(), text.data() + text.size());
      ASSERT_NE(end, nullptr) << text;
      EXPECT_EQ(end - text.data(), static_cast<std::ptrdiff_t>(value.size())) << text;
    }
  }
}

TEST(ValueScannerTest, EndIsFoundThroughEveryCut) {
  for (const std::string& value : values()) {
    const std::string text = value + ",";
    for (std::size_t cut = 1; cut < value.size(); ++cut) {
      ValueScanner scanner;
      scanner.start(text[0]);
      const char* base = text.data();
      ASSERT_EQ(scanner.feed(base, base + cut), nullptr) << text << " cut at " << cut;
      const char* end = scanner.feed(base + cut, base + text.size());
      ASSERT_EQ(end, base + value.size()) << text << " cut at " << cut;
    }
  }
}

TEST(ValueScannerTest, EndIsFoundByteByByte) {
  const std::string text = golden("pod.json");
  ValueScanner scanner;
  scanner.start(text[0]);
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size() && end == 0; ++i) {
    if (scanner.feed(text.data() + i, text.data() + i + 1) != nullptr) end = i + 1;
  }
  EXPECT_EQ(end, text.find_last_of('}') + 1);
}

TEST(ValueScannerTest, CutValueHasNoEnd) {
  for (const std::string& value : values()) {
    if (value[0] != '{' && value[0] != '[' && value[0] != '"') continue;
    for (std::size_t size = 1; size < value.size(); ++size) {
      EXPECT_EQ(skip_value(value.data(), value.data() + size), nullptr) << value << " " << size;
    }
  }
}

TEST(MemberWalkTest, MembersComeAsWritten) {
  MemberWalk walk(R"( { "a" : 1 , "b\"" : {"c":[2]},"" :"x" } )");
  std::string found;
  while (walk.next()) found += std::string(walk.key()) + "=" + std::string(walk.value()) + ";";
  EXPECT_TRUE(walk.ok());
  EXPECT_EQ(found, R"(a=1;b\"={"c":[2]};="x";)");
}

TEST(MemberWalkTest, MalformedTextIsNotOk) {
  for (const std::string_view text :
       {"", "[]", "{", "{}x", R"({"a"})", R"({"a":})", R"({"a":1,})", R"({"a":1 "b":2})", R"({,})",
        R"({"a":1)", R"({a:1})", "{}}"}) {
    MemberWalk walk(text);
    while (walk.next()) {
    }
    EXPECT_FALSE(walk.ok()) << text;
  }
  MemberWalk empty("{}");
  EXPECT_FALSE(empty.next());
  EXPECT_TRUE(empty.ok());
}

}  // namespace
}  // namespace davit::host
