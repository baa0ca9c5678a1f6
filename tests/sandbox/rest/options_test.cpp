#include "sandbox/rest/options.hpp"

#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

Query query(std::string_view text) { return parse_url("/?" + std::string(text))->query; }

struct OptionErrorCase {
  const char* query;
  int code;
  const char* message;
};

constexpr OptionErrorCase kListErrors[] = {
    {"limit=abc", 400, R"(strconv.ParseInt: parsing "abc": invalid syntax)"},
    {"resourceVersionMatch=Exact", 422,
     "resourceVersionMatch is forbidden unless resourceVersion is provided"},
    {"resourceVersionMatch=Exact&resourceVersion=0", 422,
     R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")"},
    {"resourceVersionMatch=Foo&resourceVersion=1", 422,
     R"(Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", "")"},
    {"sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"},
};

TEST(OptionsTest, ListOptionsThatMakeNoSenseAreRefused) {
  for (const OptionErrorCase& each : kListErrors) {
    const ApiResult<ListOptions> options = parse_list_options(query(each.query), ListKind::kList);
    ASSERT_FALSE(options) << each.query;
    EXPECT_EQ(options.error().code, each.code) << each.query;
    EXPECT_NE(options.error().message.find(each.message), std::string::npos)
        << options.error().message;
  }
}

constexpr OptionErrorCase kWatchErrors[] = {
    {"sendInitialEvents=true", 422,
     "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
     "NotOlderThan"},
    {"resourceVersionMatch=NotOlderThan", 422,
     "is forbidden for watch unless sendInitialEvents is provided"},
    {"timeoutSeconds=x", 400, "strconv.ParseInt"},
};

TEST(OptionsTest, WatchOptionsThatMakeNoSenseAreRefused) {
  for (const OptionErrorCase& each : kWatchErrors) {
    const ApiResult<ListOptions> options = parse_list_options(query(each.query), ListKind::kWatch);
    ASSERT_FALSE(options) << each.query;
    EXPECT_EQ(options.error().code, each.code) << each.query;
    EXPECT_NE(options.error().message.find(each.message), std::string::npos)
        << options.error().message;
  }
}

struct WriteCase {
  const char* query;
  WriteKind kind;
  const char* message;
};

constexpr WriteCase kWriteErrors[] = {
    {"dryRun=Foo", WriteKind::kCreate,
     R"(CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]: )"
     R"(supported values: "All")"},
    {"fieldValidation=Bogus", WriteKind::kUpdate,
     R"(fieldValidation: Unsupported value: "Bogus": )"
     R"(supported values: "", "Ignore", "Strict", "Warn")"},
    {"", WriteKind::kApply,
     R"(PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: )"
     "is required for apply patch"},
    {"force=true", WriteKind::kPatch, "force: Forbidden: may not be specified for non-apply patch"},
};

TEST(OptionsTest, WriteOptionsThatMakeNoSenseAreRefused) {
  for (const WriteCase& each : kWriteErrors) {
    const ApiResult<WriteOptions> options = parse_write_options(query(each.query), each.kind);
    ASSERT_FALSE(options) << each.query;
    EXPECT_EQ(options.error().code, 422);
    EXPECT_NE(options.error().message.find(each.message), std::string::npos)
        << options.error().message;
  }
}

TEST(OptionsTest, DeletesTakeOnePolicyOnly) {
  const ApiResult<DeleteOptions> both = parse_delete_options(
      json_literal(R"({"orphanDependents":true,"propagationPolicy":"Orphan"})"));
  const ApiResult<DeleteOptions> old =
      parse_delete_options(json_literal(R"({"orphanDependents":false})"));

  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, 422);
  ASSERT_TRUE(old);
  EXPECT_EQ(old->propagation, Propagation::kBackground);
  EXPECT_TRUE(old->keeps_dependents_away);
}

}  // namespace
}  // namespace davit::sandbox
