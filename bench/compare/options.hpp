/// The command line of davit_compare.
#pragma once

#include <davit/result.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace davit::bench {

/// The rounds in the order in which they run.
inline constexpr std::string_view kRounds[] = {
    "start",   "fill",      "rollout",  "whole",       "services", "nodes",
    "jobs",    "daemons",   "ordinals", "autoscalers", "cidrs",    "claims",
    "volumes", "addresses", "devices",  "kinds",       "empty"};

struct Options {
  std::set<std::string, std::less<>> rounds = {std::begin(kRounds), std::end(kRounds)};
  std::string chart = {};         ///< File for the ratios as SVG; "": none.
  std::string write_window = {};  ///< "0s" for davit's controllers; "": their default.
  bool delays = false;            ///< Measures from change to write, which costs the servers CPU.
  int repeat = 3;                 ///< Times that each peer runs each round.
  int pods = 20000;
  int nodes = 1000;
  int deployments = 100;
  int replicas = 10;
  int services = 500;
  int backends = 20;         ///< Pods of each Service.
  int watched_nodes = 5000;  ///< In the rounds of nodes and of their CIDRs.
  int jobs = 500;
  int job_pods = 10;
  int daemon_sets = 50;
  int daemon_nodes = 200;
  int stateful_sets = 100;
  int stateful_replicas = 5;
  int autoscalers = 500;
  int autoscaled_pods = 5000;    ///< All of them together have so many.
  int autoscaler_seconds = 300;  ///< That are measured.
  int claims = 2000;
  int volume_pods = 500;  ///< With two volumes each.
  int volume_nodes = 50;
  int device_pods = 1000;  ///< With a claim of a device each.
  int kinds = 400;
  int qps = 1000;
};

/// `arguments` without the program's name. kInvalid names the argument and what it may be.
[[nodiscard]] Result<Options> parse_options(std::span<const std::string_view> arguments);

}  // namespace davit::bench
