/// "davit.object/1" and "davit.informer/1" over a hosted controller.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class HostObjectsTest : public ControllerHostTest {
 protected:
  static std::string pods() {
    return list_json("10", {{.name = "a", .version = "5", .node = "n1"},
                            {.name = "b", .version = "6", .node = "n2"}});
  }
  /// The JSON text of a value; the code when it cannot be had.
  std::string json(davit_value value) {
    std::string text;
    const davit_sink sink{sizeof(davit_sink), 0, &text,
                          [](void* self, davit_str chunk) -> davit_code {
                            static_cast<std::string*>(self)->append(view(chunk));
                            return DAVIT_OK;
                          }};
    const davit_code code = tables_.object->json(value, &sink);
    return code == DAVIT_OK ? text : "code " + std::to_string(code);
  }
  davit_code read(davit_value value, std::string_view first, std::string_view second,
                  davit_value& out) {
    const davit_name names[] = {tables_.object->name(current_call, str(first)),
                                tables_.object->name(current_call, str(second))};
    return tables_.object->path(value, names, 2, &out);
  }
  davit_value get(davit_handle informer, std::string_view name) {
    davit_value out{};
    EXPECT_EQ(tables_.informer->get(current_call, informer, str("default"), str(name), &out),
              DAVIT_OK);
    return out;
  }
  std::vector<std::string> select(davit_handle informer, std::string_view index,
                                  std::string_view key) {
    davit_list out{};
    std::vector<std::string> names;
    const davit_code code =
        tables_.informer->select(current_call, informer, str(index), str(key), &out);
    if (code != DAVIT_OK) return {"code " + std::to_string(code)};
    for (std::size_t i = 0; i < out.count; ++i) {
      names.emplace_back(Value(out.items[i])["metadata"]["name"].string());
    }
    return names;
  }
};

TEST_F(HostObjectsTest, ValuesFromTheCacheShowWhatWasDeclaredOnly) {
  davit_handle informer = 0;
  start_with([&] { informer = open_informer("", "pods"); });
  commit({pods()});

  inside(Phase::kSync, [&] {
    const davit_value pod = get(informer, "a");
    davit_value out{};
    EXPECT_EQ(read(pod, "metadata", "uid", out), DAVIT_OK) << "always readable";
    EXPECT_EQ(read(pod, "spec", "nodeName", out), DAVIT_OK);
    EXPECT_EQ(Value(out).string(), "n1");
    EXPECT_EQ(read(pod, "spec", "containers", out), DAVIT_UNDECLARED);
    EXPECT_EQ(out.object, nullptr);
    EXPECT_EQ(json(pod), "code " + std::to_string(DAVIT_UNDECLARED));

    davit_list all{};
    ASSERT_EQ(tables_.informer->select(current_call, informer, str(""), str(""), &all), DAVIT_OK);
    ASSERT_EQ(all.count, 2u);
    EXPECT_EQ(read(all.items[1], "spec", "containers", out), DAVIT_UNDECLARED);
  });
}

TEST_F(HostObjectsTest, EventsShowWhatWasDeclaredOnly) {
  test::Collector<std::string> seen;
  on_event_ = [&](const davit_event& event) {
    davit_value out{};
    EXPECT_EQ(event.size, sizeof(davit_event));
    EXPECT_EQ(read(event.value, "spec", "containers", out), DAVIT_UNDECLARED);
    if (event.old_value.object != nullptr) {
      EXPECT_EQ(read(event.old_value, "spec", "containers", out), DAVIT_UNDECLARED);
    }
    seen.push(std::to_string(event.type) + " " +
              std::string(Value(event.value)["metadata"]["name"].string()) +
              (event.initial != 0 ? " initial" : "") + (event.tombstone != 0 ? " tombstone" : "") +
              (event.old_value.object != nullptr ? " old" : ""));
  };
  start_with([&] { open_informer("", "pods"); });
  commit({pods()});
  run();
  EXPECT_THAT(seen.await(2), UnorderedElementsAre("1 a initial", "1 b initial"));
  send(0, event_json("MODIFIED", {.name = "a", .version = "11"}) +
              event_json("DELETED", {.name = "b", .version = "12"}) +
              event_json("ADDED", {.name = "c", .version = "13"}));

  std::vector<std::string> later = seen.await(5);
  later.erase(later.begin(), later.begin() + 2);
  EXPECT_THAT(later, ElementsAre("2 a old", "3 b", "1 c"));
}

