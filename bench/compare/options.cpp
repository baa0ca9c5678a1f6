#include "bench/compare/options.hpp"

#include <algorithm>
#include <davit/kube/duration.hpp>

#include "bench/flags.hpp"

namespace davit::bench {
namespace {

std::string known_rounds() {
  std::string out;
  for (const std::string_view round : kRounds) {
    out += (out.empty() ? "" : ", ") + std::string(round);
  }
  return out;
}

Status read_rounds(std::string_view list, Options& options) {
  options.rounds.clear();
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view round = list.substr(0, comma);
    if (std::find(std::begin(kRounds), std::end(kRounds), round) == std::end(kRounds)) {
      return {Code::kInvalid, "--rounds: there is no round \"" + std::string(round) +
                                  "\"; give a list with commas of " + known_rounds()};
    }
    options.rounds.emplace(round);
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}

Status read_chart(std::string_view file, Options& options) {
  if (file.empty()) return {Code::kInvalid, "--chart needs a file name"};
  options.chart = file;
  return {};
}

Status read_delays(std::string_view text, Options& options) {
  if (text != "yes" && text != "no") {
    return {Code::kInvalid, "--delays must be yes or no, not \"" + std::string(text) + "\""};
  }
  options.delays = text == "yes";
  return {};
}

Status read_write_window(std::string_view text, Options& options) {
  if (!parse_duration(text)) {
    return {Code::kInvalid,
            "--write-window must be a duration such as 100ms, not \"" + std::string(text) + "\""};
  }
  options.write_window = text;
  return {};
}

}  // namespace

Result<Options> parse_options(std::span<const std::string_view> arguments) {
  Options options;
  const NumberFlag numbers[] = {
      {"--repeat", &options.repeat, 100},
      {"--pods", &options.pods, 1000000},
      {"--nodes", &options.nodes, 100000},
      {"--deployments", &options.deployments, 100000},
      {"--replicas", &options.replicas, 100000},
      {"--services", &options.services, 5000},
      {"--backends", &options.backends, 1000},
      {"--watched-nodes", &options.watched_nodes, 100000},
      {"--jobs", &options.jobs, 100000},
      {"--job-pods", &options.job_pods, 10000},
      {"--daemon-sets", &options.daemon_sets, 1000},
      {"--daemon-nodes", &options.daemon_nodes, 5000},
      {"--stateful-sets", &options.stateful_sets, 10000},
      {"--stateful-replicas", &options.stateful_replicas, 1000},
      {"--autoscalers", &options.autoscalers, 5000},
      {"--autoscaled-pods", &options.autoscaled_pods, 100000},
      {"--autoscaler-seconds", &options.autoscaler_seconds, 3600},
      {"--claims", &options.claims, 100000},
      {"--volume-pods", &options.volume_pods, 10000},
      {"--volume-nodes", &options.volume_nodes, 1000},
      {"--device-pods", &options.device_pods, 100000},
      {"--kinds", &options.kinds, 5000},
      {"--qps", &options.qps, 1000000},
  };
  const auto into = [&options](Status (*read)(std::string_view, Options&)) {
    return [&options, read](std::string_view value) { return read(value, options); };
  };
  const TextFlag texts[] = {{"--rounds", into(read_rounds)},
                            {"--chart", into(read_chart)},
                            {"--write-window", into(read_write_window)},
                            {"--delays", into(read_delays)}};
  const Status read = read_flags(arguments, numbers, texts);
  if (!read.ok()) return read;
  return options;
}

}  // namespace davit::bench
