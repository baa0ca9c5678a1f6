/// Clouds: the provider of one, and the loops that use it (davit/cloud.h).
///
/// A provider is a controller that also implements CloudProvider, in a plugin that needs the host's
/// side:
///
///     class MyCloud final : public Controller, public CloudProvider, private LoadBalancers {
///       LoadBalancers* load_balancers() override { return this; }
///       CloudReply ensure(const CloudService& at, std::span<const Node> nodes) override { … }
///     };
///     constexpr void declare(Note& note) {
///       note.plugin("my-cloud", "0.1.0").needs("davit.cloud-host/1")
///           .controller({.name = "my-cloud", .factory = &make<MyCloud>, .off_by_default = true})
///           .watch<Service>({"metadata", "spec"}).watch<Node>({"spec.providerID"});
///     }
#pragma once

#include <davit/cloud.h>

#include <chrono>
#include <cstdint>
#include <davit/cloud_data.hpp>
#include <davit/context.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/service.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// The result of a call of a provider, for both sides.
struct CloudReply {
  Status status{};         ///< kNotFound: it is not there, which is no failure.
  bool exists = false;     ///< LoadBalancers::get and Instances::exists; Instances::shutdown: off.
  bool elsewhere = false;  ///< If ok: it belongs to another system.
  /// After a failure: the time after which the loop asks again; 0: with back-off.
  std::chrono::milliseconds retry_after{0};
  /// The JSON that the function returns, if there is any: a core/v1 LoadBalancerStatus, a
  /// CloudMetadata or a list of CloudRoute.
  std::optional<std::string> text{};

  /// Success of an update() or remove(). From get() it means that there is no load balancer: then
  /// the Service loses its finalizer, and what does exist is leaked.
  [[nodiscard]] static CloudReply done() { return {}; }
  /// Success of a get() or ensure(): it is there, with this status ("{}": without an ingress).
  [[nodiscard]] static CloudReply done(std::string status) {
    return {.exists = true, .text = std::move(status)};
  }
  /// From Instances::exists() and shutdown(): there is a machine; it is switched off.
  [[nodiscard]] static CloudReply yes() { return {.exists = true}; }
  /// Success of Instances::metadata().
  [[nodiscard]] static CloudReply with(const CloudMetadata& facts) {
    return {.text = facts.json()};
  }
  /// Success of Routes::list().
  [[nodiscard]] static CloudReply with(std::span<const CloudRoute> routes) {
    return {.text = routes_json(routes)};
  }
  [[nodiscard]] static CloudReply not_found() {
    return failed(Status(Code::kNotFound, "it does not exist"));
  }
  [[nodiscard]] static CloudReply not_ours() { return {.elsewhere = true}; }
  [[nodiscard]] static CloudReply failed(Status why, std::chrono::milliseconds after = {}) {
    return {.status = std::move(why), .retry_after = after};
  }
};

/// The Service of a call. Borrowed until the call returns.
struct CloudService {
  std::string_view cluster;  ///< The name of the cluster.
  Service service;
};

/// Load balancers for Services. All functions may run at once, never two for one Service; they may
/// wait, and should end soon when Context::call() is cancelled.
class LoadBalancers {
 public:
  LoadBalancers() = default;
  LoadBalancers(const LoadBalancers&) = delete;
  LoadBalancers& operator=(const LoadBalancers&) = delete;

  /// Whether the Service has one, with its status: done(status) or not_found(). done() means that
  /// there is none. After a failure the Service keeps its finalizer.
  [[nodiscard]] virtual CloudReply get(const CloudService& at) = 0;
  /// Makes it, or brings it to what the Service asks for. Idempotent; returns its status.
  [[nodiscard]] virtual CloudReply ensure(const CloudService& at, std::span<const Node> nodes) = 0;
  /// The Nodes alone have changed.
  [[nodiscard]] virtual CloudReply update(const CloudService& at, std::span<const Node> nodes) = 0;
  /// Ok if there is none.
  [[nodiscard]] virtual CloudReply remove(const CloudService& at) = 0;

 protected:
  ~LoadBalancers() = default;
};

/// The machines of Nodes. The rules are those of LoadBalancers; never two calls for one Node.
class Instances {
 public:
  Instances() = default;
  Instances(const Instances&) = delete;
  Instances& operator=(const Instances&) = delete;

  /// Whether the machine exists: yes(), also if it is off, or not_found(), after which a Node that
  /// is not Ready is deleted. If that is not certain: failed() with Code::kUnavailable.
  [[nodiscard]] virtual CloudReply exists(const Node& node) = 0;
  /// Whether it is switched off: yes(), or done().
  [[nodiscard]] virtual CloudReply shutdown(const Node& node) = 0;
  /// Its facts: with(); done(): not known yet.
  [[nodiscard]] virtual CloudReply metadata(const Node& node) = 0;

 protected:
  ~Instances() = default;
};

/// A call about one route. Borrowed until the call returns.
struct CloudRouteCall {
  std::string_view cluster;    ///< The name of the cluster.
  std::string_view name_hint;  ///< Routes::create: unique to the Node.
  CloudRoute route;
};

/// Routes to the pods of Nodes. The rules are those of LoadBalancers; many calls run at once.
class Routes {
 public:
  Routes() = default;
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;

  /// All routes, also those of others: with(). The destination is the text that create() was given.
  [[nodiscard]] virtual CloudReply list(std::string_view cluster) = 0;
  [[nodiscard]] virtual CloudReply create(const CloudRouteCall& at) = 0;
  /// The route is one that list() has returned. Ok if there is none.
  [[nodiscard]] virtual CloudReply remove(const CloudRouteCall& at) = 0;

