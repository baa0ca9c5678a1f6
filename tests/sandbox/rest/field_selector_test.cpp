#include "sandbox/rest/field_selector.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace davit::sandbox {
namespace {

ResourcePtr builtin(const std::string& name) {
  for (const ResourcePtr& each : builtin_resources()) {
    if (each->name == name) return each;
  }
  return nullptr;
}

Version labelled_pod() {
  Version out;
  out.ns = "default";
  out.name = "p";
  out.fields = {{"spec.nodeName", "n,1"}, {"status.phase", ""}};
  return out;
}

struct SelectorCase {
  const char* selector;
  bool matches;
};

constexpr SelectorCase kSelectorCases[] = {
    {"", true},
    {"metadata.name=p", true},
    {"metadata.name==q", false},
    {"metadata.namespace!=kube-system", true},
    {R"(spec.nodeName=n\,1)", true},
    {"spec.nodeName=", false},
    {"status.phase=", true},
    {"status.phase!=Running,metadata.name=p", true},
    {"metadata.name=p,", true},
};

TEST(FieldSelectorTest, SelectsAsTheGrammarSays) {
  const ResourcePtr pods = builtin("pods");
  for (const SelectorCase& each : kSelectorCases) {
    const Result<FieldSelector> selector = FieldSelector::parse(each.selector, *pods);
    ASSERT_TRUE(selector) << each.selector << ": " << selector.error().message();
    EXPECT_EQ(selector->matches(labelled_pod()), each.matches) << each.selector;
  }
}

TEST(FieldSelectorTest, InvalidTermIsQuoted) {
  const Result<FieldSelector> selector = FieldSelector::parse("a=b,c", *builtin("pods"));
  EXPECT_NE(FieldSelector::parse("metadata.name", *builtin("pods"))
                .error()
                .message()
                .find("invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
            std::string::npos);
  EXPECT_FALSE(selector);
}

TEST(FieldSelectorTest, UnknownFieldsAreNamedInTheKindsOwnWords) {
  EXPECT_EQ(FieldSelector::parse("bogus=1", *builtin("pods")).error().message(),
            "field label not supported: bogus");
  EXPECT_EQ(FieldSelector::parse("data.k=v", *builtin("configmaps")).error().message(),
            R"("data.k" is not a known field selector: only "metadata.name", )"
            R"("metadata.namespace")");
  EXPECT_FALSE(FieldSelector::parse("metadata.namespace=x", *builtin("nodes")));
}

}  // namespace
}  // namespace davit::sandbox
