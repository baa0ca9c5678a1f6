/// A controller in Rust hands its state over ("davit.state/1") and takes another configuration
/// ("davit.configurable/1"); the C++ sides are in cluster_test.cpp and entry_test.cpp.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>

namespace davit {
namespace {

constexpr const char* kController = "tally-controller";
constexpr const char* kTwoSyncs = R"({"counts":[{"key":"default/a\"b","syncs":2}]})";

class HandedStateTest : public ::testing::Test {
 protected:
  HandedStateTest() {
    // Not closed again: Rust's thread-local destructors hold it anyway.
    void* library = dlopen(DAVIT_TALLY, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    const auto entry = reinterpret_cast<davit_plugin_v1_fn>(dlsym(library, DAVIT_PLUGIN_SYMBOL));
    EXPECT_TRUE(cluster_.start(kController, entry()->rows[0].init).ok());
  }
  Status give(std::uint32_t version, const std::string& text) {
    return cluster_.give_state(kController, version, text);
  }
  [[nodiscard]] std::string state() const { return cluster_.state_of(kController); }

  testing::Cluster cluster_;
};

TEST_F(HandedStateTest, WhatRustWritesIsJsonOfWhatItKnows) {
  EXPECT_EQ(state(), R"({"counts":[]})");
  for (const char* name : {"a", "b"}) {
    cluster_.add(
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":")" +
        std::string(name) + R"("}})");
  }
  cluster_.run_until_idle();
  EXPECT_EQ(state(), R"({"counts":[{"key":"default/a","syncs":1},{"key":"default/b","syncs":1}]})");
}

TEST_F(HandedStateTest, RustTakesOverWhatAnotherBuildWroteAsItIs) {
  const Status read = give(1, kTwoSyncs);
  EXPECT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(state(), kTwoSyncs);
}

TEST_F(HandedStateTest, RustTakesOrRefusesAConfigurationWhileItRuns) {
  ASSERT_TRUE(give(2, kTwoSyncs).ok());
  EXPECT_TRUE(cluster_.configure(kController, R"({"begin":7})").ok());
  EXPECT_EQ(state(), R"({"counts":[{"key":"default/a\"b","syncs":7}]})");
  const Status refused = cluster_.configure(kController, "{}");
  EXPECT_EQ(refused.code(), Code::kInvalid);
  EXPECT_EQ(refused.message(), "begin is missing");
}

struct Refusal {
  const char* name;
  const char* text;
  const char* why;
  std::uint32_t version = 2;
};

constexpr Refusal kRefusals[] = {
    {"NoJson", "{", "JSON is malformed"},
    {"NoObject", "[]", "a part is not an object"},
    {"NoList", R"({"counts":{}})", R"("counts" is not a list)"},
    {"NoNumber", R"({"counts":[{"key":"a","syncs":"1"}]})", R"("syncs" is not a number)"},
    {"OutOfRange", R"({"counts":[{"key":"a","syncs":-1}]})", "a number within its range"},
    {"OneThatPanics", R"({"counts":[{"key":"panic","syncs":1}]})", "panic: at the disco"},
    {"AFormOfTheFuture", R"({"counts":[]})", "does not read this form", 3},
};

class HandedStateRefusalTest : public HandedStateTest,
                               public ::testing::WithParamInterface<Refusal> {};

TEST_P(HandedStateRefusalTest, IsReportedAndLeavesWhatRustKnew) {
  ASSERT_TRUE(give(2, kTwoSyncs).ok());
  const Status read = give(GetParam().version, GetParam().text);
  EXPECT_FALSE(read.ok());
  EXPECT_NE(read.message().find(GetParam().why), std::string::npos) << read.message();
  EXPECT_EQ(state(), kTwoSyncs);
}

INSTANTIATE_TEST_SUITE_P(States, HandedStateRefusalTest, ::testing::ValuesIn(kRefusals),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace davit
