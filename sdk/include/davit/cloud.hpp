/// Clouds: the provider of one, and the loops that use it (davit/cloud.h).
///
/// A provider is a controller that is a CloudProvider, too, in a plugin that needs the host's side:
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
  bool exists = false;     ///< LoadBalancers::get, if ok.
  bool elsewhere = false;  ///< If ok: it belongs to somebody else.
  /// After a failure: the time after which the loop asks again; 0: with back-off.
  std::chrono::milliseconds retry_after{0};
  std::optional<std::string> text{};  ///< A core/v1 LoadBalancerStatus in JSON, if there is one.

  /// Success of an update() or remove(). From get() it means that there is no load balancer: then
  /// the Service loses its finalizer, and what does exist is leaked.
  [[nodiscard]] static CloudReply done() { return {}; }
  /// Success of a get() or ensure(): it is there, with this status ("{}": without an ingress).
  [[nodiscard]] static CloudReply done(std::string status) {
    return {.exists = true, .text = std::move(status)};
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

/// The other base of a controller that provides a cloud.
class CloudProvider {
 public:
  CloudProvider() = default;
  CloudProvider(const CloudProvider&) = delete;
  CloudProvider& operator=(const CloudProvider&) = delete;
  virtual ~CloudProvider();

  /// Null: not offered. Asked once, after the controller was made; lives as long as it.
  [[nodiscard]] virtual LoadBalancers* load_balancers() { return nullptr; }
};

/// The host as a provider reaches it. Made in the controller's constructor.
class CloudHost {
 public:
  explicit CloudHost(const Context& context);

  /// The loop of Services looks again at one of them, or, with an empty name, at all.
  void services_again(const Key& service) const;

 private:
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
    std::uint32_t parts = 0;       ///< DAVIT_CLOUD_*, as bits.
    std::uint64_t generation = 0;  ///< Rises with each build or instance that takes over.
    bool is_ready = false;         ///< Whether it can be called now.
  };
  /// Nothing: there is no provider.
  [[nodiscard]] std::optional<Offer> offer() const;
  /// Adds what the provider wants looked at to `queue`; only while the controller is made.
  void follow(std::uint32_t part, const Queue& queue) const;

  [[nodiscard]] CloudReply get_load_balancer(const Service& service) const;
  [[nodiscard]] CloudReply ensure_load_balancer(const Service& service,
                                                std::span<const Node> nodes) const;
  [[nodiscard]] CloudReply update_load_balancer(const Service& service,
                                                std::span<const Node> nodes) const;
  [[nodiscard]] CloudReply remove_load_balancer(const Service& service) const;

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
  LoadBalancers& to;
  const davit_call* call;
  davit_str cluster;
  davit_value service;
  davit_cloud_answer* answer;
};
// The functions of davit_load_balancers, for the instance of a controller.
davit_code provide_get(const ProviderCall& call, const davit_sink* status) noexcept;
davit_code provide_ensure(const ProviderCall& call, const davit_list* nodes,
                          const davit_sink* status) noexcept;
davit_code provide_update(const ProviderCall& call, const davit_list* nodes) noexcept;
davit_code provide_remove(const ProviderCall& call) noexcept;

}  // namespace detail
}  // namespace davit
