#include "tests/live/support/admin_client.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

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

Result<std::unique_ptr<AdminClient::Parts>> AdminClient::connect(const std::string& kubeconfig) {
  auto parts = std::make_unique<Parts>();
  host::KubeconfigOptions lookup;
  lookup.kubeconfig = kubeconfig;
  lookup.environment = host::process_environment();
  const Result<host::ConnectionConfig> config = host::load_connection(lookup);
  if (!config) return config.error();
  const Logger log(*parts->sink);
  auto transport = host::connect(*config, *parts->clock, parts->metrics, log);
  if (!transport) return transport.error();
  parts->transport = std::move(*transport);
  parts->client = std::make_unique<host::RestClient>(
      *parts->transport, *parts->clock, parts->metrics, log,
      host::RestOptions{.rate = {-1, 1}, .user_agent = host::user_agent("live-test")});
  return parts;
}

AdminClient::AdminClient(const std::string& kubeconfig) {
  auto parts = connect(kubeconfig);
  if (!parts) give_up(parts.error().message());
  parts_ = std::move(*parts);
}

bool AdminClient::is_served(const std::string& kubeconfig,
                            std::initializer_list<const char*> paths) {
  const auto parts = connect(kubeconfig);
  return parts && std::ranges::all_of(paths, [&parts](const char* path) {
           host::ApiRequest request;
           request.raw_path = path;
           request.accept = "*/*";
           request.timeout = std::chrono::seconds(5);
           return (*parts)->client->call(request).status.ok();
         });
}

AdminClient::~AdminClient() = default;

host::RestClient& AdminClient::client() const { return *parts_->client; }

}  // namespace davit::live
