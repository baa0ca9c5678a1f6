#include <algorithm>
#include <davit/cloud.hpp>
#include <davit/mutant.hpp>
#include <davit/trampoline.hpp>

namespace davit {
namespace {

std::vector<Node> nodes_of(const Api& api, const davit_list* list) {
  std::vector<Node> nodes;
  nodes.reserve(list->count);
  for (std::size_t i = 0; i < list->count; ++i) nodes.emplace_back(Value(&api, list->items[i]));
  return nodes;
}

std::vector<davit_value> raw_of(std::span<const Node> nodes) {
  std::vector<davit_value> raw;
  raw.reserve(nodes.size());
  for (const Node& each : nodes) raw.push_back(each.value().raw());
  return raw;
}

/// Runs `function` of a provider and passes its reply on.
template <typename Function>
davit_code provide(const detail::ProviderCall& at, const Function& function) noexcept {
  return detail::guarded(at.api, at.call, [&]() -> Status {
    CloudReply reply = function();
    at.answer->exists = reply.exists ? 1 : 0;
    at.answer->elsewhere = reply.elsewhere ? 1 : 0;
    at.answer->retry_after_ms =
        static_cast<std::uint64_t>(std::max<std::int64_t>(reply.retry_after.count(), 0));
    if (!reply.status.ok() || !reply.text || at.text == nullptr) return reply.status;
    const davit_code code = at.text->write(at.text->self, to_c(*reply.text));
    return code == DAVIT_OK ? Status() : Status(from_c(code), "the host takes no more text");
  });
}

CloudService service_of(const Api& api, const detail::ProvidedService& at) {
  return {from_c(at.cluster), Service(Value(&api, at.service))};
}

/// Runs `function(route)` of a provider.
template <typename Function>
davit_code provide_route(const detail::ProviderCall& call, const detail::ProvidedRoute& at,
                         const Function& function) noexcept {
  return provide(call, [&]() -> CloudReply {
    const Result<Value> json = parse_json(call.api, from_c(at.route));
    if (!json) return CloudReply::failed(json.error());
    return function({from_c(at.cluster), from_c(at.name_hint), CloudRoute::read(*json)});
  });
}

}  // namespace

CloudProvider::~CloudProvider() = default;

CloudHost::CloudHost(const Context& context)
    : api_(&context.api()),
      table_(static_cast<const davit_cloud_host_v1*>(
          detail::opening_capability(context, "davit.cloud-host/1"))) {}

void CloudHost::services_again(const Key& key) const {
  again(DAVIT_CLOUD_LOAD_BALANCERS, key.text());
}

void CloudHost::nodes_again(std::string_view name) const { again(DAVIT_CLOUD_INSTANCES, name); }

void CloudHost::routes_again() const { again(DAVIT_CLOUD_ROUTES, ""); }

void CloudHost::again(std::uint32_t part, std::string_view key) const {
  if (table_ != nullptr) static_cast<void>(table_->again(api_->call(), part, to_c(key)));
}

Cloud::Cloud(const Context& context, std::string cluster)
    : api_(&context.api()), cluster_(std::move(cluster)) {
  if (const void* const table = detail::opening_capability(context, "davit.cloud/1")) {
    read_sized(table, table_);
  }
}

std::optional<Cloud::Offer> Cloud::offer() const {
  davit_cloud_offer raw{};
  raw.size = sizeof(raw);
  if (table_.provider == nullptr || table_.provider(api_->call(), &raw) != DAVIT_OK) {
    return std::nullopt;
  }
  Offer out{raw.parts, raw.generation, raw.is_ready != 0};
  out.classes.read(from_c(raw.classes));
  out.classes.takes_unclassed = raw.only_classes == 0;
  return out;
}

void Cloud::follow(std::uint32_t part, const Queue& queue) const {
  if (table_.follow == nullptr) return;
  const davit_code code = table_.follow(api_->call(), part, queue.handle());
  if (code != DAVIT_OK) detail::note_refusal(code, "follow the provider of the cloud");
}

template <typename Function>
CloudReply Cloud::ask(const Function& function) const {
  CloudReply reply;
  davit_cloud_answer answer{};
  answer.size = sizeof(answer);
  struct Text {
    std::string text;
    bool is_written = false;
    detail::Thrown thrown{};
  } text;
  const davit_sink sink{sizeof(davit_sink), 0, &text, [](void* self, davit_str chunk) {
                          auto& to = *static_cast<Text*>(self);
                          return to.thrown.keep([&]() -> davit_code {
                            to.is_written = true;
                            to.text.append(from_c(chunk));
                            return DAVIT_OK;
                          });
                        }};
  const davit_code code = function(answer, sink);
  text.thrown.rethrow();
  if (code != DAVIT_OK) reply.status = api_->failure_of(code, "the cloud provider failed");
  reply.exists = answer.exists != 0;
  reply.elsewhere = answer.elsewhere != 0;
  reply.retry_after = std::chrono::milliseconds(answer.retry_after_ms);
  if (text.is_written) reply.text = std::move(text.text);
  return reply;
}

CloudReply Cloud::get_load_balancer(const Service& service) const {
  return ask([&](davit_cloud_answer& answer, const davit_sink& sink) {
    return table_.get(api_->call(), to_c(cluster_), service.value().raw(), &answer, &sink);
  });
}

CloudReply Cloud::ensure_load_balancer(const Service& service, std::span<const Node> nodes) const {
  const std::vector<davit_value> raw = raw_of(nodes);
  const davit_list list{raw.data(), raw.size()};
  return ask([&](davit_cloud_answer& answer, const davit_sink& sink) {
    return table_.ensure(api_->call(), to_c(cluster_), service.value().raw(), &list, &answer,
                         &sink);
  });
}

CloudReply Cloud::update_load_balancer(const Service& service, std::span<const Node> nodes) const {
  const std::vector<davit_value> raw = raw_of(nodes);
  const davit_list list{raw.data(), raw.size()};
  return ask([&](davit_cloud_answer& answer, const davit_sink&) {
    return table_.update(api_->call(), to_c(cluster_), service.value().raw(), &list, &answer);
  });
}

CloudReply Cloud::remove_load_balancer(const Service& service) const {
  return ask([&](davit_cloud_answer& answer, const davit_sink&) {
    return table_.remove(api_->call(), to_c(cluster_), service.value().raw(), &answer);
  });
}

CloudReply Cloud::exists(const Node& node) const {
  return ask([&](davit_cloud_answer& answer, const davit_sink&) {
    return table_.exists(api_->call(), node.value().raw(), &answer);
  });
}

CloudReply Cloud::shutdown(const Node& node) const {
  return ask([&](davit_cloud_answer& answer, const davit_sink&) {
    return table_.shutdown(api_->call(), node.value().raw(), &answer);
  });
}

CloudReply Cloud::metadata(const Node& node) const {
  return ask([&](davit_cloud_answer& answer, const davit_sink& sink) {
    return table_.metadata(api_->call(), node.value().raw(), &answer, &sink);
  });
}

CloudReply Cloud::list_routes() const {
  return ask([&](davit_cloud_answer& answer, const davit_sink& sink) {
    return table_.list_routes(api_->call(), to_c(cluster_), &answer, &sink);
  });
}

CloudReply Cloud::create_route(std::string_view name_hint, const CloudRoute& route) const {
  const std::string json = route.json();
  return ask([&](davit_cloud_answer& answer, const davit_sink&) {
    return table_.create_route(api_->call(), to_c(cluster_), to_c(name_hint), to_c(json), &answer);
  });
}

CloudReply Cloud::remove_route(const CloudRoute& route) const {
  const std::string json = route.json();
  return ask([&](davit_cloud_answer& answer, const davit_sink&) {
    return table_.remove_route(api_->call(), to_c(cluster_), to_c(json), &answer);
  });
}

namespace detail {

davit_code provide_get(const ProviderCall& call, LoadBalancers& to,
                       const ProvidedService& at) noexcept {
  return provide(call, [&] { return to.get(service_of(call.api, at)); });
}

davit_code provide_ensure(const ProviderCall& call, LoadBalancers& to, const ProvidedService& at,
                          const davit_list* nodes) noexcept {
  return provide(call,
                 [&] { return to.ensure(service_of(call.api, at), nodes_of(call.api, nodes)); });
}

davit_code provide_update(const ProviderCall& call, LoadBalancers& to, const ProvidedService& at,
                          const davit_list* nodes) noexcept {
  return provide(call,
                 [&] { return to.update(service_of(call.api, at), nodes_of(call.api, nodes)); });
}

davit_code provide_remove(const ProviderCall& call, LoadBalancers& to,
                          const ProvidedService& at) noexcept {
  return provide(call, [&] { return to.remove(service_of(call.api, at)); });
}

davit_code provide_exists(const ProviderCall& call, Instances& to, davit_value node) noexcept {
  return provide(call, [&] {
    CloudReply reply = to.exists(Node(Value(&call.api, node)));
    // A forgotten answer must not delete a Node.
    const bool says_nothing = reply.status.ok() && !reply.exists && !reply.elsewhere;
    if (says_nothing && !mutant("machine-of-an-empty-answer")) {
      reply.status = {Code::kInvalid, "exists() must return yes(), not_found() or a failure"};
    }
    return reply;
  });
}

davit_code provide_shutdown(const ProviderCall& call, Instances& to, davit_value node) noexcept {
  return provide(call, [&] { return to.shutdown(Node(Value(&call.api, node))); });
}

davit_code provide_metadata(const ProviderCall& call, Instances& to, davit_value node) noexcept {
  return provide(call, [&] { return to.metadata(Node(Value(&call.api, node))); });
}

davit_code provide_list(const ProviderCall& call, Routes& to, davit_str cluster) noexcept {
  return provide(call, [&] { return to.list(from_c(cluster)); });
}

davit_code provide_create(const ProviderCall& call, Routes& to, const ProvidedRoute& at) noexcept {
  return provide_route(call, at, [&](const CloudRouteCall& route) { return to.create(route); });
}

davit_code provide_remove(const ProviderCall& call, Routes& to, const ProvidedRoute& at) noexcept {
  return provide_route(call, at, [&](const CloudRouteCall& route) { return to.remove(route); });
}

}  // namespace detail
}  // namespace davit
