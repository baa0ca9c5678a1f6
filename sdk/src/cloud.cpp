#include <algorithm>
#include <davit/cloud.hpp>
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

/// Runs `function(service)` of a provider and passes its reply on; without a sink its text is not
/// asked for.
template <typename Function>
davit_code provide(const detail::ProviderCall& at, const davit_sink* sink,
                   const Function& function) noexcept {
  return detail::guarded(at.api, at.call, [&]() -> Status {
    const CloudService service{from_c(at.cluster), Service(Value(&at.api, at.service))};
    CloudReply reply = function(service);
    at.answer->exists = reply.exists ? 1 : 0;
    at.answer->elsewhere = reply.elsewhere ? 1 : 0;
    at.answer->retry_after_ms =
        static_cast<std::uint64_t>(std::max<std::int64_t>(reply.retry_after.count(), 0));
    if (!reply.status.ok() || !reply.text || sink == nullptr) return reply.status;
    const davit_code code = sink->write(sink->self, to_c(*reply.text));
    return code == DAVIT_OK ? Status() : Status(from_c(code), "the host takes no more text");
  });
}

}  // namespace

CloudProvider::~CloudProvider() = default;

CloudHost::CloudHost(const Context& context)
    : api_(&context.api()),
      table_(static_cast<const davit_cloud_host_v1*>(
          detail::opening_capability(context, "davit.cloud-host/1"))) {}

void CloudHost::services_again(const Key& key) const {
  if (table_ == nullptr) return;
  const std::string text = key.text();
  static_cast<void>(table_->again(api_->call(), DAVIT_CLOUD_LOAD_BALANCERS, to_c(text)));
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
  return Offer{raw.parts, raw.generation, raw.is_ready != 0};
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

namespace detail {

davit_code provide_get(const ProviderCall& call, const davit_sink* status) noexcept {
  return provide(call, status, [&](const CloudService& at) { return call.to.get(at); });
}

davit_code provide_ensure(const ProviderCall& call, const davit_list* nodes,
                          const davit_sink* status) noexcept {
  return provide(call, status, [&](const CloudService& at) {
    return call.to.ensure(at, nodes_of(call.api, nodes));
  });
}

davit_code provide_update(const ProviderCall& call, const davit_list* nodes) noexcept {
  return provide(call, nullptr, [&](const CloudService& at) {
    return call.to.update(at, nodes_of(call.api, nodes));
  });
}

davit_code provide_remove(const ProviderCall& call) noexcept {
  return provide(call, nullptr, [&](const CloudService& at) { return call.to.remove(at); });
}

}  // namespace detail
}  // namespace davit
