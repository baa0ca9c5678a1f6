/// "davit.cloud/1": the way of a loop's call to the provider, with dry runs and shadows.
#include <cstddef>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "host/object/parse.hpp"
#include "host/plugin/call_slots.hpp"
#include "host/plugin/cloud_exchange.hpp"
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kRoute = R"({"targetNode":"n1","destinationCIDR":"10.244.1.0/24"})";

/// A provider in C: counts its calls, and gives the answers that a test sets.
struct PlainProvider {
  int calls = 0;
  const davit_sink* last_sink = nullptr;
  davit_code code = DAVIT_OK;
  std::uint64_t retry_after_ms = 0;
  std::string status = R"({"ingress":[{"ip":"192.0.2.1"}]})";
  std::string facts = R"({"providerID":"t://1"})";
  std::string routes = "[]";
  std::string route;    // The last one that a call was about.
  bool is_old = false;  // It was built before there were instances and routes.
  std::function<void(const davit_call*)> during;
  std::function<void(davit_value)> reads;  // Gets the Node whose machine is asked about.

  davit_code answer(const davit_call* call, davit_cloud_answer* answer, const davit_sink* sink) {
    ++calls;
    EXPECT_EQ(call->kind, DAVIT_CALL_PROVIDER);
    if (sink != nullptr) last_sink = sink;
    if (during) during(call);
    answer->exists = 1;
    answer->retry_after_ms = retry_after_ms;
    return text(status, sink);
  }
  [[nodiscard]] davit_code text(const std::string& written, const davit_sink* sink) const {
    if (sink == nullptr || written.empty()) return code;
    const davit_code taken = sink->write(sink->self, str(written));
    return code == DAVIT_OK ? taken : code;
  }

  static davit_code get(void* self, const davit_call* call, davit_str, davit_value,
                        davit_cloud_answer* answer, const davit_sink* status) {
    return static_cast<PlainProvider*>(self)->answer(call, answer, status);
  }
  static davit_code ensure(void* self, const davit_call* call, davit_str, davit_value,
                           const davit_list*, davit_cloud_answer* answer,
                           const davit_sink* status) {
    return static_cast<PlainProvider*>(self)->answer(call, answer, status);
  }
  static davit_code update(void* self, const davit_call* call, davit_str, davit_value,
                           const davit_list*, davit_cloud_answer* answer) {
    return static_cast<PlainProvider*>(self)->answer(call, answer, nullptr);
  }
  static davit_code remove(void* self, const davit_call* call, davit_str, davit_value,
                           davit_cloud_answer* answer) {
    return static_cast<PlainProvider*>(self)->answer(call, answer, nullptr);
  }
  static davit_code machine(void* self, const davit_call* call, davit_value node,
                            davit_cloud_answer* answer) {
    auto& me = *static_cast<PlainProvider*>(self);
    if (me.reads) me.reads(node);
    return me.answer(call, answer, nullptr);
  }
  static davit_code metadata(void* self, const davit_call*, davit_value, davit_cloud_answer*,
                             const davit_sink* sink) {
    const auto& me = *static_cast<PlainProvider*>(self);
    return me.text(me.facts, sink);
  }
  static davit_code list(void* self, const davit_call*, davit_str, davit_cloud_answer*,
                         const davit_sink* sink) {
    const auto& me = *static_cast<PlainProvider*>(self);
    return me.text(me.routes, sink);
  }
  static davit_code create_route(void* self, const davit_call* call, davit_str, davit_str,
                                 davit_str route, davit_cloud_answer* answer) {
    auto& me = *static_cast<PlainProvider*>(self);
    me.route = view(route);
    return me.answer(call, answer, nullptr);
  }
  static davit_code remove_route(void* self, const davit_call* call, davit_str cluster,
                                 davit_str route, davit_cloud_answer* answer) {
    return create_route(self, call, cluster, {}, route, answer);
  }
  static const void* capability(void* self, const davit_call*, davit_str id) {
    static constexpr davit_load_balancers kLoadBalancers = {
        sizeof(davit_load_balancers), 0, &get, &ensure, &update, &remove};
    static constexpr davit_instances kInstances = {sizeof(davit_instances), 0, &machine, &machine,
                                                   &metadata};
    static constexpr davit_routes kRoutes = {sizeof(davit_routes), 0, &list, &create_route,
                                             &remove_route};
    static constexpr davit_cloud_provider_v1 kSide = {
        sizeof(davit_cloud_provider_v1), 0, &kLoadBalancers, &kInstances, &kRoutes, {}, 0, 0};
    static constexpr davit_cloud_provider_v1 kOld = {offsetof(davit_cloud_provider_v1, instances),
                                                     0,
                                                     &kLoadBalancers,
                                                     &kInstances,
                                                     &kRoutes,
                                                     {},
                                                     0,
                                                     0};
    if (view(id) != "davit.cloud-provider/1") return nullptr;
    return static_cast<PlainProvider*>(self)->is_old ? &kOld : &kSide;
  }
};

