#include "plugins/certificates/signing_controller.hpp"

#include <chrono>
#include <davit/base64.hpp>
#include <davit/kube/time.hpp>
#include <optional>
#include <string>
#include <utility>

#include "plugins/certificates/issue.hpp"
#include "plugins/certificates/request_rules.hpp"
#include "plugins/certificates/validity.hpp"

namespace davit::certificates {
namespace {

constexpr std::chrono::seconds kPollPeriod{1};

/// A condition Failed that holds (A5.3).
bool has_failed(const SigningRequest& object) {
  for (const Value each : object.conditions().elements()) {
    const std::string_view status = each[&Names::status].string();
    if (each["type"].string() == kFailed && (status.empty() || status == "True")) return true;
  }
  return false;
}

/// A5.1 to A5.4
bool is_to_be_signed(const SigningRequest& object, const Signer& signer) {
  return object.certificate().empty() && object.has_condition(kApproved) &&
         !object.has_condition(kDenied) && !has_failed(object) && object.signer() == signer.name;
}

std::string certificate_patch(const SigningRequest& object, std::string_view pem) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", object.uid());
  out.member("resourceVersion", object.resource_version()).end_object();
  out.key("status").begin_object().member("certificate", encode_base64(pem));
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace

InitResult SigningController::open(Context& cluster) {
  Result<SigningConfiguration> read = read_signing(cluster.config());
  if (!read) return read.error();
  if (read->running.empty()) {
    return cluster.skip("Skipping CSR signer controller because no csr cert/key was specified");
  }
  for (const Signer* each : read->left_out) {
    cluster.log().info(
        "Skipping CSR signer controller because specific files were specified for other signers "
        "and not this one",
        {{"signer", each->name}});
  }
  std::vector<Running> running;
  for (SignerFiles& each : read->running) {
    auto files =
        std::make_unique<CaFiles>(std::move(each.certificate_file), std::move(each.key_file));
    if (Status s = files->open(cluster.now()); !s.ok()) {
      return s.with_context("failed to init " + std::string(each.signer->name) +
                            " certificate controller");
    }
    running.push_back({each.signer, std::move(files)});
  }
  return std::unique_ptr<Controller>(
      std::make_unique<SigningController>(cluster, read->ttl, std::move(running)));
}

SigningController::SigningController(Context& cluster, Duration ttl, std::vector<Running> running)
    : cluster_(cluster),
      ttl_(ttl),
      running_(std::move(running)),
      requests_(cluster.open_informer<SigningRequest>(
          {.any = [this](const Event<SigningRequest>& event) { add(event.current); }})) {
  for (const Running& each : running_) {
    queues_.push_back(
        cluster.open_queue({.name = kQueueName, .base_delay = kFirstBackoff},
                           [this, &each](const Key& key) { return sync(each, key); }));
  }
  cluster.start_timer({.period = kPollPeriod}, [this] { return poll_files(); });
}

void SigningController::add(const SigningRequest& object) const {
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (running_[i].signer->name == object.signer()) queues_[i].add(object);
  }
}

Result<Again> SigningController::poll_files() const {
  for (const Running& each : running_) {
    switch (each.files->poll(cluster_.now())) {
      case CaFiles::Poll::kNothing:
        break;
      case CaFiles::Poll::kLoaded:
        cluster_.log().info("the CA was read again", {{"signer", each.signer->name},
                                                      {"file", each.files->certificate_file()}});
        break;
      case CaFiles::Poll::kKept:
        cluster_.log().error(
            "the CA cannot be read: the last good one stays in use",
            {{"signer", each.signer->name}, {"error", each.files->error().message()}});
        break;
    }
  }
  return Again::after(kPollPeriod);
}

Result<Again> SigningController::sync(const Running& running, const Key& key) const {
  const Lookup<SigningRequest> object = requests_.get(key);
  if (!object || !is_to_be_signed(*object, *running.signer)) return Again::when_changed();
  const Result<CertificateRequest> request = CertificateRequest::parse(object->request());
  if (!request) return request.error().with_context("unable to parse csr \"" + key.name + "\"");
  const std::string why = refusal(running.signer->check, *request, *object);
  if (!why.empty()) {
    if (Status s = fail(*object, why); !s.ok()) {
      return s.with_context("error adding failure condition for csr");
    }
    return Again::when_changed();
  }
  const Result<std::string> pem = make_certificate(*running.files, *request, *object);
  if (!pem) return pem.error().with_context("error auto signing csr");
  const Status written =
      cluster_.client()
          .patch<SigningRequest>(key, PatchType::kMerge, certificate_patch(*object, *pem),
                                 {.subresource = "status", .answer = Answer::kMetadata})
          .error();
  if (!written.ok()) return written.with_context("error updating signature for csr");
  return Again::when_changed();
}

Status SigningController::fail(const SigningRequest& object, std::string_view why) const {
  const std::string now = format_time(cluster_.wall_now());
  return cluster_.client()
      .patch<SigningRequest>(
          object.key(), PatchType::kMerge,
          condition_patch(
              object,
              {.type = kFailed, .reason = "SignerValidationFailure", .message = why, .time = now}),
          {.subresource = "status", .answer = Answer::kMetadata})
      .error();
}

Result<std::string> SigningController::make_certificate(const CaFiles& files,
                                                        const CertificateRequest& request,
                                                        const SigningRequest& object) const {
  const std::shared_ptr<const LoadedCa> ca = files.current();
  if (!ca->error.ok()) return ca->error;
  if (Status s = request.verify(); !s.ok()) {
    return s.with_context("unable to verify certificate request signature");
  }
  std::optional<std::int64_t> requested;
  if (const Value given = object.spec()["expirationSeconds"]; !given.is_absent()) {
    requested = given.integer_or(0);
  }
  const Result<Validity> validity = validity_of({.now = cluster_.wall_now(),
                                                 .ttl = ttl_,
                                                 .requested = requested,
                                                 .ca_not_after = ca->authority.not_after()});
  if (!validity) return validity.error();
  return issue(ca->authority, request, object.usages(), *validity);
}

}  // namespace davit::certificates
