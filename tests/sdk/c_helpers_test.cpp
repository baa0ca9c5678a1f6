/// The helpers for controllers in C, which are C++ too.
#include <davit/c_helpers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <davit/kube/time.hpp>
#include <davit/testing/cluster.hpp>
#include <functional>
#include <random>
#include <string>

namespace davit {
namespace {

const davit_resource kConfigMaps = {"", "v1", "configmaps", "ConfigMap"};
const davit_resource kDeployments = {"apps", "v1", "deployments", "Deployment"};

class Deployment : public ObjectView {
 public:
  static constexpr Resource kResource{"apps", "v1", "deployments", "Deployment"};
  using ObjectView::ObjectView;
};
class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

/// A controller of Deployments as a plugin in C has it. Each test gives its sync.
struct Probe {
  davit_tables tables;
  davit_handle objects, keys;
  std::function<davit_code(const davit_tables&, const davit_call*, davit_value)> sync;
};
Probe probe;

extern "C" {
static void on_probe_event(void*, const davit_call* call, const davit_event* event) {
  EXPECT_EQ(davit_add(&probe.tables, call, probe.keys, event->value), DAVIT_OK);
}
static davit_code sync_probe(void*, const davit_call* call, davit_str key, davit_sync_result*) {
  davit_value object;
  const davit_code code =
      davit_get(&probe.tables, call, probe.objects, davit_key_from(key), &object);
  return code == DAVIT_OK ? probe.sync(probe.tables, call, object)
                          : davit_unless(code, DAVIT_NOT_FOUND);
}
static int32_t init_probe(const davit_call* call, const davit_context* context,
                          davit_controller* out) {
  probe.tables = davit_tables_of(call, context);
  const davit_tables* tables = &probe.tables;
  if (davit_open_queue(tables, call, "probe", nullptr, sync_probe, &probe.keys) != DAVIT_OK ||
      davit_open_informer(tables, call, &kDeployments, nullptr, on_probe_event, &probe.objects) !=
          DAVIT_OK) {
    return DAVIT_FAILED;
  }
  return davit_started(out, nullptr, [](void*, const davit_call*) {});
}
}

std::string string_of(davit_str text) { return {text.data == nullptr ? "" : text.data, text.size}; }

class CHelpersTest : public ::testing::Test {
 protected:
  ~CHelpersTest() override { probe = {}; }

  /// Runs `sync` for a Deployment with this status and these annotations.
  void run(const std::function<void(const davit_tables*, const davit_call*, davit_value)>& sync,
           const std::string& status = "{}", const std::string& annotations = "{}") {
    int runs = 0;
    probe.sync = [&](const davit_tables& tables, const davit_call* call, davit_value object) {
      ++runs;
      sync(&tables, call, object);
      return DAVIT_OK;
    };
    begin(status, annotations);
    EXPECT_GE(runs, 1);
  }
  void begin(const std::string& status, const std::string& annotations) {
    cluster_.add(testing::Json::must(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{)"
                                     R"("name":"web","namespace":"default","generation":4,)"
                                     R"("annotations":)" +
                                     annotations +
                                     R"(},"spec":{"replicas":3,"paused":true,)"
                                     R"("selector":{"matchLabels":{"app":"web"}},)"
                                     R"("template":{"metadata":{"labels":)"
                                     R"({"app":"web"}},"spec":{"containers":[)"
                                     R"({"name":"a","image":"a:1"},)"
                                     R"({"name":"b","image":"b:1"}]}}},"status":)" +
                                     status + "}"));
    ASSERT_TRUE(cluster_.start("probe-controller", init_probe).ok());
    cluster_.run_until_idle();
  }