class HostCloudTest : public ControllerHostTest {
 protected:
  HostCloudTest() {
    provider_host_ = provider();
    service_ =
        *parse_object(space_, R"({"metadata":{"name":"s","namespace":"default"},)"
                              R"("status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.9"}]}}})");
  }
  void TearDown() override {
    provider_host_.reset();
    ControllerHostTest::TearDown();
  }

  std::unique_ptr<ControllerHost> hosted(const std::string& name, DryRun dry_run) {
    ControllerHostOptions made = options();
    made.declared.name = name;
    made.declared.is_unlimited = is_unlimited_;
    made.dry_run = dry_run;
    return std::make_unique<ControllerHost>(std::move(made), HostServices{space_,
                                                                          informers_,
                                                                          transport_,
                                                                          discovery_,
                                                                          events_,
                                                                          *metrics_,
                                                                          clock_,
                                                                          *random_,
                                                                          Logger(log_),
                                                                          nullptr,
                                                                          {},
                                                                          nullptr,
                                                                          nullptr,
                                                                          &exchange_});
  }
  /// A build of the provider that does not serve yet.
  std::unique_ptr<ControllerHost> provider() {
    auto host = hosted("provider", DryRun::kOff);
    const InitResult made =
        host->init([this](const davit_call*, const davit_context*, davit_controller* out) {
          out->self = &provider_;
          out->capability = &PlainProvider::capability;
          return DAVIT_STARTED;
        });
    EXPECT_EQ(made.outcome, InitOutcome::kStarted);
    return host;
  }
  /// A build of the loop, with a queue for what the provider wants looked at.
  std::unique_ptr<ControllerHost> follower() {
    auto host = hosted("loop", DryRun::kOff);
    const InitResult made =
        host->init([this](const davit_call* call, const davit_context*, davit_controller*) {
          const CallScope scope(call);
          EXPECT_EQ(table_->follow(call, DAVIT_CLOUD_LOAD_BALANCERS, open_queue()), DAVIT_OK);
          return DAVIT_STARTED;
        });
    EXPECT_EQ(made.outcome, InitOutcome::kStarted);
    EXPECT_TRUE(host->commit().ok());
    return host;
  }
  /// The provider wants a key looked at.
  void again(std::string_view key) {
    CallFrame frame(provider_host_->abi(), Phase::kSync);
    EXPECT_EQ(provided_->again(frame.call(), DAVIT_CLOUD_LOAD_BALANCERS, str(key)), DAVIT_OK);
  }
  void serve() {
    ASSERT_TRUE(provider_host_->commit().ok());
    provider_host_->start();
    provider_host_->lead();
    ASSERT_TRUE(provider_host_->runner().wait_caches(Time::max()));
  }
  /// The controller that calls; with its own answer to whether anything may change.
  void make_loop(DryRun dry_run = DryRun::kOff) { host_ = hosted("loop", dry_run); }

