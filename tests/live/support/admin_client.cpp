#include "tests/live/support/admin_client.hpp"

#include "host/api/connect.hpp"
#include "host/api/rest_client.hpp"
#include "host/config/kubeconfig.hpp"
#include "lib/base/spdlog_sink.hpp"
#include "tests/live/support/process.hpp"

namespace davit::live {

struct AdminClient::Parts {
  std::unique_ptr<Clock> clock = make_system_clock();
  std::unique_ptr<LogSink> sink = make_log_sink(LogFormat::kText, 0);
  host::NoRestMetrics metrics;
  std::unique_ptr<Transport> transport;
  std::unique_ptr<host::RestClient> client;
};

AdminClient::AdminClient(const std::string& kubeconfig) : parts_(std::make_unique<Parts>()) {
  host::KubeconfigOptions lookup;
  lookup.kubeconfig = kubeconfig;
  lookup.environment = host::process_environment();
  const Result<host::ConnectionConfig> config = host::load_connection(lookup);
  if (!config) give_up(config.error().message());
  const Logger log(*parts_->sink);
  auto transport = host::connect(*config, *parts_->clock, parts_->metrics, log);
  if (!transport) give_up(transport.error().message());
  parts_->transport = std::move(*transport);
  parts_->client = std::make_unique<host::RestClient>(
      *parts_->transport, *parts_->clock, parts_->metrics, log,
      host::RestOptions{.rate = {-1, 1}, .user_agent = host::user_agent("live-test")});
}

AdminClient::~AdminClient() = default;

host::RestClient& AdminClient::client() const { return *parts_->client; }

}  // namespace davit::live
