#include "host/trace/tracing.hpp"

#include <unistd.h>

#include <array>
#include <utility>

#include "host/api/rest_client.hpp"
#include "lib/base/version.hpp"

namespace davit::host {
namespace {

/// A receiver that is down for hours is worth a line from time to time.
constexpr Duration kWarnInterval = std::chrono::minutes(1);
/// The response has a number and a sentence.
constexpr std::size_t kResponseBytesMax = 64 * 1024;

TracingConfig with_process(TracingConfig config) {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0)
    config.resource.emplace("host.name", name.data());
  config.resource.emplace("process.pid", std::to_string(getpid()));
  config.resource.emplace("service.version", kVersion);
  return config;
}

OutboundOptions client_options(const TracingConfig& config, const TracingSeams& seams,
                               const OutboundUrl& url) {
  return {.controller = "tracing",
          .user_agent = user_agent("tracing"),
          .hosts = {DeclaredHost{url.scheme, url.host, url.port}},
          .roots = config.certificate_authority,
          .connect = seams.connect};
}

OutboundRequest export_request(const TracingConfig& config, const OutboundUrl& url) {
  OutboundRequest request;
  request.method = "POST";
  request.url = url;
  request.headers = {{"Content-Type", "application/json"}};
  request.headers.insert(request.headers.end(), config.headers.begin(), config.headers.end());
  request.timeout = config.timeout;
  request.response_bytes_max = kResponseBytesMax;
  // Spans have ids, so a receiver knows those that it gets twice.
  request.retry = OutboundRequest::Retry::kAlways;
  return request;
}

}  // namespace

Result<std::unique_ptr<Tracing>> Tracing::open(const TracingConfig& config,
                                               const TracingSeams& seams) {
  Result<OutboundUrl> url = OutboundUrl::parse(config.endpoint);
  if (!url) return url.error().with_context("the endpoint of tracing");
  if (Status s = check_outbound(export_request(config, *url)); !s.ok()) {
    return s.with_context("exports of spans");
  }
  auto tracing = std::make_unique<Tracing>(config, seams, *std::move(url));
  if (Status s = tracing->client_.check_roots(); !s.ok()) {
    return s.with_context("the certificate authority of tracing");
  }
  if (seams.threads == Threads::kNone) return tracing;
  {
    MutexLock lock(tracing->mutex_);
    tracing->has_ended_ = false;
  }
  if (start_thread(tracing->thread_, "tracing", [self = tracing.get()] { self->run(); })) {
    return tracing;
  }
  {
    MutexLock lock(tracing->mutex_);
    tracing->has_ended_ = true;
  }
  return Status(Code::kUnavailable, "the system has no thread for the export of spans");
}

Tracing::Tracing(const TracingConfig& config, const TracingSeams& seams, OutboundUrl url)
    : config_(with_process(config)),
      url_(std::move(url)),
      clock_(seams.clock),
      metrics_(seams.metrics),
      log_(seams.log.named("tracing")),
      tracer_(
          seams.clock, seams.random, seams.metrics,
          {.sampled_per_million = config.sampling_rate_per_million, .spans_max = config.queue_max}),
      client_(seams.clock, no_metrics_, log_, client_options(config, seams, url_)) {}

Tracing::~Tracing() { stop(clock_.now()); }

void Tracing::stop(Time deadline) {
  stop_.request_stop();
  {
    MutexLock lock(mutex_);
    while (!has_ended_ && clock_.now() < deadline) clock_.wait_until(ended_, mutex_, deadline);
  }
  abort_.request_stop();
  if (thread_.joinable()) thread_.join();
  const std::size_t left = tracer_.take(config_.queue_max).size();
  if (left > 0) metrics_.spans_dropped("stopped", left);
}

void Tracing::run() {
  const std::stop_token stop = stop_.get_token();
  while (export_batch(stop) > 0 || !stop.stop_requested()) {
    if (abort_.stop_requested()) break;
  }
  MutexLock lock(mutex_);
  has_ended_ = true;
  ended_.notify_all();
}

std::size_t Tracing::export_batch(const std::stop_token& stop) {
  // After a failure the full time, even if the queue is full: the receiver needs a pause.
  const std::size_t enough = failing_ ? config_.queue_max + 1 : config_.batch_max;
  tracer_.await(enough, clock_.now() + config_.interval, stop);
  const std::vector<Span> spans = tracer_.take(config_.batch_max);
  if (spans.empty()) {
    client_.close_idle();
  } else {
    send(spans);
  }
  return spans.size();
}

void Tracing::send(const std::vector<Span>& spans) {
  constexpr int kSuccess = 2;
  constexpr int kClass = 100;
  OutboundRequest request = export_request(config_, url_);
  request.body = otlp_json(config_.resource, spans);
  std::vector<OutboundRequest> requests;
  requests.push_back(std::move(request));
  const std::vector<OutboundResponse> responses =
      client_.batch(std::move(requests), abort_.get_token());
  const OutboundResponse& response = responses.front();
  if (!response.status.ok() || response.http_status / kClass != kSuccess) {
    return note_failure(response.status.ok() ? "HTTP " + std::to_string(response.http_status)
                                             : response.status.message(),
                        spans.size());
  }
  const PartialSuccess part = partial_success(response.body, spans.size());
  metrics_.spans_exported(spans.size() - part.rejected);
  if (part.rejected > 0) {
    metrics_.spans_dropped("rejected", part.rejected);
    if (clock_.now() >= warn_at_) {
      warn_at_ = clock_.now() + kWarnInterval;
      log_.warning("The receiver rejected spans",
                   {{"endpoint", url_.shown()}, {"spans", part.rejected}, {"err", part.message}});
    }
  }
  if (std::exchange(failing_, false)) {
    log_.info(0, "Spans are exported again", {{"endpoint", url_.shown()}});
  }
}

void Tracing::note_failure(const std::string& why, std::size_t spans) {
  metrics_.spans_dropped("export_failed", spans);
  const bool is_new = !std::exchange(failing_, true);
  if (abort_.stop_requested() || (!is_new && clock_.now() < warn_at_)) return;
  warn_at_ = clock_.now() + kWarnInterval;
  log_.warning("Cannot export spans: they are dropped",
               {{"endpoint", url_.shown()}, {"spans", spans}, {"err", why}});
}

}  // namespace davit::host
