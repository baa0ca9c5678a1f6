#include "tests/system/world.hpp"

#include <cctype>
#include <cstdlib>
#include <set>
#include <utility>

#include "sandbox/auth/authenticator.hpp"
#include "sandbox/auth/rbac.hpp"
#include "tests/support/http_client.hpp"
#include "tests/system/invariants.hpp"

namespace davit::test {

namespace {

/// More than the longest back-off of a key, about 16 minutes.
constexpr Duration kWaitLimit = std::chrono::minutes(20);
/// The time within which retries and late counts after the end are done.
constexpr Duration kTimeToConverge = std::chrono::seconds(10);
constexpr Duration kLong = std::chrono::minutes(3);
constexpr char kToken[] = "davit";
constexpr char kDeployments[] = "/apis/apps/v1/namespaces/default/deployments";

WorldOptions with_seed(WorldOptions options) {
  const char* const seed = std::getenv("DAVIT_SYSTEM_SEED");
  if (seed != nullptr) options.seed = std::strtoull(seed, nullptr, 10);
  return options;
}

sandbox::SimulationOptions simulated(const WorldOptions& options) {
  sandbox::SimulationOptions out;
  out.nodes.plans = sandbox::plan_nodes("node", options.nodes, 3);
  out.nodes.lease_period = options.lease_period;
  out.pods.ready = std::chrono::milliseconds(500);
  out.pods.jitter = 1;
  return out;
}

HttpServerRequest request_of(const std::string& method, const std::string& target,
                             const std::string& body) {
  HttpServerRequest out;
  out.method = method;
  out.target = target;
  out.headers = {
      {"Content-Type", method == "PATCH" ? "application/merge-patch+json" : "application/json"}};
  out.body = body;
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& each : lines) out += "\n  " + each;
  return out;
}

}  // namespace

World::World(WorldOptions options)
    : options_(with_seed(std::move(options))),
      trace_(__FILE__, __LINE__, "seed " + std::to_string(options_.seed)),
      random_(make_seeded_random(options_.seed)),
      store_(clock_),
      tokens_(store_, clock_, "a key for tests"),
      // Only davit and its controllers have tokens; all others are the administrator.
      authenticator_(sandbox::make_authenticator(
          {.tokens = {{.token = kToken,
                       .identity = {.name = "system:serviceaccount:kube-system:davit",
                                    .groups = {"system:serviceaccounts", "system:authenticated"}}}},
           .anonymous = sandbox::Anonymous::kAdministrator},
          &tokens_)),
      authorizer_(sandbox::make_rbac_authorizer(store_)) {
  const Logger log(log_);
  sandbox::ApiServerOptions access;
  access.authenticator = authenticator_.get();
  access.authorizer = authorizer_.get();
  access.tokens = &tokens_;
  server_ = std::move(*sandbox::ApiServer::open({store_, clock_, *random_, log}, access));
  traffic_ = std::make_unique<Traffic>(*server_, clock_);
  faults_ = std::make_unique<sandbox::FaultLayer>(
      sandbox::FaultParts{.inner = *traffic_, .store = store_, .clock = clock_}, options_.seed);
  record_ = std::make_unique<Record>(*server_);
  transport_ = std::move(*sandbox::InProcessTransport::open(*faults_, clock_));
  nodes_transport_ = std::move(*sandbox::InProcessTransport::open(*server_, clock_));
  nodes_ = std::move(*sandbox::SimulationThread::open({*nodes_transport_, clock_, *random_, log},
                                                      simulated(options_)));
  controllers_ = std::make_unique<sandbox::Controllers>(
      sandbox::ControllerParts{store_, *server_, clock_, [this] { return server_->resources(); }},
      options_.cluster);
  controllers_thread_ =
      std::jthread([this](const std::stop_token& stop) { controllers_->run(stop); });
  if (options_.rights == WorldOptions::Rights::kPrinted) restrict_rights();
  if (!options_.faults.empty()) play(options_.faults);
  start_host();
}

World::~World() {
  worker_ = nullptr;
  heal();
  while (!hosts_.empty()) stop_host();
  nodes_.reset();
}

void World::restrict_rights() {
  for (const Json& each : printed_roles(options_.host)) {
    const Json& meta = each.get("metadata");
    const std::string& kind = each.text_at({"kind"});
    const std::string ns = "/namespaces/" + meta.text_at({"namespace"}) + "/";
    std::string target = "/apis/rbac.authorization.k8s.io/v1";
    target += kind.starts_with("Cluster") ? "/" : ns;
    for (const char letter : kind) target += static_cast<char>(std::tolower(letter));
    send("POST", kind == "ServiceAccount" ? "/api/v1" + ns + "serviceaccounts" : target + "s",
         to_text(each));
  }
  transport_->set_bearer_token(kToken);
}

void World::start_host() {
  Transport* way = transport_.get();
  if (options_.way) way = ways_.emplace_back(options_.way(*way, clock_)).get();
  hosts_.push_back(std::make_unique<HostThread>(options_.host,
                                                host::HostSeams{host_clock_, *random_, log_, way}));
  const HostThread& host = *hosts_.back();
  await("davit has started", [&host] { return host.started().has_value(); });
  EXPECT_TRUE(host.started()->ok()) << host.started()->message();
}

void World::stop_host() {
  const std::unique_ptr<HostThread> host = std::move(hosts_.front());
  hosts_.erase(hosts_.begin());
  host->stop();
  await("davit has ended", [&host] { return host->ended().has_value(); });
  EXPECT_TRUE(host->ended() == true) << "a sync did not end in time";
}

