/// ServerConnection: what a command that sends requests needs.
#pragma once

#include <davit/result.hpp>
#include <memory>
#include <string>

#include "host/api/connect.hpp"
#include "host/config/kubeconfig.hpp"
#include "host/process/run_settings.hpp"
#include "host/transport/rest_metrics.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/spdlog_sink.hpp"

namespace davit::host {

/// Filled by open(); a RestClient borrows its members.
struct ServerConnection {
  std::unique_ptr<Clock> clock = make_system_clock();
  std::unique_ptr<LogSink> sink;
  NoRestMetrics metrics;
  std::unique_ptr<Transport> transport;

  ServerConnection() = default;

  /// Finds the server as kubectl does; empty `kubeconfig`: from the environment. Sends nothing.
  [[nodiscard]] Status open(const std::string& kubeconfig, int verbosity) {
    const Result<ConnectionConfig> config = load_connection(lookup_of(kubeconfig));
    return config ? open(*config, verbosity) : config.error();
  }
  /// The same for a server that was found before.
  [[nodiscard]] Status open(const ConnectionConfig& config, int verbosity) {
    sink = make_log_sink(LogFormat::kText, verbosity);
    Result<std::unique_ptr<Transport>> made = connect(config, *clock, metrics, Logger(*sink));
    if (!made) return made.error();
    transport = std::move(*made);
    return {};
  }
};

}  // namespace davit::host
