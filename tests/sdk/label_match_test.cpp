#include <gtest/gtest.h>

#include <davit/kube/label_match.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit {
namespace {

struct MatchCase {
  const char* name;
  LabelOperator op;
  std::vector<std::string> values;
  std::optional<std::string_view> label;
  bool matches;
};

// clang-format off
const MatchCase kMatchCases[] = {
    {"EqualsWantsTheValue", LabelOperator::kEquals, {"a"}, "a", true},
    {"EqualsRefusesAnotherValue", LabelOperator::kEquals, {"a"}, "b", false},
    {"InListsTheValueInAnyOrder", LabelOperator::kIn, {"b", "a"}, "a", true},
    {"InRefusesAnotherValue", LabelOperator::kIn, {"b", "a"}, "c", false},
    {"InRefusesAMissingLabel", LabelOperator::kIn, {""}, std::nullopt, false},
    {"InKnowsTheEmptyValue", LabelOperator::kIn, {""}, "", true},
    {"NotInRefusesAListedValue", LabelOperator::kNotIn, {"a"}, "a", false},
    {"NotInTakesAnotherValue", LabelOperator::kNotIn, {"a"}, "b", true},
    {"NotInTakesAMissingLabel", LabelOperator::kNotIn, {"a"}, std::nullopt, true},
    {"ExistsTakesTheEmptyValue", LabelOperator::kExists, {}, "", true},
    {"ExistsRefusesAMissingLabel", LabelOperator::kExists, {}, std::nullopt, false},
    {"DoesNotExistTakesAMissingLabel", LabelOperator::kDoesNotExist, {}, std::nullopt, true},
    {"DoesNotExistRefusesTheEmptyValue", LabelOperator::kDoesNotExist, {}, "", false},
    {"GreaterComparesNumbersNotTexts", LabelOperator::kGreater, {"9"}, "10", true},
    {"GreaterRefusesAnEqualNumber", LabelOperator::kGreater, {"9"}, "9", false},
    {"LessKnowsNegativeNumbers", LabelOperator::kLess, {"0"}, "-1", true},
    {"LessRefusesAnEqualNumber", LabelOperator::kLess, {"0"}, "0", false},
    {"LessRefusesAMissingLabel", LabelOperator::kLess, {"0"}, std::nullopt, false},
    {"LessRefusesAValueWithAUnit", LabelOperator::kLess, {"9"}, "1Gi", false},
    {"LessRefusesABoundThatIsNotANumber", LabelOperator::kLess, {"x"}, "1", false},
    {"GreaterRefusesTwoBounds", LabelOperator::kGreater, {"1", "2"}, "3", false},
    {"GreaterRefusesNoBound", LabelOperator::kGreater, {}, "3", false},
};
// clang-format on

class LabelMatchTest : public ::testing::TestWithParam<MatchCase> {};

TEST_P(LabelMatchTest, OperatorDecides) {
  const MatchCase& given = GetParam();
  EXPECT_EQ(label_matches(given.op, given.values, given.label), given.matches);
}

INSTANTIATE_TEST_SUITE_P(Rules, LabelMatchTest, ::testing::ValuesIn(kMatchCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace davit