  testing::Cluster cluster_;
};

TEST_F(CHelpersTest, ValuesAreReadByPathWithADefault) {
  run(
      [](const davit_tables* tables, const davit_call*, davit_value object) {
        const auto text = [&](const char* path) {
          return string_of(davit_text_at(tables, object, path, "none"));
        };
        EXPECT_EQ(davit_integer_at(tables, object, "spec.replicas", 1), 3);
        EXPECT_EQ(davit_integer_at(tables, object, "spec.minReadySeconds", 7), 7);
        EXPECT_EQ(davit_integer_at(tables, object, "metadata.name", 7), 7) << "of another kind";
        EXPECT_EQ(davit_boolean_at(tables, object, "spec.paused", 0), 1);
        EXPECT_EQ(davit_boolean_at(tables, object, "spec.replicas", 0), 0);
        EXPECT_EQ(text("spec.template.spec.containers[1].image"), "b:1");
        EXPECT_EQ(text("metadata.annotations['example.com/a.b']"), "x");
        EXPECT_EQ(text("metadata.annotations['']"), "none");
        EXPECT_EQ(text("spec.replicas"), "none");
        EXPECT_TRUE(davit_has(tables, object, "spec.selector.matchLabels['app']"));
      },
      "{}", R"({"example.com/a.b":"x"})");
}

TEST_F(CHelpersTest, APathThatIsMalformedReadsAsAbsent) {
  run([](const davit_tables* tables, const davit_call*, davit_value object) {
    for (const char* path :
         {"spec..replicas", ".", "[", "[]", "[0]", "['", "['spec'", "spec['replicas",
          "spec[replicas]", "spec.template.spec.containers[2]", "spec.template.spec.containers[-1]",
          "spec.template.spec.containers[18446744073709551616]", "spec.template.spec.containers[0",
          "metadata.name.x", "metadata.name[0]"}) {
      EXPECT_FALSE(davit_has(tables, object, path)) << path;
    }
    EXPECT_FALSE(davit_has(tables, davit_absent(), "spec"));
  });
}

TEST_F(CHelpersTest, EveryElementOfALongListIsVisited) {
  std::string conditions;
  for (int i = 0; i < 50; ++i) {
    conditions +=
        (i == 0 ? "" : ",") + (R"({"type":"C)" + std::to_string(i)) + R"(","status":"True"})";
  }
  run(
      [](const davit_tables* tables, const davit_call*, davit_value object) {
        davit_each each = davit_each_of(davit_at(tables, object, "status.conditions"));
        int count = 0;
        while (davit_next(tables, &each)) {
          EXPECT_EQ(string_of(davit_text_at(tables, each.value, "type", NULL)),
                    "C" + std::to_string(count++));
        }
        EXPECT_EQ(count, 50);
        EXPECT_FALSE(davit_next(tables, &each));
        davit_each none = davit_each_of(davit_at(tables, object, "metadata.name"));
        EXPECT_FALSE(davit_next(tables, &none));
      },
      R"({"conditions":[)" + conditions + "]}");
}

TEST_F(CHelpersTest, AConditionIsReplacedInItsListAndKeepsItsTimeWithItsStatus) {
  std::string same, turned;
  run(
      [&](const davit_tables* tables, const davit_call* call, davit_value object) {
        const auto written = [&](const char* status) {
          const davit_new_condition wanted = {"Available", status, "Why", "so \"it\" is", 4};
          davit_json json = davit_json_new();
          davit_json_object(&json, nullptr);
          davit_json_conditions(&json, tables, object, &wanted, davit_now(tables, call));
          davit_json_end(&json);
          const std::string text = string_of(davit_json_text(&json));
          davit_json_free(&json);
          return text;
        };
        EXPECT_TRUE(davit_condition_is_true(tables, object, "Available"));
        EXPECT_FALSE(davit_condition_is_true(tables, object, "Progressing"));
        same = written("True");
        turned = written("False");
      },
      R"({"conditions":[{"type":"Available","status":"True",
          "lastTransitionTime":"2024-01-01T00:00:00Z"},{"type":"Other","status":"Unknown",
          "lastUpdateTime":"2024-01-02T00:00:00Z","lastTransitionTime":"2024-01-02T00:00:00Z"}]})");
  const auto expected = [](const char* status, const char* since) {
    return std::string(R"({"conditions":[{"type":"Other","status":"Unknown","lastUpdateTime":)"
                       R"("2024-01-02T00:00:00Z","lastTransitionTime":"2024-01-02T00:00:00Z"},)"
                       R"({"type":"Available",)") +
           R"("status":")" + status + R"(","observedGeneration":4,"lastTransitionTime":")" + since +
           R"(","reason":"Why","message":"so \"it\" is"}]})";
  };
  EXPECT_EQ(same, expected("True", "2024-01-01T00:00:00Z"));
  EXPECT_EQ(turned, expected("False", "2024-05-01T12:00:00Z"));
}

