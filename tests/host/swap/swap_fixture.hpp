/// A set of one plugin on a scripted API server, with builds to swap it for.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/loading/staging.hpp"
#include "host/swap/plugin_set.hpp"
#include "tests/host/cache/pod_server.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {

/// Stores lines, and passes on their messages.
class ReportingLogSink final : public LogSink {
 public:
  /// Both outlive it. `on_message` changes only while nothing logs; empty: none.
  ReportingLogSink(LogSink& sink, const std::function<void(std::string_view)>& on_message)
      : sink_(sink), on_message_(on_message) {}

  [[nodiscard]] int verbosity() const override { return sink_.verbosity(); }
  void write(Severity severity, int verbosity, std::string_view logger, std::string_view message,
             std::span<const LogPair> fields) override {
    sink_.write(severity, verbosity, logger, message, fields);
    if (on_message_) on_message_(message);
  }
  void flush() override { sink_.flush(); }

 private:
  LogSink& sink_;
  const std::function<void(std::string_view)>& on_message_;
};

class SwapTest : public ::testing::Test {
 protected:
  SwapTest() {
    transport_.set_script([](const HttpRequest& request) { return created(request, "0"); });
    std::filesystem::create_directory(directory_.path() / "staging");
    limits_.staging = directory_.path() / "staging";
    place("v1");
  }
  ~SwapTest() override {
    set_.reset();
    events_.stop();
    informers_.stop();
  }
  // Its threads use the members of the test itself, which go before those of this class.
  void TearDown() override { set_.reset(); }