void World::wait_until_idle() {
  clock_.wait_until_idle();
  record_->read();
  if (!worker_) return;
  worker_(*this);
  clock_.wait_until_idle();
  record_->read();
}

void World::play(const std::string& script) {
  Result<sandbox::FaultScript> parsed = sandbox::parse_fault_script(json_literal(script));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  faults_->add(std::move(*parsed));
}

Json World::send(const std::string& method, const std::string& target, const std::string& body) {
  const HttpServerResponse response = server_->handle(request_of(method, target, body));
  EXPECT_LT(response.status, 300) << response.body;
  return json_literal(response.body);
}

int World::ask(const std::string& method, const std::string& target, const std::string& body) {
  const HttpServerResponse response = faults_->handle(request_of(method, target, body));
  return response.aborted ? 0 : response.status;
}

void World::deploy(const std::string& name, int replicas) {
  const std::string labels = R"({"app":")" + name + R"("})";
  send("POST", kDeployments,
       R"({"metadata":{"name":")" + name + R"(","labels":)" + labels + R"(},"spec":{"replicas":)" +
           std::to_string(replicas) + R"(,"selector":{"matchLabels":)" + labels +
           R"(},"strategy":{"rollingUpdate":{"maxSurge":2,"maxUnavailable":1}},)"
           R"("template":{"metadata":{"labels":)" +
           labels + R"(},"spec":{"containers":[{"name":"c","image":")" + name + R"(:1"}]}}}})");
}

void World::patch(const std::string& name, const std::string& body) {
  send("PATCH", std::string(kDeployments) + "/" + name, body);
}

void World::set_image(const std::string& name, const std::string& image) {
  patch(name, R"({"spec":{"template":{"spec":{"containers":[{"name":"c","image":")" + image +
                  R"("}]}}}})");
}

void World::pass(Duration time) {
  const Time end = clock_.now() + time;
  do {
    wait_until_idle();
  } while (clock_.step(end));
}

bool World::reach(Duration time, const std::function<bool()>& holds) {
  const Time end = clock_.now() + time;
  do {
    wait_until_idle();
    if (holds()) return true;
  } while (clock_.step(end));
  return false;
}

void World::await(const std::string& what, const std::function<bool()>& holds) {
  if (reach(kWaitLimit, holds)) return;
  std::string state;
  for (const auto& [uid, object] : record_->deployments()) state += to_text(object) + "\n";
  for (const auto& [uid, object] : record_->pods()) {
    state +=
        object.text_at({"metadata", "name"}) + " " + object.text_at({"status", "phase"}) + "\n";
  }
  ADD_FAILURE() << "waited in vain for: " << what << "\n" << state << joined(log_.lines());
}

void World::await_rollout(const std::string& name, int replicas) {
  await(name + " is rolled out", [&] {
    const Json object = record_->deployment(name);
    const Json& status = object.get("status");
    return object.get("spec").get("replicas").integer_or(1) == replicas &&
           status.get("observedGeneration") == object.get("metadata").get("generation") &&
           status.get("replicas").integer_or(0) == replicas &&
           status.get("updatedReplicas").integer_or(0) == replicas &&
           status.get("availableReplicas").integer_or(0) == replicas;
  });
}

void World::await_pods(const std::string& name, std::size_t pods) {
  await(std::to_string(pods) + " pods of " + name,
        [&] { return ready_pods(*record_, name) == pods; });
}

void World::await_end(const std::string& name) {
  await(name + " is gone with all that it had", [&] {
    for (const auto* objects :
         {&record_->deployments(), &record_->replica_sets(), &record_->pods()}) {
      for (const auto& [uid, object] : *objects) {
        if (object.text_at({"metadata", "labels", "app"}) == name) return false;
      }
    }
    return true;
  });
}

void World::expect_silence(const std::string& name) {
  pass(kTimeToConverge);
  const sandbox::Revision before = record_->revision();
  const Time since = clock_.now();
  pass(kLong);
  const std::vector<std::string> steps = steps_since(*record_, before, name);
  EXPECT_TRUE(steps.empty()) << joined(steps);
  for (const RecordedRequest& each : traffic_->since(since)) {
    ADD_FAILURE() << each.method << " " << each.path << " " << each.status;
  }
}

void World::expect_order(const std::string& name) {
  const std::vector<std::string> surplus = excess(*record_, name);
  EXPECT_TRUE(surplus.empty()) << joined(surplus);
  const std::vector<std::string> left = orphans(*record_);
  EXPECT_TRUE(left.empty()) << joined(left);
}

std::string World::metrics() const {
  const std::string before = "address=127.0.0.1:";
  for (const std::string& line : log_.lines()) {
    const std::size_t at = line.find(before);
    if (line.find("Serving health and metrics") == std::string::npos || at == std::string::npos) {
      continue;
    }
    const unsigned long port = std::stoul(line.substr(at + before.size()));
    return http_get(static_cast<std::uint16_t>(port), "/metrics");
  }
  ADD_FAILURE() << "no health server" << joined(log_.lines());
  return "";
}

std::string World::images(const std::string& name) const {
  std::set<std::string> seen;
  for (const auto& [uid, pod] : record_->pods()) {
    if (pod.text_at({"metadata", "labels", "app"}) != name) continue;
    if (pod.get("metadata").contains("deletionTimestamp")) continue;
    for (const Json& each : pod.get("spec").get("containers").items()) {
      seen.insert(each.text_at({"image"}));
    }
  }
  std::string out;
  for (const std::string& each : seen) out += (out.empty() ? "" : " ") + each;
  return out;
}

}  // namespace davit::test
