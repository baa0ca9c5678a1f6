#include "lib/cel/parser.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit::cel {
namespace {

constexpr const char* kStartSet =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}";

std::string repeated(const std::string& part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out.append(part);
  return out;
}

/// A tree as nested calls.
std::string shown(const Expr& expr);

std::string shown_literal(const Literal& literal) {
  if (const auto* value = std::get_if<bool>(&literal)) return *value ? "true" : "false";
  if (const auto* value = std::get_if<std::int64_t>(&literal)) return std::to_string(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&literal)) return std::to_string(*value) + "u";
  if (const auto* value = std::get_if<double>(&literal)) return std::to_string(*value);
  if (const auto* value = std::get_if<std::string>(&literal)) return "\"" + *value + "\"";
  if (const auto* value = std::get_if<BytesLiteral>(&literal)) return "b\"" + value->bytes + "\"";
  return "null";
}

std::string shown_args(const Expr& expr) {
  std::string out;
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    if (i > 0) out.append(", ");
    if (!expr.optional_args.empty() && expr.optional_args[i]) out.append("?");
    out.append(shown(*expr.args[i]));
  }
  return out;
}

std::string shown_entries(const Expr& expr) {
  std::string out;
  for (const Entry& entry : expr.entries) {
    if (!out.empty()) out.append(", ");
    out.append(entry.optional ? "?" : "");
    out.append(entry.key ? shown(*entry.key) : entry.field)
        .append(": ")
        .append(shown(*entry.value));
  }
  return out;
}

std::string shown(const Expr& expr) {
  const std::string target = expr.target ? shown(*expr.target) + "." : "";
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return shown_literal(expr.literal);
    case ExprKind::kIdent:
      return expr.name;
    case ExprKind::kSelect:
      return target + expr.name + (expr.test_only ? "~test~" : "");
    case ExprKind::kCall:
      return target + expr.name + "(" + shown_args(expr) + ")";
    case ExprKind::kList:
      return "[" + shown_args(expr) + "]";
    case ExprKind::kMap:
      return "{" + shown_entries(expr) + "}";
    case ExprKind::kStruct:
      return expr.name + "{" + shown_entries(expr) + "}";
    case ExprKind::kComprehension:
      break;
  }
  const Comprehension& loop = *expr.loop;
  return "loop(" + loop.variable + (loop.variable2.empty() ? "" : ", " + loop.variable2) + " in " +
         shown(*loop.range) + "; " + loop.accumulator + " = " + shown(*loop.init) + "; " +
         shown(*loop.condition) + "; " + shown(*loop.step) + "; " + shown(*loop.result) + ")";
}

std::string tree(const std::string& text) {
  const Parsed parsed = parse(text);
  return parsed.root ? shown(*parsed.root) : display(text, parsed.issues);
}