TEST_F(HostObjectsTest, ThrowingHandlerIsLoggedAndTheNextEventComes) {
  test::Collector<std::string> seen;
  on_event_ = [&](const davit_event& event) {
    const std::string name(Value(event.value)["metadata"]["name"].string());
    seen.push(name);
    if (name == "a") throw std::runtime_error("bad pod");
  };
  start_with([&] { open_informer("", "pods"); });
  commit({pods()});
  run();

  EXPECT_THAT(seen.await(2), UnorderedElementsAre("a", "b"));
  ASSERT_TRUE(host_->stop({Time::max(), Time::max()}));
  EXPECT_EQ(log_.count("E sample-controller: A handler failed err=the plugin threw an exception: "
                       "bad pod"),
            1u);
}

TEST_F(HostObjectsTest, InformerMayHaveNoHandler) {
  davit_handle informer = 0;
  start_with([&] {
    davit_informer_options options{};
    options.size = sizeof(options);
    options.version = str("v1");
    options.resource = str("pods");
    ASSERT_EQ(tables_.informer->open(current_call, &options, &informer), DAVIT_OK);
    open_queue();
  });
  commit({pods()});
  run();
  inside(Phase::kSync, [&] { EXPECT_NE(get(informer, "a").object, nullptr); });
}

TEST_F(HostObjectsTest, OnlyDeclaredWatchesAreOpened) {
  const auto result = init([&](const davit_context&, davit_controller&) {
    davit_informer_options options{};
    options.size = sizeof(options);
    options.version = str("v1");
    options.resource = str("pods");
    options.label_selector = str("app=web");
    davit_handle out = 0;
    EXPECT_EQ(tables_.informer->open(current_call, &options, &out), DAVIT_UNDECLARED);
    options.label_selector = {};
    options.version = str("v2");
    EXPECT_EQ(tables_.informer->open(current_call, &options, &out), DAVIT_UNDECLARED);
    options.version = str("v1");
    options.resource = str("secrets");
    EXPECT_EQ(tables_.informer->open(current_call, &options, &out), DAVIT_UNDECLARED);
    EXPECT_EQ(out, 0u);
    return DAVIT_FAILED;
  });
  EXPECT_THAT(result.reason, HasSubstr("declares no watch of secrets"));
}

TEST_F(HostObjectsTest, PluginOfAShorterStructOpensAnInformerWithoutHandler) {
  start_with([&] {
    davit_informer_options options{};
    options.size = offsetof(davit_informer_options, self);
    options.version = str("v1");
    options.resource = str("pods");
    options.on_event = [](void*, const davit_call*, const davit_event*) {
      ADD_FAILURE() << "beyond `size`";
    };
    davit_handle out = 0;
    EXPECT_EQ(tables_.informer->open(current_call, &options, &out), DAVIT_OK);
    options.size = 4096;
    options.on_event = nullptr;
    EXPECT_EQ(tables_.informer->open(current_call, &options, &out), DAVIT_OK)
        << "a longer struct is read as far as this host knows it";
  });
  commit({pods()});
}

TEST_F(HostObjectsTest, IndexesAreTheControllersOwn) {
  davit_handle one = 0;
  start_with([&] {
    one = open_informer("", "pods");
    const auto add = [&](const char* name, const char* path) {
      return tables_.informer->add_index(current_call, one, str(name), str(path));
    };
    EXPECT_EQ(add("node", "spec.nodeName"), DAVIT_OK);
    EXPECT_EQ(add("node", "spec.nodeName"), DAVIT_OK) << "twice is no error";
    EXPECT_EQ(add("node", "metadata.name"), DAVIT_ALREADY_EXISTS);
    EXPECT_EQ(add("controller", "spec.nodeName"), DAVIT_ALREADY_EXISTS);
    EXPECT_EQ(add("bad", "spec..nodeName"), DAVIT_INVALID);
    EXPECT_EQ(tables_.informer->add_index(current_call, one + 1, str("x"), str("spec")),
              DAVIT_STALE);
  });
  const std::unique_ptr<ControllerHost> first = std::move(host_);
  davit_handle two = 0;
  start_with([&] {
    two = open_informer("", "pods");
    EXPECT_EQ(tables_.informer->add_index(current_call, two, str("node"), str("metadata.name")),
              DAVIT_OK);
  });
  ASSERT_TRUE(first->commit().ok());
  commit({pods()});

  inside(Phase::kSync, [&] {
    EXPECT_THAT(select(two, "node", "a"), ElementsAre("a"));
    EXPECT_THAT(select(two, "node", "n1"), ElementsAre());
    EXPECT_THAT(select(two, "namespace", "default"), UnorderedElementsAre("a", "b"));
    EXPECT_THAT(select(two, "controller", "/default"), UnorderedElementsAre("a", "b"));
    EXPECT_THAT(select(two, "other", "a"), ElementsAre("code 1"));
    EXPECT_THAT(select(two + 1, "", ""), ElementsAre("code 12"));
  });
  CallFrame frame(first->abi(), Phase::kSync);
  davit_list out{};
  ASSERT_EQ(tables_.informer->select(frame.call(), one, str("node"), str("n1"), &out), DAVIT_OK);
  EXPECT_EQ(out.count, 1u);
}