  davit_code ensure() {
    return inside(Phase::kSync, [this] {
      text_.clear();
      answer_ = {};
      answer_.size = sizeof(answer_);
      const davit_sink sink{sizeof(davit_sink), 0, &text_, [](void* self, davit_str chunk) {
                              static_cast<std::string*>(self)->append(view(chunk));
                              return davit_code{DAVIT_OK};
                            }};
      const davit_list none{nullptr, 0};
      return table_->ensure(current_call, str("c"), service_.root().raw, &none, &answer_, &sink);
    });
  }
  /// Calls another function of the table with an empty answer, and keeps what it writes.
  davit_code call(const std::function<davit_code(const davit_sink&)>& function) {
    return inside(Phase::kSync, [&] {
      text_.clear();
      answer_ = {};
      answer_.size = sizeof(answer_);
      return function({sizeof(davit_sink), 0, &text_, [](void* self, davit_str chunk) {
                         static_cast<std::string*>(self)->append(view(chunk));
                         return davit_code{DAVIT_OK};
                       }});
    });
  }
  davit_code exists() {
    return call([this](const davit_sink&) {
      return table_->exists(current_call, service_.root().raw, &answer_);
    });
  }
  davit_code metadata() {
    return call([this](const davit_sink& sink) {
      return table_->metadata(current_call, service_.root().raw, &answer_, &sink);
    });
  }
  davit_code list_routes() {
    return call([this](const davit_sink& sink) {
      return table_->list_routes(current_call, str("c"), &answer_, &sink);
    });
  }
  davit_code create_route() {
    return call([this](const davit_sink&) {
      return table_->create_route(current_call, str("c"), str("uid"), str(kRoute), &answer_);
    });
  }
  davit_code remove_route() {
    return call([this](const davit_sink&) {
      return table_->remove_route(current_call, str("c"), str(kRoute), &answer_);
    });
  }
  davit_code remove() {
    return inside(Phase::kSync, [this] {
      answer_ = {};
      answer_.size = sizeof(answer_);
      return table_->remove(current_call, str("c"), service_.root().raw, &answer_);
    });
  }

  CloudExchange exchange_;
  PlainProvider provider_;
  bool is_unlimited_ = true;  // The next host may read what its note does not declare.
  std::unique_ptr<ControllerHost> provider_host_;
  const davit_cloud_v1* table_ =
      static_cast<const davit_cloud_v1*>(host_capability("davit.cloud/1"));
  const davit_cloud_host_v1* provided_ =
      static_cast<const davit_cloud_host_v1*>(host_capability("davit.cloud-host/1"));
  ObjectRef service_;
  davit_cloud_answer answer_{};
  std::string text_;
};

TEST_F(HostCloudTest, ACallReachesTheProviderAndItsAnswerTheLoop) {
  serve();
  make_loop();
  EXPECT_EQ(ensure(), DAVIT_OK);
  EXPECT_EQ(text_, provider_.status);
  EXPECT_EQ(provider_.calls, 1);
}

TEST_F(HostCloudTest, AProviderThatDoesNotServeYetIsNotCalled) {
  make_loop();
  EXPECT_EQ(ensure(), DAVIT_UNAVAILABLE);
  EXPECT_EQ(answer_.retry_after_ms, std::uint64_t{DAVIT_CLOUD_BUSY_MS});
  EXPECT_EQ(provider_.calls, 0);
}

TEST_F(HostCloudTest, NothingIsCalledInADryRun) {
  serve();
  make_loop(DryRun::kServer);
  EXPECT_EQ(ensure(), DAVIT_OK);
  EXPECT_EQ(text_, R"({"ingress":[{"ip":"192.0.2.9"}]})") << "the status of the Service";
  EXPECT_EQ(remove(), DAVIT_OK);
  EXPECT_EQ(provider_.calls, 0);
}

TEST_F(HostCloudTest, AShadowCallsNothingAndItsIntentionsAreKept) {
  serve();
  make_loop();
  host_->abi().intended.begin(IntendedWrites::Mode::kSimulate);
  EXPECT_EQ(ensure(), DAVIT_OK);
  EXPECT_EQ(remove(), DAVIT_OK);
  EXPECT_EQ(provider_.calls, 0);
  EXPECT_EQ(host_->abi().intended.content().writes.size(), 2U);
}

