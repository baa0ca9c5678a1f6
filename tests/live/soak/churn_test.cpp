/// Deployments that are created, scaled, rolled and deleted at a fixed rate, beside which davit's
/// private memory has to stay flat.
///
/// DAVIT_SOAK_CHURN_SECONDS sets for how long (CI: 20, on the sandbox; by hand: 3600, on a real
/// server when KUBEBUILDER_ASSETS is set).
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include "host/api/rest_client.hpp"
#include "host/object/parse.hpp"
#include "tests/live/soak/environment.hpp"
#include "tests/live/support/admin_client.hpp"
#include "tests/live/support/control_plane.hpp"
#include "tests/live/support/load.hpp"
#include "tests/live/support/sandbox.hpp"
#include "tests/support/holdings.hpp"

namespace davit::live {
namespace {

using host::ApiRequest;
using host::Verb;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr char kDeployments[] = "/apis/apps/v1/namespaces/default/deployments";
/// Eight changes a second: a Deployment has 2.5 s for each of its steps, which debug builds keep
/// to.
constexpr milliseconds kTick{125};
constexpr int kSlots = 20;
constexpr int kSteps = 4;
/// From a Deployment's creation to its deletion.
constexpr seconds kLife = std::chrono::duration_cast<seconds>(kSlots * kSteps * kTick);
/// Freed memory that stays scattered over pages, and events whose correlation is remembered. A leak
/// of 100 bytes a change shows in an hour as 1.8 MiB between the thirds, one of a pod as more.
constexpr long kGrowthMaxKib = 1024;

/// The difference between the medians of the last and of the first third.
long growth(const std::vector<long>& samples) {
  const auto median = [](std::vector<long> third) {
    const auto middle = third.begin() + static_cast<std::ptrdiff_t>(third.size() / 2);
    std::ranges::nth_element(third, middle);
    return *middle;
  };
  const auto third = static_cast<std::ptrdiff_t>(samples.size() / 3);
  return median({samples.end() - third, samples.end()}) -
         median({samples.begin(), samples.begin() + third});
}

ApiRequest request(Verb verb, const std::string& name, std::string body) {
  ApiRequest out;
  out.verb = verb;
  out.path = {"apps", "v1", "deployments", "", "default", name};
  out.body = std::move(body);
  return out;
}

/// Change `number` of the churn: one after the other, kSlots Deployments are created, then scaled,
/// then rolled, then deleted, and then the next ones are created.
ApiRequest change(int number) {
  const int step = number / kSlots;
  const std::string name =
      "churn-" + std::to_string(step / kSteps) + "-" + std::to_string(number % kSlots);
  const std::string create = R"({"metadata":{"name":")" + name +
                             R"("},"spec":{"replicas":2,"selector":{"matchLabels":{"app":")" +
                             name + R"("}},"template":{"metadata":{"labels":{"app":")" + name +
                             R"("}},"spec":{"containers":[{"name":"app","image":"app:v1"}]}}}})";
  if (step % kSteps == 0) return request(Verb::kCreate, "", create);
  if (step % kSteps == 1) return request(Verb::kPatch, name, R"({"spec":{"replicas":4}})");
  if (step % kSteps == 2) {
    ApiRequest roll = request(
        Verb::kPatch, name,
        R"({"spec":{"template":{"spec":{"containers":[{"name":"app","image":"app:v2"}]}}}})");
    roll.patch_type = host::PatchType::kStrategic;
    return roll;
  }
  ApiRequest out = request(Verb::kDelete, name, "");
  out.delete_options.propagation = host::Propagation::kBackground;
  return out;
}

/// Whether every Deployment has what it asks for.
bool is_idle(host::RestClient& client) {
  ApiRequest list;
  list.raw_path = kDeployments;
  host::ObjectSpace space;
  const Result<host::ObjectRef> found = host::parse_object(space, client.call(list).body);
  if (!found) return false;
  bool out = true;
  found->root()["items"].each([&](host::Value item) {
    const host::Value status = item["status"];
    const auto replicas = item["spec"]["replicas"].integer();
    out = out &&
          status["observedGeneration"].integer() == item["metadata"]["generation"].integer() &&
          status["replicas"].integer() == replicas &&
          status["updatedReplicas"].integer() == replicas &&
          status["availableReplicas"].integer() == replicas;
  });
  return out;
}

TEST(ChurnTest, GrowthIsBetweenTheMediansOfTheFirstAndTheLastThird) {
  EXPECT_EQ(growth({30, 30, 30, 31, 30, 90, 30, 30, 30}), 0);
  EXPECT_EQ(growth({31, 32, 33, 34, 35, 36, 37, 38, 39}), 6);
}

TEST(ChurnTest, PrivateMemoryStaysFlatWhileDeploymentsComeAndGo) {
  const seconds duration(from_environment("DAVIT_SOAK_CHURN_SECONDS", 0));
  // Before minutes have passed, pages that fill up look like a leak.
  if (duration == seconds(0)) GTEST_SKIP() << "by hand, with DAVIT_SOAK_CHURN_SECONDS=3600";
  const bool real = !assets().empty();
  const std::vector<std::string> flags = {"--leader-elect=false", "--kube-api-qps=500",
                                          "--kube-api-burst=1000"};
  const auto cluster = real ? std::make_unique<ControlPlane>() : nullptr;
  const auto sandbox = real ? nullptr : std::make_unique<Sandbox>();
  const auto kubelet = real ? cluster->kubelet() : nullptr;
  const auto collector = real ? cluster->controller_manager("garbagecollector") : nullptr;
  const AdminClient admin(real ? cluster->kubeconfig() : sandbox->kubeconfig());
  const auto davit = real ? cluster->davit(flags) : sandbox->davit(flags);

  // Until then caches, pools of connections and arenas fill: a sixth more, at least one life.
  const seconds warm_up = std::max(duration / 6, kLife);
  const seconds each = std::clamp(duration / 20, seconds(1), seconds(60));
  std::vector<long> samples;
  send_all(admin.client(), {change(0)});
  ASSERT_TRUE(eventually(
      minutes(1), [&] { return is_idle(admin.client()); }, milliseconds(250)))
      << davit->output();
  const auto begin = steady_clock::now();
  int changes = 1;
  for (auto now = begin; now < begin + warm_up + duration; now = begin + changes * kTick) {
    std::this_thread::sleep_until(now);
    send_all(admin.client(), {change(changes++)});
    if (now - begin < warm_up + each * static_cast<int>(samples.size())) continue;
    const auto held = test::Holdings::of(std::to_string(davit->pid()));
    samples.push_back(held.anonymous_kib);
    std::cout << std::chrono::duration_cast<seconds>(now - begin).count() << " s, " << changes
              << " changes: " << held << std::endl;
  }

  EXPECT_TRUE(eventually(
      minutes(2), [&] { return is_idle(admin.client()); }, milliseconds(250)))
      << davit->output();
  std::cout << "growth " << growth(samples) << " KiB" << std::endl;
  EXPECT_LE(growth(samples), kGrowthMaxKib);
}

}  // namespace
}  // namespace davit::live