TEST_F(HostObjectsTest, MissingObjectsAndStaleHandlesReturnTheirCodes) {
  davit_handle informer = 0;
  start_with([&] { informer = open_informer("", "pods"); });
  commit({pods()});
  inside(Phase::kHandler, [&] {
    davit_value out{};
    EXPECT_EQ(tables_.informer->get(current_call, informer, str("default"), str("zz"), &out),
              DAVIT_NOT_FOUND);
    EXPECT_EQ(tables_.informer->get(current_call, informer, davit_str{}, davit_str{}, &out),
              DAVIT_NOT_FOUND);
    EXPECT_EQ(tables_.informer->get(current_call, 77, str("default"), str("a"), &out), DAVIT_STALE);
    EXPECT_EQ(out.object, nullptr);
  });
}

TEST_F(HostObjectsTest, RetainedValueOutlivesItsCallWithItsMask) {
  davit_handle informer = 0;
  davit_handle kept = 0;
  start_with([&] { informer = open_informer("", "pods"); });
  commit({pods()});
  inside(Phase::kSync, [&] {
    davit_value node{};
    ASSERT_EQ(read(get(informer, "a"), "spec", "nodeName", node), DAVIT_OK);
    ASSERT_EQ(tables_.object->retain(current_call, get(informer, "a"), &kept), DAVIT_OK);
  });
  send(0, event_json("DELETED", {.name = "a", .version = "11"}));

  inside(Phase::kHandler, [&] {
    davit_value again{};
    davit_value out{};
    ASSERT_EQ(tables_.object->retained(current_call, kept, &again), DAVIT_OK);
    EXPECT_EQ(read(again, "spec", "nodeName", out), DAVIT_OK);
    EXPECT_EQ(Value(out).string(), "n1");
    EXPECT_EQ(read(again, "spec", "containers", out), DAVIT_UNDECLARED);
    EXPECT_EQ(tables_.object->release(current_call, kept), DAVIT_OK);
    EXPECT_EQ(tables_.object->release(current_call, kept), DAVIT_STALE);
    EXPECT_EQ(tables_.object->retained(current_call, kept, &again), DAVIT_STALE);
    EXPECT_EQ(again.object, nullptr);
    EXPECT_EQ(tables_.object->retain(current_call, davit_value{}, &kept), DAVIT_NOT_FOUND);
    EXPECT_EQ(tables_.object->retained(current_call, informer, &again), DAVIT_STALE)
        << "a handle of another kind";
  });
}

TEST_F(HostObjectsTest, ParsedTextIsAWholeValueAndMalformedTextIsExplained) {
  const auto result = init([&](const davit_context&, davit_controller&) {
    davit_value out{};
    EXPECT_EQ(tables_.object->parse(current_call, str(R"({"a":[1,2]})"), &out), DAVIT_OK);
    EXPECT_EQ(json(out), R"({"a":[1,2]})");
    for (const char* text : {"[1,\"a\"]", "\"a\"", "1.5", "true", "null"}) {
      EXPECT_EQ(tables_.object->parse(current_call, str(text), &out), DAVIT_OK);
      EXPECT_EQ(json(out), text);
    }
    EXPECT_EQ(tables_.object->parse(current_call, str("{"), &out), DAVIT_INVALID);
    EXPECT_EQ(out.object, nullptr);
    return DAVIT_FAILED;
  });
  EXPECT_THAT(result.reason, HasSubstr("1"));
}

}  // namespace
}  // namespace davit::host