  /// The name of the pod that a request creates.
  static std::string name_in(const HttpRequest& request) {
    constexpr std::string_view kBefore = R"("name":")";
    const std::size_t at = request.body.find(kBefore) + kBefore.size();
    return request.body.substr(at, request.body.find('"', at) - at);
  }
  /// The server has created the pod of the request, with this version.
  static test::ScriptedResponse created(const HttpRequest& request, const std::string& version) {
    return created(name_in(request), version);
  }
  static test::ScriptedResponse created(const std::string& name, const std::string& version) {
    test::ScriptedResponse response;
    response.status = 201;
    response.body = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
                    R"(","namespace":"default","uid":"u","resourceVersion":")" + version + "\"}}";
    return response;
  }

  /// Refused: nothing was done, which a status of 500 does not say.
  static test::ScriptedResponse failed() {
    test::ScriptedResponse response;
    response.status = 403;
    return response;
  }

  [[nodiscard]] std::filesystem::path file() const { return directory_.path() / "sample.so"; }
  static std::string content(const std::string& build) {
    Result<TrustedFile> read =
        read_plugin_file(std::filesystem::path(DAVIT_SWAP_SAMPLES) / (build + ".so"));
    EXPECT_TRUE(read) << read.error().message();
    return read ? read->content : "";
  }
  /// Puts bytes in the plugin's place, as a build does: a new file takes the name.
  void put(std::string_view bytes) const {
    const std::filesystem::path made = directory_.write("new.so", bytes);
    std::filesystem::permissions(made, std::filesystem::perms::owner_all);
    std::filesystem::rename(made, file());
  }
  void place(const std::string& build) const { put(content(build)); }

  /// The host starts with build v1 and leads.
  void start_without_waiting() {
    set_ = std::make_unique<PluginSet>(
        clock_, Logger(reporting_log_),
        [this](const LoadedPlugin& plugin, const DeclaredController& declared,
               std::uint64_t generation) { return make(plugin, declared, generation); },
        SetObservers{.on_up = [this](const std::string& name) { told_.push("up " + name); },
                     .on_down = [this](const std::string& name) { told_.push("down " + name); },
                     .on_phase =
                         [this](SwapPhase phase) {
                           if (on_phase_) on_phase_(phase);
                         },
                     .start_informers = [this] { return informers_.start(); },
                     .metrics = metrics_.get(),
                     .on_rolled_back = [this](const std::string& text) { told_.push(text); }},
        limits_);
    Result<StagingDirectory> staging = StagingDirectory::create_below(limits_.staging);
    Result<std::unique_ptr<LoadedPlugin>> loaded = load_plugin(*staging, file(), LoadTerms{});
    ASSERT_TRUE(loaded) << loaded.error().message();
    first_ = (*loaded)->opened();
    std::shared_ptr<const LoadedPlugin> plugin = std::move(*loaded);
    auto controller = make(*plugin, plugin->declaration().controllers[0], 1);
    ASSERT_EQ(controller->init(plugin->init(controller->name())).outcome, InitOutcome::kStarted);
    ASSERT_TRUE(controller->commit().ok());
    set_->add(std::move(plugin), sha256_);
    set_->add("sample", std::move(controller));
    ASSERT_TRUE(informers_.start().ok());
    set_->start();
    set_->lead();
  }
  void start() {
    start_without_waiting();
    transport_.await_requests(1);
    pods_.await_requests(2);  // The list serves before the watch after it has begun.
  }

  SwapReport swap() { return set_->swap({"sample", file()}); }

  /// The names of the pods that were asked for, in order.
  [[nodiscard]] std::vector<std::string> asked() const {
    std::vector<std::string> names;
    for (const HttpRequest& request : transport_.requests()) names.push_back(name_in(request));
    return names;
  }
  /// A further pod appears, for whose key the server then gives `response`.
  void add_pod(const std::string& name) {
    pods_.send(event_json("ADDED", {.name = name, .version = std::to_string(++version_)}));
  }

  std::unique_ptr<ControllerHost> make(const LoadedPlugin& plugin,
                                       const DeclaredController& declared,
                                       std::uint64_t generation) {
    ControllerHostOptions options;
    options.declared = declared;
    options.plugin = plugin.declaration().name;
    options.generation = generation;
    options.rate = {-1, 1};
    options.config = config_;
    options.sync_limit = sync_limit_;
    return std::make_unique<ControllerHost>(
        std::move(options), HostServices{space_, informers_, transport_, discovery_, events_,
                                         *metrics_, clock_, *random_, Logger(reporting_log_)});
  }

  Duration sync_limit_ = RunnerOptions{}.sync_limit;
  TempDirectory directory_;
  test::FakeClock clock_;
  test::RecordingLogSink log_{5};
  std::function<void(std::string_view)> on_log_;  // Gets each message of the set and its hosts.
  ReportingLogSink reporting_log_{log_, on_log_};
  ObjectSpace space_;
  std::unique_ptr<Random> random_ = make_seeded_random(7);
  std::unique_ptr<Metrics> metrics_ = Metrics::make({}, clock_);
  PodServer pods_;
  InformerFactory informers_{InformerSeams{pods_, space_, clock_, *random_, *metrics_},
                             Logger(log_), ReflectorOptions{.streaming_list = false}};
  test::FakeTransport transport_;
  test::FakeTransport discovery_transport_;
  RestClient discovery_client_{discovery_transport_, clock_, *metrics_, Logger(log_),
                               RestOptions{.rate = {-1, 1}}};
  Discovery discovery_{discovery_client_};
  struct NoEvents final : EventApi {
    Status create(const Event&, std::stop_token) override { return {}; }
    Status patch(const Event&, std::stop_token) override { return {}; }
    std::vector<Status> create_all(std::span<const Event> all, std::stop_token) override {
      return std::vector<Status>(all.size());
    }
  };
  NoEvents event_api_;
  EventRecorder events_{event_api_, clock_, *random_, Logger(log_), {}};
  SwapLimits limits_;
  std::function<void(SwapPhase)> on_phase_;
  test::Collector<std::string> told_;  // The observers' notifications.
  std::filesystem::path first_;        // The copy of the build that the host started with.
  int version_ = 7;
  std::string config_;  // Each controller's.
  std::string sha256_;  // That the manifest wants of every build.
  std::unique_ptr<PluginSet> set_;
};

}  // namespace davit::host
