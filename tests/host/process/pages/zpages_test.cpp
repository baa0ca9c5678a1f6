#include "host/process/pages/zpages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/version.hpp"

namespace davit::host {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

constexpr const char* kAsStatusz = "application/json;g=config.k8s.io;v=v1beta1;as=Statusz";

StatuszFacts facts() {
  return {.started = WallTime(std::chrono::seconds(1795712772)),
          .up = std::chrono::seconds(3 * 3600 + 4 * 60 + 9),
          .paths = {"/configz", "/metrics"}};
}

FlagValues flags() { return {{"leader-elect", Json(true)}, {"v", Json(2)}}; }

// The first three lines and the names are those of kube-controller-manager v1.36.2.
TEST(ZpagesTest, StatuszIsTextForPeople) {
  const HttpServerResponse page = statusz_response("", facts());

  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(page.body,
            "\ndavit statusz\nWarning: This endpoint is not meant to be machine parseable, has no "
            "formatting compatibility guarantees and is for debugging purposes only.\n\n"
            "Started: Thu Nov 26 17:06:12 UTC 2026\nUp: 3 hr 04 min 09 sec\nGo version: " +
                std::string(kCompiler) + "\nBinary version: " + kVersion +
                "\nEmulation version: 1.36\nPaths: /configz /metrics\n");
}

TEST(ZpagesTest, StatuszIsAnObjectForPrograms) {
  const HttpServerResponse page = statusz_response(kAsStatusz, facts());

  EXPECT_EQ(page.content_type, kAsStatusz);
  Json document = json_literal(page.body);
  EXPECT_EQ(document.get("kind"), Json("Statusz"));
  EXPECT_EQ(document.get("apiVersion"), Json("config.k8s.io/v1beta1"));
  EXPECT_EQ(document.get("metadata").get("name"), Json("davit"));
  EXPECT_EQ(document.get("startTime"), Json("2026-11-26T17:06:12Z"));
  EXPECT_EQ(document.get("uptimeSeconds"), Json(11049));
  EXPECT_EQ(document.get("emulationVersion"), Json("1.36"));
  EXPECT_EQ(document.get("paths"), json_literal(R"(["/configz","/metrics"])"));
}

TEST(ZpagesTest, TheOldVersionOfAnObjectHasAWarning) {
  const HttpServerResponse page =
      flagz_response("application/json;g=config.k8s.io;v=v1alpha1;as=Flagz", flags());

  EXPECT_THAT(page.headers,
              Contains(Pair("Warning",
                            "299 - \"This version of the flagz endpoint is deprecated. Please use "
                            "a newer version.\"")));
  EXPECT_EQ(json_literal(page.body).get("apiVersion"), Json("config.k8s.io/v1alpha1"));
}

TEST(ZpagesTest, FlagzShowsEachFlagOnALine) {
  const HttpServerResponse page = flagz_response("*/*", flags());

  EXPECT_THAT(page.body, StartsWith("\ndavit flagz\nWarning: This endpoint is not meant"));
  EXPECT_THAT(page.body, HasSubstr("purposes only.\nleader-elect: true\nv: 2\n"));
}

TEST(ZpagesTest, ValuesOfFlagsAreTextsInJsonAndYaml) {
  const HttpServerResponse json =
      flagz_response("application/json;g=config.k8s.io;v=v1beta1;as=Flagz", flags());
  EXPECT_EQ(json_literal(json.body).get("flags"),
            json_literal(R"({"leader-elect":"true","v":"2"})"));

  const HttpServerResponse yaml =
      flagz_response("application/yaml;g=config.k8s.io;v=v1beta1;as=Flagz", flags());
  EXPECT_EQ(yaml.content_type, "application/yaml;g=config.k8s.io;v=v1beta1;as=Flagz");
  EXPECT_THAT(yaml.body, HasSubstr("flags:\n  leader-elect: \"true\"\n  v: \"2\"\n"));
}

TEST(ZpagesTest, AnAcceptOfAnotherTypeIsRefused) {
  for (const char* accept :
       {"application/json", "text/html", "application/json;g=config.k8s.io;v=v1beta1;as=Flagz",
        "application/json;g=config.k8s.io;v=v2;as=Statusz", "application/json;as=Statusz",
        "text/plain;q=0", ";", "a;=;;"}) {
    const HttpServerResponse page = statusz_response(accept, facts());
    EXPECT_EQ(page.status, 406) << accept;
    EXPECT_EQ(json_literal(page.body).get("message"),
              Json("only the following media types are accepted: application/json, "
                   "application/yaml, text/plain"))
        << accept;
  }
  // The first type that there is counts.
  for (const std::string accept :
       {"text/html,application/xhtml+xml,*/*;q=0.8", " , ", "TEXT/plain; charset=x"}) {
    EXPECT_EQ(statusz_response(accept, facts()).status, 200) << accept;
  }
  EXPECT_EQ(statusz_response("text/html, " + std::string(kAsStatusz), facts()).content_type,
            kAsStatusz);
}

TEST(ZpagesTest, QualitiesOfTheAcceptDecideBeforeItsOrder) {
  const std::string document(kAsStatusz);
  EXPECT_EQ(statusz_response("text/plain;q=0.5, " + document, facts()).content_type, kAsStatusz);
  EXPECT_EQ(statusz_response(document + ";q=0.5, text/plain", facts()).content_type, kPlainText);
}

}  // namespace
}  // namespace davit::host