TEST_F(CHelpersTest, ObjectsAreWrittenAndFailuresNameTheirReason) {
  std::vector<davit_code> codes;
  probe.sync = [&](const davit_tables& tables, const davit_call* call, davit_value object) {
    const davit_str ns = davit_text("default");
    if (!codes.empty()) return static_cast<davit_code>(DAVIT_OK);
    codes = {
        davit_create(&tables, call, &kConfigMaps, ns,
                     davit_text(R"({"metadata":{"name":"made"}})")),
        davit_merge(&tables, call, &kConfigMaps, {ns, davit_text("made")}, nullptr,
                    davit_text(R"({"data":{"a":"b"}})")),
        davit_merge(&tables, call, &kDeployments, davit_key_of(&tables, object), "status",
                    davit_text(R"({"status":{"replicas":2}})")),
        davit_record(&tables, call, &kDeployments, object, "Normal", "Made", "a message"),
        davit_merge(&tables, call, &kConfigMaps, {ns, davit_text("made")}, nullptr, davit_text("")),
        davit_delete(&tables, call, &kDeployments, object)};
    return davit_merge(&tables, call, &kConfigMaps, {ns, davit_text("not-there")}, nullptr,
                       davit_text("{}"));
  };
  begin("{}", "{}");
  EXPECT_THAT(codes, ::testing::ElementsAre(DAVIT_OK, DAVIT_OK, DAVIT_OK, DAVIT_OK, DAVIT_INTERNAL,
                                            DAVIT_OK));
  EXPECT_EQ(cluster_.find<ConfigMap>({"default", "made"})->value()["data"]["a"].string(), "b");
  EXPECT_FALSE(cluster_.find<Deployment>({"default", "web"}).has_value());
  EXPECT_THAT(cluster_.event_texts(), ::testing::ElementsAre("Normal Made a message"));
  EXPECT_EQ(cluster_.events().front().api_version, "apps/v1");
  ASSERT_FALSE(cluster_.syncs().empty());
  EXPECT_THAT(cluster_.syncs().front().error, ::testing::HasSubstr("\"not-there\" not found"));
}

TEST_F(CHelpersTest, AHostWithoutTheTablesGivesDefaultsAndUnsupported) {
  run([](const davit_tables* there, const davit_call* call, davit_value object) {
    davit_tables none = {};
    none.context = there->context;
    davit_value out;
    const davit_key key = {davit_text("a"), davit_text("b")};
    EXPECT_EQ(davit_integer_at(&none, object, "spec.replicas", 5), 5);
    EXPECT_EQ(davit_now(&none, call), DAVIT_NO_TIME);
    EXPECT_FALSE(davit_has(&none, object, "spec"));
    EXPECT_EQ(davit_get(&none, call, 1, key, &out), DAVIT_UNSUPPORTED);
    EXPECT_EQ(davit_add(&none, call, 1, object), DAVIT_UNSUPPORTED);
    EXPECT_EQ(davit_delete(&none, call, &kConfigMaps, object), DAVIT_UNSUPPORTED);
    EXPECT_EQ(davit_record(&none, call, &kConfigMaps, object, "", "", ""), DAVIT_UNSUPPORTED);
    davit_log(&none, call, DAVIT_LOG_INFO, "unheard", nullptr, davit_text(""));
  });
}

// ---- Times ----

/// The C helper's reading of a time against the SDK's.
void expect_same_time(const std::string& text) {
  const Result<WireTime> wanted = parse_wire_time(text);
  const bool none = !wanted || wanted->seconds == WireTime{-62'135'596'800, 0}.seconds;
  EXPECT_EQ(davit_parse_time({text.data(), text.size()}), none ? DAVIT_NO_TIME : wanted->seconds)
      << '"' << text << '"';
}

TEST_F(CHelpersTest, TimesAreReadAsTheSdkReadsThem) {
  for (const char* text : {"2024-05-01T12:00:00Z",
                           "1970-01-01T00:00:00Z",
                           "1969-12-31T23:59:59Z",
                           "2000-02-29T00:00:00Z",
                           "1900-02-29T00:00:00Z",
                           "2023-02-29T00:00:00Z",
                           "2024-04-31T00:00:00Z",
                           "0001-01-01T00:00:00Z",
                           "0000-01-01T00:00:00Z",
                           "9999-12-31T23:59:59Z",
                           "2024-05-01T12:00:00.123456Z",
                           "2024-05-01T12:00:00.Z",
                           "2024-05-01T12:00:00+01:30",
                           "2024-05-01T12:00:00-23:59",
                           "2024-05-01T12:00:00+24:59",
                           "2024-05-01T12:00:00+25:00",
                           "2024-05-01T12:00:00+0100",
                           "2024-05-01T12:00:00z",
                           "2024-05-01t12:00:00Z",
                           "2024-05-01T24:00:00Z",
                           "2024-05-01T12:60:00Z",
                           "2024-05-01T12:00:60Z",
                           "2024-13-01T12:00:00Z",
                           "2024-00-01T12:00:00Z",
                           "2024-05-00T12:00:00Z",
                           "2024-05-01T12:00:00",
                           "2024-05-01",
                           "",
                           "Z",
                           "2024-05-01T12:00:00ZZ",
                           "+024-05-01T12:00:00Z"}) {
    expect_same_time(text);
  }
  std::mt19937 random(20240501);  // Fixed: the texts are the same in each run.
  const std::string bytes = std::string("0123456789TZ:.-+ /", 18) + '\0';
  for (int i = 0; i < 20000; ++i) {
    std::string text = "2024-02-29T12:00:00.5+01:00";
    for (std::uint32_t edits = random() % 3; edits > 0; --edits) {
      text[random() % text.size()] = bytes[random() % bytes.size()];
    }
    expect_same_time(text.substr(0, random() % 4 == 0 ? random() % text.size() : text.size()));
  }
}

TEST_F(CHelpersTest, TimesAreWrittenAsTheSdkWritesThem) {
  std::mt19937_64 random(20240501);
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t seconds = i == 0   ? INT64_MIN
                                 : i == 1 ? INT64_MAX
                                          : static_cast<std::int64_t>(random() >> 25) - (1LL << 36);
    char text[21];
    davit_format_time(seconds, text);
    EXPECT_EQ(std::string(text), time_text({seconds, 0})) << seconds;
  }
}