TEST_F(HostCloudTest, AFailureHasItsTextAndItsTime) {
  serve();
  make_loop();
  provider_.code = DAVIT_THROTTLED;
  provider_.retry_after_ms = std::uint64_t{24} * 3600 * 1000;
  EXPECT_EQ(ensure(), DAVIT_THROTTLED);
  EXPECT_EQ(answer_.retry_after_ms, std::uint64_t{DAVIT_CLOUD_RETRY_AFTER_MS_MAX});
  EXPECT_EQ(text_, "");
}

TEST_F(HostCloudTest, WhatIsNotThereIsRemoved) {
  serve();
  make_loop();
  provider_.code = DAVIT_NOT_FOUND;
  EXPECT_EQ(remove(), DAVIT_OK);
  EXPECT_EQ(provider_.calls, 1);
}

TEST_F(HostCloudTest, AMachineThatTheProviderDoesNotFindDoesNotExist) {
  serve();
  make_loop();
  EXPECT_EQ(exists(), DAVIT_OK);
  EXPECT_EQ(answer_.exists, 1);
  provider_.code = DAVIT_NOT_FOUND;
  EXPECT_EQ(exists(), DAVIT_OK);
  EXPECT_EQ(answer_.exists, 0);
}

TEST_F(HostCloudTest, CLD120_AMachineIsNotGoneForAProviderThatDoesNotSeeItsNode) {
  is_unlimited_ = false;
  provider_host_ = provider();
  is_unlimited_ = true;
  serve();
  make_loop();
  provider_.code = DAVIT_NOT_FOUND;
  provider_.reads = [](davit_value node) {
    EXPECT_EQ(Value(node)["metadata"].kind(), Kind::kAbsent);
  };
  EXPECT_EQ(exists(), DAVIT_UNDECLARED);
}

TEST_F(HostCloudTest, CLD122_WithoutAProviderNoMachineIsSaidToBeGone) {
  make_loop();
  EXPECT_EQ(exists(), DAVIT_UNAVAILABLE) << "it does not serve yet";
  provider_host_.reset();
  EXPECT_EQ(exists(), DAVIT_NOT_FOUND);
  davit_cloud_offer offer{};
  offer.size = sizeof(offer);
  EXPECT_EQ(inside(Phase::kSync, [&] { return table_->provider(current_call, &offer); }),
            DAVIT_NOT_FOUND);
}

TEST_F(HostCloudTest, ANodeIsAskedAboutByOneCallAtATime) {
  serve();
  make_loop();
  davit_code second = DAVIT_OK;
  davit_cloud_answer answer{};
  answer.size = sizeof(answer);
  provider_.during = [&](const davit_call*) {
    second = table_->shutdown(current_call, service_.root().raw, &answer);
  };
  EXPECT_EQ(exists(), DAVIT_OK);
  EXPECT_EQ(second, DAVIT_UNAVAILABLE);
  EXPECT_EQ(answer.retry_after_ms, std::uint64_t{DAVIT_CLOUD_BUSY_MS});
  EXPECT_EQ(provider_.calls, 1);
  provider_.during = {};
  EXPECT_EQ(exists(), DAVIT_OK) << "the first call has ended";
}

TEST_F(HostCloudTest, FactsOfAMachineAreJudged) {
  serve();
  make_loop();
  EXPECT_EQ(metadata(), DAVIT_OK);
  EXPECT_EQ(text_, provider_.facts);
  provider_.facts = "";
  EXPECT_EQ(metadata(), DAVIT_OK);
  EXPECT_EQ(text_, "");
  provider_.facts = R"({"nodeAddresses":[{"type":"InternalIP","address":"10.0.0.256"}]})";
  EXPECT_EQ(metadata(), DAVIT_INVALID);
  EXPECT_EQ(text_, "");
}

TEST_F(HostCloudTest, RoutesReachTheProviderAsTheLoopHasThem) {
  serve();
  make_loop();
  EXPECT_EQ(list_routes(), DAVIT_OK);
  EXPECT_EQ(text_, "[]");
  EXPECT_EQ(create_route(), DAVIT_OK);
  EXPECT_EQ(provider_.route, kRoute);
  provider_.code = DAVIT_NOT_FOUND;
  EXPECT_EQ(remove_route(), DAVIT_OK) << "there is none";
  provider_.code = DAVIT_OK;
  provider_.routes = "";
  EXPECT_EQ(list_routes(), DAVIT_INVALID) << "an answer is required";
}

