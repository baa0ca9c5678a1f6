/// The shared state of an ApiServer's parts. Internal to sandbox/server.
#pragma once

#include <memory>

#include "lib/base/uuid.hpp"
#include "sandbox/admission/cluster_addresses.hpp"
#include "sandbox/auth/authenticator.hpp"
#include "sandbox/auth/rbac.hpp"
#include "sandbox/policy/mutating_policies.hpp"
#include "sandbox/policy/policies.hpp"
#include "sandbox/rest/rest_parts.hpp"
#include "sandbox/server/api_server.hpp"
#include "sandbox/server/definitions.hpp"
#include "sandbox/server/documents.hpp"
#include "sandbox/server/hook_converter.hpp"
#include "sandbox/server/request_metrics.hpp"
#include "sandbox/server/request_threads.hpp"
#include "sandbox/webhook/webhooks.hpp"

namespace davit::sandbox {

/// Fixed after construction, except members that synchronize themselves.
struct ApiServer::State {
  State(ApiServerParts given, ApiServerOptions chosen, std::unique_ptr<ObjectLookup> objects,
        std::unique_ptr<Admission> chain)
      : outer(std::move(given)),
        tokens(outer.store, outer.clock, random_uuid(outer.random)),
        admin(make_fixed_authenticator(admin_identity())),
        permissive(make_permissive_authorizer()),
        writes_policy(chosen.authorizer != nullptr),
        knows_requesters(chosen.authenticator != nullptr),
        options(completed(std::move(chosen))),
        lookup(std::move(objects)),
        admission(std::move(chain)),
        resources(
            served_at_first(options.kind_gates, served_families(options.admission.service_range))),
        definitions(
            outer.store, outer.clock, outer.random, resources, *admission,
            options.webhooks == nullptr ? ConversionHooks::kNotCalled : ConversionHooks::kCalled),
        converter(converter_of(options, outer, threads)),
        policies(outer.store, resources),
        mutations(outer.store, resources),
        webhooks({outer.store, resources, outer.clock, outer.random, options.webhooks}),
        documents(options.advertise_address + ':' + std::to_string(options.advertise_port)),
        rest{outer.store, outer.clock, outer.random,   resources,
             *admission,  definitions, converter.get()} {}

  static UserInfo admin_identity() {
    UserInfo admin;
    admin.name = "system:admin";
    admin.groups = {std::string(kMastersGroup), std::string(kAuthenticatedGroup)};
    return admin;
  }
  /// Sets defaults for omitted members, so that other code need not check for null.
  ApiServerOptions completed(ApiServerOptions chosen) const {
    if (chosen.authenticator == nullptr) chosen.authenticator = admin.get();
    if (chosen.authorizer == nullptr) chosen.authorizer = permissive.get();
    if (chosen.tokens == nullptr) chosen.tokens = &tokens;
    return chosen;
  }

  /// Null: no webhook is called.
  static std::unique_ptr<HookConverter> converter_of(const ApiServerOptions& options,
                                                     const ApiServerParts& parts,
                                                     RequestThreads& threads) {
    if (options.webhooks == nullptr) return nullptr;
    const bool is_caller = options.hook_thread == ApiServerOptions::HookThread::kCaller;
    return std::make_unique<HookConverter>(
        ConversionParts{parts.store, parts.clock, parts.random, *options.webhooks}, threads,
        is_caller ? HookConverter::WorkThread::kCaller : HookConverter::WorkThread::kOwn);
  }

  const ApiServerParts outer;
  const ServiceAccountTokens tokens;
  const std::unique_ptr<Authenticator> admin;
  const std::unique_ptr<Authorizer> permissive;
  const bool writes_policy;  // False where permissive may do everything, so roles are not needed.
  const bool knows_requesters;
  const ApiServerOptions options;
  const std::unique_ptr<ObjectLookup> lookup;
  const std::unique_ptr<Admission> admission;
  Resources resources;
  Definitions definitions;
  const std::unique_ptr<HookConverter> converter;  // Null: no webhook is called.
  Policies policies;
  MutatingPolicies mutations;
  Webhooks webhooks;
  Documents documents;
  const RestParts rest;
  RequestMetrics metrics;
  RequestThreads threads;  // Last: they use all of the above.
};

}  // namespace davit::sandbox
