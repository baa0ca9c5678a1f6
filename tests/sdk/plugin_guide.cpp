// The C++ of docs/PLUGIN_GUIDE.md and docs/PLUGIN_REFERENCE.md; sdk.SnippetsOfTheGuideAreCompiled
// compares them with it.
#include <gtest/gtest.h>

#include <atomic>
#include <davit/dynamic_informer.hpp>
#include <davit/entry.hpp>
#include <davit/http.hpp>
#include <davit/kube/pod.hpp>
#include <davit/percent_escape.hpp>
#include <davit/scale.hpp>
#include <davit/testing/cluster.hpp>
#include <davit/watch.hpp>

// A page shows a lambda whose body is left out.
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace davit {
namespace {

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

const Key kCatalog{"", "catalog"};

class GreeterController : public Controller {
 public:
  explicit GreeterController(Context& context)
      : context_(context),
        queue_(
            context.open_queue({.name = "greeter"}, [this](const Key& key) { return greet(key); })),
        settings_(
            context.open_informer<ConfigMap>({}, {.field_selector = "metadata.name=settings"})),
        // clang-format off
        failures_(context.open_metric({.type = MetricType::kCounter,
                                       .name = "webapp_failures_total",
                                       .help = "Failed steps by kind", .labels = {"kind"}})),
        // clang-format on
        greeting_(context.config()["greeting"].string()) {
    static_cast<void>(context.discovery().wake(queue_, kCatalog));
  }

  // clang-format off
  Status configure(const Value& config) override {
    const std::optional<std::int64_t> limit = config["limit"].integer();
    if (!limit) return Status(Code::kInvalid, "limit is not a number");
    // The old configuration stays.
    limit_.store(*limit);  // std::atomic: syncs are running.
    return {};
  }
  // clang-format on

 private:
  Result<Again> greet(const Key& key) {
    const Lookup<ConfigMap> found = settings_.get(key);
    if (!found) return Again::when_changed();
    const ConfigMap app = *found;
    const Status status = requests(context_, {}, key);
    failures_.record(1, {"greeting"});
    context_.events().normal(app, "CreatedService", "Created its Service");
    context_.events().warning(app, "FailedService", status.message());
    if (Result<Again> followed = follow_widgets(); !followed) return followed;
    return publish(key.name, greeting_ + std::to_string(limit_.load()));
  }

  static Status requests(const Context& context, const std::vector<Request>& requests,
                         const Key& key) {
    std::size_t count = 0;
    // clang-format off
    const Client client = context.client();

    // 10,000 requests, 20 at once; each response is freed when the lambda returns.
    Status s = client.fan_out(requests, [&](std::size_t i, const Result<Value>& pod) -> Status {
      return pod.error().unless(Code::kNotFound);  // An error ends the fan-out.
    }, 20);

    // A list in pages of 500. After a 410 the list starts again as one page, with page.restarted.
    s = client.list_pages(Request::list<Pod>("", {.label_selector = "app=web"}),
                          [&](const Page& page) {
      if (page.restarted) count = 0;
      count += page.list[&Names::items].count();
    });

    // The bytes of a log as they are written.
    Request log = Request::get<Pod>(key);
    log.subresource = "log";
    log.query = "follow=true";
    log.timeout = std::chrono::minutes(5);
    s = client.stream(log, [&](std::string_view text) { /* … */ });

    // The target of a scaleTargetRef, built-in or custom.
    const Scales scales(client, context.discovery());
    Result<Scale> scale = scales.get({"apps/v1", "Deployment", {"default", "web"}});
    if (scale) s = scales.set(*scale, scale->replicas + 1).error();
    // clang-format on
    return s;
  }

  // clang-format off
  Result<Again> follow_widgets() {
    if (widgets_) return Again::when_changed();
    const Result<ServedResource> served = cluster_.discovery().find("example.com", "", "widgets");
    if (served.error().code() == Code::kNotFound) return Again::when_changed();
    if (!served) return served.error();
    const Result<DynamicInformer> opened = cluster_.open_dynamic_informer(
        {.group = "example.com", .version = served->version(), .resource = "widgets",
         .form = ObjectForm::kMetadata},
        {.added = [this](const ObjectView& widget) { queue_.add(widget); }});
    if (!opened) return opened.error();
    widgets_ = *opened;  // std::optional<DynamicInformer>
    return Again::when_changed();
  }

  Result<Again> publish(const std::string& name, std::string record) {
    const Result<http::Response> response = cluster_.http().send(
        http::Request::json("PUT", server_ + "/records/" + percent_escaped(name),
                            std::move(record)));
    if (!response) return response.error();  // No response; the key's back-off tries again.
    if (Status s = response->as_status(); !s.ok()) return s;
    return Again::when_changed();
  }
  // clang-format on

  Context& context_;
  Context& cluster_ = context_;
  Queue queue_;
  Informer<ConfigMap> settings_;
  Metric failures_;
  std::string greeting_;
  std::atomic<std::int64_t> limit_{0};
  std::optional<DynamicInformer> widgets_;
  const std::string server_;
};

// clang-format off
constexpr void declare(Note& note) {
  note.plugin("greeter", "0.1.0")
      .controller({.name = "greeter-controller", .factory = &make<GreeterController>, .workers = 2})
      .rule<Pod>({"patch"})
      .watch<Pod>({"metadata.labels", "metadata.annotations"});
}
DAVIT_PLUGIN(declare);
// clang-format on

/// A watch of its own, for the informer that selects.
constexpr void declare_settings(Note& note) {
  note.plugin("settings", "1")
      .controller({.name = "settings-controller", .factory = &make<GreeterController>});
  note.watch<ConfigMap>({"data"}, {.field_selector = "metadata.name=settings"});
}

TEST(PluginGuideTest, WatchMaySelect) {
  EXPECT_NE(note_text<declare_settings>().find("metadata.name=settings"), std::string::npos);
}

// clang-format off
TEST(PluginGuideTest, ClusterAnswersTheGreeter) {
  testing::Cluster cluster({.note = note_text<declare>()});  // note_of() reads the note of a file
  ASSERT_TRUE(cluster.start("greeter-controller", &davit::make<GreeterController>).ok());
  cluster.add(testing::PodBuilder("web").annotation("example.davit.dev/greet", "please"));
  cluster.run_until_idle();
  EXPECT_EQ(cluster.find<Pod>({"default", "web"})->label("greeting"), "hello");
  cluster.on_http([](const testing::HttpRecord& request) {
    return testing::HttpReply{.http_status = 503}; });
}
// clang-format on

// clang-format off
class Recounting : public Controller {
 public:
  explicit Recounting(Context& context)
      : queue_(context.open_queue({.name = "all"}, [this](const Key& k) { return sync(k); })),
        pods_(reconciles<Pod>(context, queue_)) {}
  Status configure(const Value& config) override { queue_.add(kAll); return {}; }

 private:
  Result<Again> sync(const Key& key) const {
    if (key == kAll) {
      for (const Pod pod : pods_.list()) queue_.add(pod);
      return Again::when_changed();
    }
    return Again::when_changed();
  }

  const Key kAll{"", "all"};  // In configure(), at its end: queue_.add(kAll);
  Queue queue_;
  Informer<Pod> pods_;
};
// clang-format on

}  // namespace
}  // namespace davit