TEST_F(HostCloudTest, NoRouteIsChangedInADryRun) {
  serve();
  make_loop(DryRun::kServer);
  EXPECT_EQ(create_route(), DAVIT_OK);
  EXPECT_EQ(remove_route(), DAVIT_OK);
  EXPECT_EQ(provider_.calls, 0);
  EXPECT_EQ(list_routes(), DAVIT_OK);
  EXPECT_EQ(text_, "[]");
}

TEST_F(HostCloudTest, CLD127_PartsThatAnOlderTableLacksAreNotOffered) {
  provider_host_.reset();
  provider_.is_old = true;
  provider_host_ = provider();
  ASSERT_TRUE(exchange_.offer());
  EXPECT_EQ(exchange_.offer()->parts, std::uint32_t{DAVIT_CLOUD_LOAD_BALANCERS});
  serve();
  make_loop();
  EXPECT_EQ(exists(), DAVIT_UNSUPPORTED);
  EXPECT_EQ(create_route(), DAVIT_UNSUPPORTED);
  EXPECT_EQ(ensure(), DAVIT_OK);
}

TEST_F(HostCloudTest, AnEndingLoopCancelsTheCallOfItsProvider) {
  serve();
  make_loop();
  std::int32_t before = -1;
  std::int32_t after = -1;
  provider_.during = [&](const davit_call* call) {
    before = call->cancelled(call);
    host_->abi().hold.hold();
    after = call->cancelled(call);
  };
  provider_.code = DAVIT_UNAVAILABLE;
  EXPECT_EQ(ensure(), DAVIT_CANCELLED);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(after, 1);
}

TEST_F(HostCloudTest, ACallOfWhichASwapGaveUpWaitingWasCutNevertheless) {
  serve();
  make_loop();
  provider_.during = [&](const davit_call*) {
    provider_host_->abi().hold.hold();
    provider_host_->abi().hold.release();
  };
  provider_.code = DAVIT_CANCELLED;
  EXPECT_EQ(ensure(), DAVIT_CANCELLED);
}

TEST_F(HostCloudTest, AProviderThatCancelsByItselfIsUnavailable) {
  serve();
  make_loop();
  provider_.code = DAVIT_CANCELLED;
  EXPECT_EQ(ensure(), DAVIT_UNAVAILABLE);
  EXPECT_EQ(exists(), DAVIT_UNAVAILABLE);
  EXPECT_EQ(create_route(), DAVIT_UNAVAILABLE);
}

TEST_F(HostCloudTest, CLD125_AProviderThatIgnoresItsCancellationHoldsNothingUp) {
  serve();
  make_loop();
  std::promise<void> begun;
  std::promise<void> released;
  std::int32_t is_cancelled = 0;
  provider_.during = [&](const davit_call* call) {
    begun.set_value();
    released.get_future().wait();
    is_cancelled = call->cancelled(call);
  };
  std::jthread loop([this] { EXPECT_EQ(ensure(), DAVIT_OK); });
  begun.get_future().wait();
  const Time now = clock_.now();
  EXPECT_FALSE(provider_host_->stop({.cancel_at = now, .give_up_at = now}));
  released.set_value();
  loop.join();
  EXPECT_EQ(is_cancelled, 1);
  EXPECT_TRUE(provider_host_->stop({.cancel_at = now, .give_up_at = Time::max()}));
}

TEST_F(HostCloudTest, CLD126_AnAnswerAfterTheEndOfTheCallIsRefusedAndCounted) {
  serve();
  make_loop();
  EXPECT_EQ(ensure(), DAVIT_OK);
  const std::string before = text_;
  const davit_sink* const kept = provider_.last_sink;
  ASSERT_NE(kept, nullptr);
  RefusalReader refusals;
  EXPECT_EQ(kept->write(kept->self, str("{}")), DAVIT_MISUSE);
  EXPECT_EQ(text_, before);
  const std::vector<RefusedCalls> taken = refusals.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken.front().controller, "provider");
  EXPECT_EQ(taken.front().why, Refusal::kEnded);
  provider_host_.reset();
  EXPECT_EQ(kept->write(kept->self, str("{}")), DAVIT_MISUSE) << "and after that of the provider";
}

