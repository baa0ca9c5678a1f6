#include "cli/codegen_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file).rdbuf();
  return out.str();
}

/// A definition whose spec is the schema `spec`, in YAML's flow style.
std::string crd_with_spec(const std::string& spec) {
  return "apiVersion: apiextensions.k8s.io/v1\n"
         "kind: CustomResourceDefinition\n"
         "spec:\n"
         "  group: test.davit.dev\n"
         "  names: {plural: things, kind: Thing}\n"
         "  versions:\n"
         "    - name: v1\n"
         "      served: true\n"
         "      schema:\n"
         "        openAPIV3Schema:\n"
         "          type: object\n"
         "          properties:\n"
         "            spec: " +
         spec + "\n";
}

class CodegenCommandTest : public testing::Test {
 protected:
  int run(CodegenOptions options) {
    out_.str("");
    err_.str("");
    return run_codegen(options, out_, err_);
  }
  int run_on(const std::string& text) {
    directory_.write("input.yaml", text);
    return run({.files = {path("input.yaml")}});
  }
  int run_on_openapi(const std::string& text, std::vector<std::string> kinds = {}) {
    directory_.write("openapi.json", text);
    return run({.openapi = path("openapi.json"), .kinds = std::move(kinds)});
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_.path() / name).string();
  }

  TempDirectory directory_;
  std::ostringstream out_;
  std::ostringstream err_;
};

/// davit codegen tests/cli/codegen/NAME writes what the golden file has; run it to see or accept a
/// difference.
TEST_F(CodegenCommandTest, OutputIsTheGoldenOneInEveryRun) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(run({.files = {DAVIT_TESTS "/cli/codegen/gadget.yaml"}}), 0) << err_.str();
    EXPECT_EQ(out_.str(), text_of(DAVIT_TESTS "/golden/codegen/gadget.hpp.txt"));
  }
}

TEST_F(CodegenCommandTest, OutputOfAnOpenApiDocumentWithCyclesIsTheGoldenOne) {
  ASSERT_EQ(run({.openapi = DAVIT_TESTS "/cli/codegen/cycles.json"}), 0) << err_.str();
  EXPECT_EQ(out_.str(), text_of(DAVIT_TESTS "/golden/codegen/cycles.hpp.txt"));
}

TEST_F(CodegenCommandTest, OrderOfFilesDoesNotMatter) {
  directory_.write("other.yaml", crd_with_spec("{type: object}"));
  const std::string gadget = DAVIT_TESTS "/cli/codegen/gadget.yaml";
  const auto types_of = [&](std::vector<std::string> files) {
    EXPECT_EQ(run({.files = std::move(files), .ns = "mine"}), 0) << err_.str();
    return out_.str().substr(out_.str().find("#pragma"));
  };

  EXPECT_EQ(types_of({gadget, path("other.yaml")}), types_of({path("other.yaml"), gadget}));
  EXPECT_THAT(out_.str(), HasSubstr("namespace mine::v1 {"));
}

TEST_F(CodegenCommandTest, FileIsReplacedAsAWholeAndOnlyIfAllIsWell) {
  directory_.write("good.yaml", crd_with_spec("{type: object, properties: {a: {type: string}}}"));
  directory_.write("bad.yaml", crd_with_spec("{type: strin}"));
  ASSERT_EQ(run({.files = {path("good.yaml")}, .output = path("new/types.hpp")}), 0) << err_.str();
  const std::string before = text_of(path("new/types.hpp"));
  EXPECT_THAT(before, HasSubstr("class ThingSpec"));

  EXPECT_EQ(run({.files = {path("good.yaml"), path("bad.yaml")}, .output = path("new/types.hpp")}),
            2);

  EXPECT_EQ(text_of(path("new/types.hpp")), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(path("new")), fs::directory_iterator()), 1);
}

TEST_F(CodegenCommandTest, UnwritableFileIsAFailure) {
  directory_.write("good.yaml", crd_with_spec("{type: object}"));
  directory_.write("taken", "");

  EXPECT_EQ(run({.files = {path("good.yaml")}, .output = path("taken/types.hpp")}), 1);

  EXPECT_EQ(err_.str(), "davit: cannot write " + path("taken/types.hpp") + ": Not a directory\n");
}