 protected:
  ~Routes() = default;
};

/// The other base of a controller that provides a cloud. Each part is asked for once, after the
/// controller was made, and lives as long as it; null: it is not offered.
class CloudProvider {
 public:
  CloudProvider() = default;
  CloudProvider(const CloudProvider&) = delete;
  CloudProvider& operator=(const CloudProvider&) = delete;
  virtual ~CloudProvider();

  [[nodiscard]] virtual LoadBalancers* load_balancers() { return nullptr; }
  [[nodiscard]] virtual Instances* instances() { return nullptr; }
  [[nodiscard]] virtual Routes* routes() { return nullptr; }
  /// The Services for which the load balancers are. Asked for once, after the parts.
  [[nodiscard]] virtual LoadBalancerClasses classes() const { return {}; }
};

/// The host as a provider reaches it. Made in the controller's constructor.
class CloudHost {
 public:
  explicit CloudHost(const Context& context);

  /// The loop of Services looks again at one of them, or, with an empty name, at all.
  void services_again(const Key& service) const;
  /// The loops of machines look again at a Node, or, with an empty name, at all.
  void nodes_again(std::string_view name) const;
  /// The loop of routes makes a pass.
  void routes_again() const;

 private:
  void again(std::uint32_t part, std::string_view key) const;

  const Api* api_;
  const davit_cloud_host_v1* table_;  // Null on a host without it.
};

/// The provider as a loop reaches it. Made in the controller's constructor or factory; a handle.
class Cloud {
 public:
  /// `cluster`: the name of the cluster, which every call has.
  Cloud(const Context& context, std::string cluster);

  /// The provider as the loops know it.
  struct Offer {
    std::uint32_t parts = 0;        ///< DAVIT_CLOUD_*, as bits.
    std::uint64_t generation = 0;   ///< Rises with each build or instance that takes over.
    bool is_ready = false;          ///< Whether it can be called now.
    LoadBalancerClasses classes{};  ///< The Services for which its load balancers are.
  };
  /// Nothing: there is no provider.
  [[nodiscard]] std::optional<Offer> offer() const;
  /// Adds the provider's requests to `queue`; only in the controller's constructor.
  void follow(std::uint32_t part, const Queue& queue) const;

  [[nodiscard]] CloudReply get_load_balancer(const Service& service) const;
  [[nodiscard]] CloudReply ensure_load_balancer(const Service& service,
                                                std::span<const Node> nodes) const;
  [[nodiscard]] CloudReply update_load_balancer(const Service& service,
                                                std::span<const Node> nodes) const;
  [[nodiscard]] CloudReply remove_load_balancer(const Service& service) const;

  [[nodiscard]] CloudReply exists(const Node& node) const;
  [[nodiscard]] CloudReply shutdown(const Node& node) const;
  [[nodiscard]] CloudReply metadata(const Node& node) const;

  [[nodiscard]] CloudReply list_routes() const;
  [[nodiscard]] CloudReply create_route(std::string_view name_hint, const CloudRoute& route) const;
  [[nodiscard]] CloudReply remove_route(const CloudRoute& route) const;

 private:
  template <typename Function>
  [[nodiscard]] CloudReply ask(const Function& function) const;

  const Api* api_;
  std::string cluster_;
  davit_cloud_v1 table_{};  // All null on a host without it.
};

namespace detail {

/// The table of a capability that Api does not have; null: the host lacks it. For constructors and
/// factories of controllers only, where it asks the context of the InitFunc.
[[nodiscard]] const void* opening_capability(const Context& context, std::string_view id);

/// A call of the host into a provider.
struct ProviderCall {
  const Api& api;
  const davit_call* call;
  davit_cloud_answer* answer;
  const davit_sink* text = nullptr;  ///< Null: the function has none.
};
/// The arguments that the functions of load balancers share.
struct ProvidedService {
  davit_str cluster;
  davit_value service;
};
/// Those of routes.
struct ProvidedRoute {
  davit_str cluster;
  davit_str name_hint;
  davit_str route;
};
// The functions of davit_load_balancers, davit_instances and davit_routes, for the instance of a
// controller.
davit_code provide_get(const ProviderCall& call, LoadBalancers& to,
                       const ProvidedService& at) noexcept;
davit_code provide_ensure(const ProviderCall& call, LoadBalancers& to, const ProvidedService& at,
                          const davit_list* nodes) noexcept;
davit_code provide_update(const ProviderCall& call, LoadBalancers& to, const ProvidedService& at,
                          const davit_list* nodes) noexcept;
davit_code provide_remove(const ProviderCall& call, LoadBalancers& to,
                          const ProvidedService& at) noexcept;
davit_code provide_exists(const ProviderCall& call, Instances& to, davit_value node) noexcept;
davit_code provide_shutdown(const ProviderCall& call, Instances& to, davit_value node) noexcept;
davit_code provide_metadata(const ProviderCall& call, Instances& to, davit_value node) noexcept;
davit_code provide_list(const ProviderCall& call, Routes& to, davit_str cluster) noexcept;
davit_code provide_create(const ProviderCall& call, Routes& to, const ProvidedRoute& at) noexcept;
davit_code provide_remove(const ProviderCall& call, Routes& to, const ProvidedRoute& at) noexcept;

}  // namespace detail
}  // namespace davit
