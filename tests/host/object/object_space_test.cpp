#include "host/object/object_space.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "host/object/parse.hpp"

namespace davit::host {
namespace {

TEST(ObjectSpaceTest, NameIsTheSameEachTimeAndGivesItsTextBack) {
  ObjectSpace space;

  const davit_name name = space.intern("metadata");

  EXPECT_NE(name, 0U);
  EXPECT_EQ(space.intern("metadata"), name);
  EXPECT_EQ(space.intern_data("metadata"), name);
  EXPECT_EQ(space.find("metadata"), name);
  EXPECT_EQ(space.text(name), "metadata");
}

TEST(ObjectSpaceTest, NameThatIsNotThereIsZero) {
  ObjectSpace space;

  EXPECT_EQ(space.find("metadata"), 0U);
  EXPECT_EQ(space.intern(""), 0U);
  EXPECT_EQ(space.text(0), "");
  EXPECT_EQ(space.text(77), "");
  EXPECT_EQ(space.text(~0U), "");
}

TEST(ObjectSpaceTest, LongDataKeyIsNotInterned) {
  ObjectSpace space;

  EXPECT_EQ(space.intern_data(std::string(ObjectSpace::kDataNameBytesMax + 1, 'k')), 0U);
  EXPECT_NE(space.intern_data(std::string(ObjectSpace::kDataNameBytesMax, 'k')), 0U);
}

TEST(ObjectSpaceTest, DataCannotTakeTheRoomOfPluginNames) {
  ObjectSpace space;
  for (std::size_t i = 0; i < ObjectSpace::kDataNamesMax; ++i) {
    ASSERT_NE(space.intern_data("key-" + std::to_string(i)), 0U);
  }

  EXPECT_EQ(space.intern_data("one-more"), 0U);
  EXPECT_NE(space.intern("one-more"), 0U);
  EXPECT_EQ(space.text(space.find("key-8191")), "key-8191");
}

TEST(ObjectSpaceTest, NamesEndWhereTheTableIsFull) {
  ObjectSpace space;
  for (std::size_t i = 1; i < ObjectSpace::kNamesMax; ++i) {
    ASSERT_NE(space.intern(std::to_string(i)), 0U) << i;
  }

  EXPECT_EQ(space.intern("one-more"), 0U);
  EXPECT_EQ(space.text(space.find("16383")), "16383");
  EXPECT_EQ(space.add_projection(std::vector<std::string>{"another"}).error().code(),
            Code::kUnsupported);
}

TEST(ObjectSpaceTest, KeysOfAFullTableAreFoundInline) {
  ObjectSpace space;
  for (std::size_t i = 0; i < ObjectSpace::kDataNamesMax; ++i) {
    ASSERT_NE(space.intern_data("key-" + std::to_string(i)), 0U);
  }
  const Result<ObjectRef> object =
      parse_object(space, R"({"late":1,"later":{"key-7":2},"late":3})");
  ASSERT_TRUE(object) << object.error().message();

  const davit_name late = space.intern("late");  // Known only after the object was made.

  EXPECT_EQ(object->root()["late"].integer(), 3);
  EXPECT_EQ(object->root().member(late).integer(), 3);
  EXPECT_EQ(object->root()["later"]["key-7"].integer(), 2);
  EXPECT_EQ(object->root().json(), R"({"later":{"key-7":2},"late":3})");
  const Result<ObjectRef> again = parse_object(space, R"({"late":3,"later":{"key-7":2}})");
  EXPECT_EQ(object->root(), again->root()) << "inline and interned keys are the same";
  EXPECT_EQ(object->root().hash(), again->root().hash());
}

TEST(ObjectSpaceTest, ThreadsAgreeOnNames) {
  ObjectSpace space;
  constexpr int kThreads = 4;
  constexpr int kNames = 2000;
  std::vector<std::vector<davit_name>> seen(kThreads, std::vector<davit_name>(kNames));

  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&space, &mine = seen[static_cast<std::size_t>(t)]] {
      for (int i = 0; i < kNames; ++i) {
        mine[static_cast<std::size_t>(i)] = space.intern_data("name-" + std::to_string(i));
      }
    });
  }
  threads.clear();

  for (const auto& mine : seen) EXPECT_EQ(mine, seen[0]);
  for (int i = 0; i < kNames; ++i) {
    EXPECT_EQ(space.text(seen[0][static_cast<std::size_t>(i)]), "name-" + std::to_string(i));
  }
}

}  // namespace
}  // namespace davit::host