TEST(CelParser, OperatorsBindAsInTheGrammar) {
  EXPECT_EQ(tree("1 + 2 * 3 - 4"), "_-_(_+_(1, _*_(2, 3)), 4)");
  EXPECT_EQ(tree("a < b == c"), "_==_(_<_(a, b), c)");
  EXPECT_EQ(tree("a || b && !c"), "_||_(a, _&&_(b, !_(c)))");
  EXPECT_EQ(tree("a ? b : c ? d : e"), "_?_:_(a, b, _?_:_(c, d, e))");
  EXPECT_EQ(tree("!!a"), "a");
  EXPECT_EQ(tree("-(1)"), "-_(1)");
  EXPECT_EQ(tree("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(tree("a || b || c || d"), "_||_(_||_(a, b), _||_(c, d))");
  EXPECT_EQ(tree("x in [1u, 0xFF, .5]"), "@in(x, [1u, 255, 0.500000])");
}

TEST(CelParser, MembersAndLiteralsBecomeNodes) {
  EXPECT_EQ(tree("a.b.c(d)[0]"), "_[_](a.b.c(d), 0)");
  EXPECT_EQ(tree("a.?b[?1]"), "_[?_](_?._(a, \"b\"), 1)");
  EXPECT_EQ(tree("[?a, b,]"), "[?a, b]");
  EXPECT_EQ(tree("{'a': 1, ?'b': c}"), "{\"a\": 1, ?\"b\": c}");
  EXPECT_EQ(tree("Object.spec{a: 1, ?b: c}"), "Object.spec{a: 1, ?b: c}");
  EXPECT_EQ(tree(".a.b"), ".a.b");
  EXPECT_EQ(tree("r'\\n' + '\\u00e9\\x41' + \"\"\"a\"b\"\"\""),
            "_+_(_+_(\"\\n\", \"éA\"), \"a\"b\")");
  EXPECT_EQ(tree("b'\\xff'"), "b\"\xff\"");
  EXPECT_EQ(tree("a // comment\n + b"), "_+_(a, b)");
}

TEST(CelParser, MacrosExpand) {
  EXPECT_EQ(tree("has(a.b.c)"), "a.b.c~test~");
  EXPECT_EQ(tree("l.all(x, x > 0)"),
            "loop(x in l; @result = true; @not_strictly_false(@result); "
            "_&&_(@result, _>_(x, 0)); @result)");
  EXPECT_EQ(tree("l.map(x, p, f)"),
            "loop(x in l; @result = []; true; _?_:_(p, _+_(@result, [f]), @result); @result)");
  EXPECT_EQ(tree("m.transformMap(k, v, v)"),
            "loop(k, v in m; @result = {}; true; cel.@mapInsert(@result, k, v); @result)");
  EXPECT_EQ(tree("o.optMap(x, x)"),
            "_?_:_(o.hasValue(), optional.of(loop(#unused in []; x = o.value(); false; x; x)), "
            "optional.none())");
  EXPECT_EQ(tree("l.existsOne(i, v, v)"),
            "loop(i, v in l; @result = 0; true; _?_:_(v, _+_(@result, 1), @result); "
            "_==_(@result, 1))");
}

TEST(CelParser, ErrorsReadAsThoseOfTheServer) {
  EXPECT_EQ(tree("1 + +"), std::string("ERROR: <input>:1:5: Syntax error: mismatched input '+' "
                                       "expecting ") +
                               kStartSet + "\n | 1 + +\n | ....^\n" +
                               "ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' "
                               "expecting " +
                               kStartSet + "\n | 1 + +\n | .....^");
  EXPECT_EQ(tree("a | b"),
            "ERROR: <input>:1:3: Syntax error: token recognition error at: '| '\n"
            " | a | b\n | ..^\n"
            "ERROR: <input>:1:5: Syntax error: extraneous input 'b' expecting <EOF>\n"
            " | a | b\n | ....^");
  EXPECT_EQ(tree("1 + 2\n3 +"),
            "ERROR: <input>:2:1: Syntax error: mismatched input '3' expecting "
            "<EOF>\n | 3 +\n | ^");
  EXPECT_EQ(tree("{"),
            "ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', "
            "'{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', "
            "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | {\n | .^");
  EXPECT_EQ(tree("{a}"),
            "ERROR: <input>:1:3: Syntax error: mismatched input '}' expecting ':'\n"
            " | {a}\n | ..^");
  EXPECT_EQ(tree("has(m)"),
            "ERROR: <input>:1:5: invalid argument to has() macro\n | has(m)\n | ....^");
  EXPECT_EQ(tree("1.all(2, 3)"),
            "ERROR: <input>:1:7: argument must be a simple name\n | 1.all(2, 3)\n | ......^");
  EXPECT_EQ(tree("break"), "ERROR: <input>:1:1: reserved identifier: break\n | break\n | ^");
  EXPECT_EQ(tree("0xFFFFFFFFFFFFFFFFF"),
            "ERROR: <input>:1:1: invalid int literal\n | 0xFFFFFFFFFFFFFFFFF\n | ^");
  EXPECT_EQ(tree("{\"a\": 1}.\"a\""),
            "ERROR: <input>:1:10: Syntax error: no viable alternative at "
            "input '.\"a\"'\n | {\"a\": 1}.\"a\"\n | .........^");
  EXPECT_EQ(tree("TestAllTypes(){}"),
            "ERROR: <input>:1:15: Syntax error: mismatched input '{' "
            "expecting <EOF>\n | TestAllTypes(){}\n | ..............^");
  EXPECT_EQ(tree("a.true"),
            "ERROR: <input>:1:3: Syntax error: mismatched input 'true' expecting "
            "IDENTIFIER\n | a.true\n | ..^");
  EXPECT_EQ(tree("[1].map(__result__, 1)"),
            "ERROR: <input>:1:9: iteration variable overwrites accumulator variable\n"
            " | [1].map(__result__, 1)\n | ........^");
}

TEST(CelParser, WideCharactersHaveWideCarets) {
  EXPECT_EQ(tree("'é' + "),
            std::string("ERROR: <input>:1:7: Syntax error: mismatched input '<EOF>' "
                        "expecting ") +
                kStartSet + "\n | 'é' + \n | .．....^");
}

TEST(CelParser, DepthAndSizeHaveLimits) {
  const std::string deep = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
  EXPECT_EQ(tree(repeated("(", 1000) + "1" + repeated(")", 1000)), deep);
  EXPECT_EQ(tree(repeated("[", 1000) + repeated("]", 1000)), deep);
  EXPECT_EQ(tree(repeated("a.all(x, ", 1000)), deep);
  EXPECT_EQ(tree(repeated("!", 98'000) + "a"), "a");
  EXPECT_EQ(tree(repeated("1", 100'001)),
            "ERROR: <input>:-1:0: expression code point size exceeds "
            "limit: size: 100001, limit 100000");
  EXPECT_EQ(tree("o" + repeated(".optMap(x, x)", 200)).substr(0, 56),
            "ERROR: <input>:-1:0: macros expand to more than 150000 n");
  EXPECT_TRUE(parse("a" + repeated(" || a", 19'000)).root);
}

TEST(CelParser, EachRuleOfTheGrammarHasADepth) {
  const auto relations = [](int count) {
    return repeated("true == (", count) + "true" + repeated(")", count);
  };
  const auto sums = [](int count) {
    return repeated("1 + 2 * (", count) + "1" + repeated(")", count);
  };
  const std::string deep = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";

  EXPECT_TRUE(parse(relations(124)).root);
  EXPECT_EQ(tree(relations(125)), deep);
  EXPECT_TRUE(parse(sums(83)).root);
  EXPECT_EQ(tree(sums(84)), deep);
}

TEST(CelParser, ChainsOfAllRulesHaveOneHeight) {
  const std::string high = "ERROR: <input>:-1:0: max recursion depth exceeded";
  for (const char* link : {".b", "[0]", ".b()", "+1", " == a", ".?b"}) {
    EXPECT_TRUE(parse("a" + repeated(link, 250)).root) << link;
    EXPECT_EQ(tree("a" + repeated(link, 251)), high) << link;
    EXPECT_EQ(tree("a" + repeated(link, 15'000)), high) << link;
  }
  const std::string selected = "a" + repeated(".b", 100);
  EXPECT_TRUE(parse(selected + repeated(" + 1", 149) + " == a").root);
  EXPECT_EQ(tree(selected + repeated(" + 1", 150) + " == a"), high);
  EXPECT_EQ(tree("[{'a': f(" + selected + ")}]" + repeated(" + 1", 151)), high);
  EXPECT_EQ(tree("has(" + selected + ") ? " + repeated("1 + ", 250) + "1 : 2"), high);
}

TEST(CelParser, DepthIsFoundBeforeHeight) {
  EXPECT_EQ(
      tree("1" + repeated(" + 1", 300) + " + " + repeated("(", 300) + "1" + repeated(")", 300)),
      "ERROR: <input>:-1:0: expression recursion limit exceeded: 250");
}

TEST(CelParser, BrokenTextsEndWithIssues) {
  for (const char* text :
       {"",         ")",     "a(",     "a(b", "[1",  "{1:",  "a{",   "a{b",   "a{b:",      "a{,",
        "a.",       "a.?",   "a[",     "a[?", "'",   "'''a", "b'",   "`a`",   "a.`b`",     "a ? b",
        "a ? : b",  "1 2 3", "a b c(", "&",   "?",   "??",   "\xff", "a(,)",  "[,,]",      "{,,}",
        "M{a:1,,}", "in",    "a in",   "..",  ".1.", "0x",   "1e",   "'\\q'", "a.b{c.d:1}"}) {
    EXPECT_FALSE(parse(text).root) << text;
    EXPECT_FALSE(parse(text).issues.empty()) << text;
  }
}

}  // namespace
}  // namespace davit::cel