TEST_F(HostCloudTest, CLD126_AnotherThreadMayNotAnswer) {
  serve();
  make_loop();
  provider_.during = [this](const davit_call*) {
    const davit_sink* const sink = provider_.last_sink;
    std::jthread([sink] { EXPECT_EQ(sink->write(sink->self, str("{}")), DAVIT_MISUSE); }).join();
  };
  EXPECT_EQ(ensure(), DAVIT_OK);
  EXPECT_EQ(text_, provider_.status);
}

TEST_F(HostCloudTest, AListOfRoutesMayBeLongerThanOtherAnswers) {
  serve();
  make_loop();
  const std::string route = R"({"name":")" + std::string(500, 'r') + R"("})";
  provider_.routes = "[";
  for (int i = 0; i < 10'000; ++i) provider_.routes += (i == 0 ? "" : ",") + route;
  provider_.routes += "]";
  ASSERT_GT(provider_.routes.size(), std::size_t{DAVIT_CLOUD_ANSWER_BYTES_MAX});
  EXPECT_EQ(list_routes(), DAVIT_OK);
  EXPECT_EQ(text_.size(), provider_.routes.size());
  provider_.routes = "[\"" + std::string(DAVIT_CLOUD_ROUTES_BYTES_MAX, 'r') + "\"]";
  EXPECT_EQ(list_routes(), DAVIT_INVALID);
  provider_.facts = R"({"zone":")" + std::string(DAVIT_CLOUD_ANSWER_BYTES_MAX, 'z') + R"("})";
  EXPECT_EQ(metadata(), DAVIT_INVALID);
}

TEST_F(HostCloudTest, AProviderWhoseExceptionEscapesIsNotCalledAgain) {
  serve();
  make_loop();
  provider_.during = [](const davit_call*) { throw std::runtime_error("a mistake"); };
  EXPECT_EQ(ensure(), DAVIT_INTERNAL);
  provider_.during = {};
  EXPECT_EQ(ensure(), DAVIT_UNAVAILABLE);
  EXPECT_EQ(provider_.calls, 1);
}

TEST_F(HostCloudTest, AProviderThatEndsIsGone) {
  serve();
  make_loop();
  const std::uint64_t changes = exchange_.changes();
  provider_host_.reset();
  EXPECT_EQ(ensure(), DAVIT_NOT_FOUND);
  EXPECT_GT(exchange_.changes(), changes);
}

TEST_F(HostCloudTest, ABuildThatWasSwappedInOnAStandbyStaysTheProvider) {
  make_loop();
  const std::uint64_t changes = exchange_.changes();
  provider_host_ = provider();
  ASSERT_TRUE(exchange_.offer());
  EXPECT_EQ(exchange_.changes(), changes) << "the loops need no restart";
  serve();
  EXPECT_EQ(ensure(), DAVIT_OK);
  provider_host_.reset();
  EXPECT_FALSE(exchange_.offer());
}

TEST_F(HostCloudTest, ALoopWhoseNextBuildDoesNotServeIsStillWoken) {
  host_ = follower();
  run();
  follower().reset();
  again("default/a");
  EXPECT_THAT(synced_.await(1), ::testing::ElementsAre("default/a"));
}

TEST_F(HostCloudTest, AShadowOfAProviderWakesNoLoop) {
  host_ = follower();
  run();
  provider_host_->abi().intended.begin(IntendedWrites::Mode::kSimulate);
  again("default/a");
  provider_host_->abi().intended.begin(IntendedWrites::Mode::kOff);
  again("default/b");
  EXPECT_THAT(synced_.await(1), ::testing::ElementsAre("default/b"));
}

}  // namespace
}  // namespace davit::host