// ---- JSON ----

TEST_F(CHelpersTest, HostileBytesBecomeValidJson) {
  const std::pair<std::string, const char*> kTexts[] = {
      {"a\"b\\c", R"("a\"b\\c")"},
      {std::string("\0\n\x1f", 3), R"("\u0000\u000a\u001f")"},
      {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
      {"\xFF", "\"\xEF\xBF\xBD\""},
      {"\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
      {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
      {"\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
      {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
      {"", R"("")"},
  };
  for (const auto& [text, wanted] : kTexts) {
    davit_json json = davit_json_new();
    davit_json_string(&json, nullptr, {text.data(), text.size()});
    EXPECT_EQ(string_of(davit_json_text(&json)), wanted);
    davit_json_free(&json);
  }
}

TEST_F(CHelpersTest, JsonOfEveryKindIsWritten) {
  davit_json json = davit_json_new();
  davit_json_object(&json, nullptr);
  davit_json_integer(&json, "least", INT64_MIN);
  davit_json_integer(&json, "none", 0);
  davit_json_array(&json, "list");
  davit_json_boolean(&json, nullptr, 1);
  davit_json_null(&json, nullptr);
  davit_json_object(&json, nullptr);
  davit_json_end(&json);
  davit_json_array(&json, nullptr);
  davit_json_end(&json);
  davit_json_end(&json);
  davit_json_entry(&json, davit_text("a\"b"), davit_text("c"));
  davit_json_raw(&json, "raw", davit_text("[1]"));
  EXPECT_EQ(string_of(davit_json_text(&json)), "") << "still open";
  davit_json_end(&json);
  EXPECT_EQ(
      string_of(davit_json_text(&json)),
      R"({"least":-9223372036854775808,"none":0,"list":[true,null,{},[]],"a\"b":"c","raw":[1]})");
  davit_json_free(&json);
}

TEST_F(CHelpersTest, AMistakeLeavesNoJson) {
  const std::function<void(davit_json*)> kMistakes[] = {
      [](davit_json* json) { davit_json_integer(json, nullptr, 1); },  // Without its key.
      [](davit_json* json) { davit_json_raw(json, "a", davit_text("")); },
      [](davit_json* json) {
        davit_json_array(json, "a");
        davit_json_integer(json, "b", 1);
        davit_json_end(json);
      },
      [](davit_json* json) {
        for (int i = 0; i < 64; ++i) davit_json_object(json, "deep");
        for (int i = 0; i < 64; ++i) davit_json_end(json);
      },
      [](davit_json* json) {
        davit_json_end(json);
        davit_json_end(json);
        davit_json_object(json, nullptr);
      },
  };
  for (const auto& mistake : kMistakes) {
    davit_json json = davit_json_new();
    davit_json_object(&json, nullptr);
    mistake(&json);
    davit_json_end(&json);
    EXPECT_EQ(string_of(davit_json_text(&json)), "");
    davit_json_free(&json);
  }
}

}  // namespace
}  // namespace davit