TEST_F(CodegenCommandTest, OpaqueFieldStaysUntyped) {
  directory_.write("good.yaml",
                   crd_with_spec("{type: object, properties: {a: {type: object, properties: {b: "
                                 "{type: string}}}}}"));

  ASSERT_EQ(run({.files = {path("good.yaml")}, .opaque = {"spec.a"}}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("::davit::Value a() const"));

  EXPECT_EQ(run({.files = {path("good.yaml")}, .opaque = {"spec.c"}}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--opaque spec.c: no kind has this field"));
}

TEST_F(CodegenCommandTest, OnlySelectedFieldsAreRead) {
  ASSERT_EQ(run({.kinds = {"apps/v1/Deployment"},
                 .only = {"spec.replicas", "spec.template.spec.containers[].image"}}),
            0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("class Container : "));
  EXPECT_THAT(out_.str(), HasSubstr(R"( = {
      "spec.replicas",
      "spec.template.spec.containers[].image"};)"));

  EXPECT_EQ(run({.kinds = {"apps/v1/Deployment"}, .only = {"spec.replicas", "spec.color"}}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--only spec.color: no kind has this field"));
}

TEST_F(CodegenCommandTest, OneTypeMayHaveDifferentFieldsAtTwoPlaces) {
  ASSERT_EQ(run({.kinds = {"v1/Pod"},
                 .only = {"spec.containers[].livenessProbe.periodSeconds",
                          "spec.containers[].readinessProbe.timeoutSeconds"}}),
            0)
      << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("class Probe : "));
  EXPECT_THAT(out_.str(), HasSubstr("class Probe2 : "));
}

TEST_F(CodegenCommandTest, UnknownBuiltInKindIsRefused) {
  EXPECT_EQ(run({.kinds = {"apps/v1/Deploymnt"}}), 2);
  EXPECT_EQ(err_.str(),
            "built-in kinds of apps/v1: the document has no kind apps/v1/Deploymnt; did you mean "
            "apps/v1/Deployment?\n");
}

TEST_F(CodegenCommandTest, DescriptionsCannotLeaveTheirComment) {
  ASSERT_EQ(run_on(crd_with_spec("{type: object, description: \"a\\\\\\n}; int x;\\u202e\\u0007 "
                                 "*/ end\\\\\"}")),
            0)
      << err_.str();

  EXPECT_THAT(out_.str(), HasSubstr("/// a\n  /// }; int x; */ end\n"));
}

TEST_F(CodegenCommandTest, ListOfDefinitionsIsReadLikeTheDefinitions) {
  directory_.write("list.json", R"({"apiVersion":"v1","kind":"List","items":[
    {"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","spec":{
    "group":"g.io","names":{"plural":"xs","kind":"X"},"versions":[
    {"name":"v1","served":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}]})");

  EXPECT_EQ(run({.files = {path("list.json")}}), 0) << err_.str();

  EXPECT_THAT(out_.str(), HasSubstr(R"(kResource{"g.io", "v1", "xs", "X"})"));
}

// ---- Bad input ----------------------------------------------------------------------------------

struct BadSpec {
  std::string_view name;
  std::string_view spec;   ///< The schema of spec.
  std::string_view error;  ///< After the place.
};

class BadSpecTest : public CodegenCommandTest, public testing::WithParamInterface<BadSpec> {};

TEST_P(BadSpecTest, IsRefusedWithItsPlace) {
  EXPECT_EQ(run_on(crd_with_spec(std::string(GetParam().spec))), 2);

  EXPECT_THAT(err_.str(), testing::StartsWith(path("input.yaml") + ":13:"));
  EXPECT_THAT(err_.str(), HasSubstr(GetParam().error));
  EXPECT_EQ(out_.str(), "");
}

constexpr BadSpec kBadSpecs[] = {
    {"UnknownType", "{type: strin}",
     R"(object or string, not the string "strin"; did you mean string?)"},
    {"NoType", "{type: object, properties: {a: {description: x}}}", "spec.a: the type is missing"},
    {"NotASchema", "{type: object, properties: {a: 5}}",
     "spec.a: a schema must be a mapping, not the number 5"},
    {"Reference", "{$ref: '#/x'}", "spec: a CustomResourceDefinition cannot have $ref"},
    {"TypeOfIntOrString", "{type: string, x-kubernetes-int-or-string: true}",
     "exclude each other; remove type"},
    {"PropertiesOfAString", "{type: string, properties: {a: {type: string}}}",
     "properties contradict the type string"},
    {"ItemsOfAnObject", "{type: object, items: {type: string}}",
     "items contradict the type object"},
    {"ArrayWithoutItems", "{type: array}", "an array needs the schema of its items"},
    {"PropertiesAndMap",
     "{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}",
     "exclude each other"},
    {"RequiredNobodyHas", "{type: object, required: [b], properties: {a: {type: string}}}",
     R"(spec: required names "b", which is not a property)"},
    {"EmptyEnum", "{type: string, enum: []}", "the enum is empty"},
    {"EnumOfAnotherType", "{type: string, enum: [1]}", "not of type string; quote it"},
    {"EnumTwice", "{type: string, enum: [a, a]}", "twice"},
    {"DefaultOfAnotherType", "{type: integer, default: x}", "not of type integer"},
    {"DefaultOutsideTheEnum", "{type: string, enum: [a], default: b}",
     R"(the default "b" is not in the enum)"},
    {"Bounds", "{type: integer, minimum: 3, maximum: 2}", "minimum is greater than maximum"},
    {"NoKeys", "{type: array, x-kubernetes-list-type: map, items: {type: object}}",
     "needs x-kubernetes-list-map-keys"},
    {"UnknownKey",
     "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: "
     "object, properties: {a: {type: string}}}}",
     R"(the key "b" is not a property of the items)"},
};
INSTANTIATE_TEST_SUITE_P(, BadSpecTest, testing::ValuesIn(kBadSpecs),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(CodegenCommandTest, InvalidYamlIsReportedWithLineInItsDocument) {
  EXPECT_EQ(run_on("a: 1\n---\nb: [\n"), 2);
  EXPECT_THAT(err_.str(), testing::ContainsRegex("input.yaml:[34]:"));
}

TEST_F(CodegenCommandTest, FileWithoutDefinitionsIsRefused) {
  EXPECT_EQ(run_on("kind: Pod\n"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("has no CustomResourceDefinition; for an OpenAPI document"));
}

TEST_F(CodegenCommandTest, DefinitionOfAnOldApiVersionIsRefused) {
  EXPECT_EQ(run_on("apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n"),
            2);
  EXPECT_THAT(err_.str(), HasSubstr("input.yaml:1:1: apiVersion is"));
}

TEST_F(CodegenCommandTest, VersionWithoutSchemaIsRefused) {
  EXPECT_EQ(run_on("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n"
                   "  group: g.io\n  names: {plural: xs, kind: X}\n  versions:\n"
                   "    - {name: v1, served: true}\n"),
            2);
  EXPECT_THAT(err_.str(),
              HasSubstr("input.yaml:7:7: spec.versions[0].schema.openAPIV3Schema is missing"));
}

TEST_F(CodegenCommandTest, SameKindTwiceIsRefused) {
  const std::string crd = crd_with_spec("{type: object}");
  EXPECT_EQ(run_on(crd + "---\n" + crd), 2);
  EXPECT_THAT(err_.str(), HasSubstr("Thing of test.davit.dev/v1 is defined twice"));
}

TEST_F(CodegenCommandTest, MissingFileIsRefused) {
  EXPECT_EQ(run({.files = {path("none.yaml")}}), 2);
  EXPECT_THAT(err_.str(), testing::StartsWith(path("none.yaml") + ": "));
}

TEST_F(CodegenCommandTest, FlagsThatContradictEachOtherAreRefused) {
  EXPECT_EQ(run({}), 2);
  EXPECT_EQ(run({.openapi = "a", .kubeconfig = "b"}), 2);
  EXPECT_EQ(run({.kubeconfig = "b"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--kubeconfig needs --kind"));
  EXPECT_EQ(run({.openapi = "a", .kinds = {"Pod"}}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--kind Pod is not VERSION/KIND"));
  EXPECT_EQ(run({.files = {"a"}, .ns = "a::class"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--namespace a::class is not"));
}

/// A document with one kind, whose spec is the schema `spec`, and further schemas.
std::string openapi_with(const std::string& spec, const std::string& more = "") {
  return R"({"openapi":"3.0.0",
    "paths":{"/apis/g.io/v1/things/{name}":{"get":{"x-kubernetes-group-version-kind":
    {"group":"g.io","version":"v1","kind":"Thing"}}}},"components":{"schemas":{"io.g.v1.Thing":{
    "type":"object","x-kubernetes-group-version-kind":[{"group":"g.io","version":"v1",
    "kind":"Thing"}],"properties":{"spec":)" +
         spec + "}}" + more + "}}}";
}

/// The crate's tests compile this output and use it.
TEST_F(CodegenCommandTest, RustHasAModuleForEachGroupWithOneForEachVersion) {
  CodegenOptions options{.kinds = {"autoscaling/v1/HorizontalPodAutoscaler", "apps/v1/ReplicaSet",
                                   "autoscaling/v2/HorizontalPodAutoscaler"},
                         .only = {"spec.replicas", "spec.maxReplicas"},
                         .language = "rust"};
  ASSERT_EQ(run(options), 0) << err_.str();
  const std::string once = out_.str();
  EXPECT_THAT(once, HasSubstr("pub mod apps {\n\npub mod v1 {\n"));
  const std::size_t group = once.find("pub mod autoscaling {");
  ASSERT_NE(group, std::string::npos);
  EXPECT_EQ(once.find("pub mod autoscaling {", group + 1), std::string::npos);
  EXPECT_THAT(once.substr(group), testing::ContainsRegex("pub mod v2 \\{"));
  options.ns = "mine";
  ASSERT_EQ(run(options), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("pub mod mine {"));
}

TEST_F(CodegenCommandTest, DescriptionsInRustBeginNoExample) {
  ASSERT_EQ(run({.files = {DAVIT_TESTS "/cli/codegen/hostile_names.yaml"}, .language = "rust"}), 0);
  EXPECT_THAT(out_.str(), Not(HasSubstr("```")));
  EXPECT_THAT(out_.str(), HasSubstr("pub fn self_(&self)"));
}

TEST_F(CodegenCommandTest, WrongLanguagesAndModulesAreRefused) {
  const std::string file = DAVIT_TESTS "/cli/codegen/gadget.yaml";
  EXPECT_EQ(run({.files = {file}, .language = "go"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("--lang must be cpp or rust, not go"));
  for (const char* ns : {"a::b", "mod", "_", "9", "a-b"}) {
    EXPECT_EQ(run({.files = {file}, .ns = ns, .language = "rust"}), 2);
    EXPECT_THAT(err_.str(),
                HasSubstr(std::string("--namespace ") + ns + " is not a name of a Rust"));
    EXPECT_EQ(out_.str(), "");
  }
}

TEST_F(CodegenCommandTest, UnknownKindOfADocumentIsRefused) {
  EXPECT_EQ(run_on_openapi(openapi_with("{}"), {"g.io/v1/Thin"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("no kind g.io/v1/Thin; did you mean g.io/v1/Thing?"));
}

TEST_F(CodegenCommandTest, TextThatIsNotAnOpenApiDocumentIsRefused) {
  EXPECT_EQ(run_on_openapi("{}"), 2);
  EXPECT_THAT(err_.str(), HasSubstr("kubectl get --raw /openapi/v3/apis/apps/v1"));
}

// Issue 30, 2: an answer is what was asked for, or an error that says what came instead.
TEST_F(CodegenCommandTest, OtherAnswersThanAnOpenApiDocumentAreNamed) {
  const std::string whole = openapi_with("{}");
  const auto with = [&whole](const std::string& member, const std::string& other) {
    std::string out = whole;
    return out.replace(out.find(member), member.size(), other);
  };
  const std::pair<std::string, const char*> answers[] = {
      {R"({"kind":"Status","apiVersion":"v1","message":"try later"})",
       R"(it is an object of kind "Status": try later)"},
      {with("{", R"({"kind":"Thing",)"), R"(it is an object of kind "Thing")"},
      {with(R"("openapi":"3.0.0")", R"("swagger":"2.0")"), "its member openapi is missing"},
      {with("3.0.0", "2.0"), R"(its member openapi is the string "2.0")"},
      {with(R"("schemas":)", R"("other":)"), "it lacks components.schemas"},
      {R"({"openapi":"3.0.0","paths":{},"components":{"schemas":[]}})",
       "it lacks components.schemas"},
      {with(R"("paths":)", R"("other":)"), "it lacks paths"},
      {"[]", "its member openapi is missing"}};
  for (const auto& [answer, text] : answers) {
    EXPECT_EQ(run_on_openapi(answer), 2) << answer;
    EXPECT_THAT(err_.str(), HasSubstr("this is not an OpenAPI v3 document: " + std::string(text)));
  }
}

TEST_F(CodegenCommandTest, ReferenceToNothingIsRefused) {
  EXPECT_EQ(run_on_openapi(openapi_with(R"({"$ref":"#/components/schemas/none"})")), 2);
  EXPECT_THAT(err_.str(), HasSubstr("spec: $ref #/components/schemas/none leads to no schema"));
}

TEST_F(CodegenCommandTest, ReferenceToItselfIsRefused) {
  EXPECT_EQ(run_on_openapi(openapi_with(R"({"$ref":"#/components/schemas/a"})",
                                        R"(,"a":{"$ref":"#/components/schemas/a"})")),
            2);
  EXPECT_THAT(err_.str(), HasSubstr("leads back to itself"));
}

TEST_F(CodegenCommandTest, SchemaThatNamesOneTypeInTooManyPlacesIsRefused) {
  // Each type has the next one twice: 2^16 fields.
  std::string more;
  const int last = 16;
  for (int i = 0; i < last; ++i) {
    const std::string next = R"({"$ref":"#/components/schemas/t)" + std::to_string(i + 1) + "\"}";
    more += ",\"t" + std::to_string(i) + R"(":{"type":"object","properties":{"a":)" + next +
            ",\"b\":" + next + "}}";
  }
  more += ",\"t" + std::to_string(last) +
          R"(":{"type":"object","properties":{"end":{"type":"string"}}})";

  EXPECT_EQ(run_on_openapi(openapi_with(R"({"$ref":"#/components/schemas/t0"})", more)), 2);

  EXPECT_THAT(err_.str(), HasSubstr("Thing: more than 10000 fields, the last is spec."));
  EXPECT_THAT(err_.str(), HasSubstr("leave a part untyped with --opaque PATH"));
}

TEST_F(CodegenCommandTest, SchemaThatIsTooDeepIsRefusedOnceWithItsPath) {
  std::string more;
  for (int i = 0; i < 100; ++i) {
    const std::string next = R"({"$ref":"#/components/schemas/t)" + std::to_string(i + 1) + "\"}";
    more += ",\"t" + std::to_string(i) + R"(":{"type":"object","properties":{"a":)" + next +
            ",\"b\":" + next + "}}";
  }

  EXPECT_EQ(run_on_openapi(openapi_with(R"({"$ref":"#/components/schemas/t0"})", more)), 2);

  EXPECT_THAT(err_.str(), HasSubstr("spec.a.a.a.a.a.a.a.a.a.a."));
  EXPECT_THAT(err_.str(), HasSubstr("leave a part untyped with --opaque PATH"));
  EXPECT_EQ(std::ranges::count(err_.str(), '\n'), 1);
}

}  // namespace
}  // namespace davit::host
