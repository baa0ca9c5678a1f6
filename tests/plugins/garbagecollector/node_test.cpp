/// UIDs, texts and types as nodes keep them; pure.
#include "plugins/garbagecollector/node.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace davit::garbage {
namespace {

TEST(UidTest, EveryTextComesBackAsItWas) {
  const std::vector<std::string> texts = {
      "",
      "a",
      "12345678-9abc-def0-0123-456789abcdef",
      "00000000-0000-0000-0123-456789abcdef",  // Its first half is 0.
      "00000000-0000-0000-0000-000000000000",
      "12345678-9ABC-def0-0123-456789abcdef",
      "12345678-9abc-def0-0123-456789abcdeg",
      "12345678x9abc-def0-0123-456789abcdef",
      "123456789abcdef00123456789abcdef",
      "12345678-9abc-def0-0123-456789abcdef0",
      "ffffffff-ffff-ffff-ffff-ffffffffffff",
  };
  for (const std::string& each : texts) {
    EXPECT_EQ(Uid(each).text(), each);
    for (const std::string& other : texts) {
      EXPECT_EQ(Uid(each) == Uid(other), each == other) << each << " and " << other;
    }
  }
}

TEST(UidTest, AssignmentChangesBetweenBothForms) {
  const Uid uuid("12345678-9abc-def0-0123-456789abcdef");
  const Uid text("text");
  Uid uid;
  for (const Uid* each : {&text, &uuid, &uuid, &text, &text}) {
    uid = *each;
    EXPECT_EQ(uid.text(), each->text());
    EXPECT_EQ(uid.hash(), each->hash());
  }
  const Uid& same = uid;
  uid = same;
  EXPECT_EQ(uid.text(), "text");
}

TEST(TextTest, CopiesShareOneText) {
  Text a("some text");
  EXPECT_FALSE(a.is_shared());
  {
    const Text b = a;
    EXPECT_TRUE(a.is_shared());
    EXPECT_EQ(b.view().data(), a.view().data());
  }
  EXPECT_FALSE(a.is_shared());
  const Text moved = std::move(a);
  EXPECT_EQ(moved.view(), "some text");
  EXPECT_EQ(Text("x"), Text("x"));
  EXPECT_EQ(Text(""), Text());
}

TEST(TextPoolTest, EqualTextsAreOne) {
  TextPool pool;
  const Text a = pool.of("apps/v1");
  EXPECT_EQ(pool.of("apps/v1").view().data(), a.view().data());
  for (int i = 0; i < 1000; ++i) (void)pool.of(std::to_string(i));  // Not used further.
  EXPECT_EQ(pool.of("apps/v1").view().data(), a.view().data());
}

TEST(TypeTest, PartsAreDividedWhateverCharactersTheyHave) {
  for (const auto& [api_version, kind] :
       {std::pair("apps/v1", "Deployment"), std::pair("v1", "Pod"), std::pair("", "1:Pod"),
        std::pair("3:a", ""), std::pair("", "")}) {
    const Text type(type_text(api_version, kind));
    EXPECT_EQ(type_parts(type).api_version, api_version);
    EXPECT_EQ(type_parts(type).kind, kind);
  }
}

}  // namespace
}  // namespace davit::garbage
