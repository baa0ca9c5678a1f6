/// The content of /flagz and /configz of kube-controller-manager v1.36.2 in a run with
/// `--kubeconfig=kc --authentication-kubeconfig=kc --authorization-kubeconfig=kc
/// --secure-port=53371
/// --bind-address=127.0.0.1 --cert-dir=/certs --authentication-tolerate-lookup-failure
/// --controllers=*,-podgc --concurrent_rc_syncs=7`, and the same settings here.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "host/process/pages/flags_in_force.hpp"
#include "lib/base/text_file.hpp"

namespace davit::host {

inline SettingsInForce upstream_settings() {
  SettingsInForce settings;
  Manifest& manifest = settings.manifest;
  manifest.client.kubeconfig = "kc";
  manifest.authentication.kubeconfig = "kc";
  manifest.authentication.tolerate_lookup_failure = true;
  manifest.authorization.kubeconfig = "kc";
  manifest.serving.port = 53371;
  manifest.serving.bind_address = "127.0.0.1";
  manifest.serving.certificate_directory = "/certs";
  manifest.leader_election.name = "kube-controller-manager";
  manifest.controllers = {"*", "-podgc"};
  settings.controllers["replicationcontroller-controller"].workers = 7;
  return settings;
}

inline std::string upstream_file(const std::string& name) {
  const Result<std::string> text = read_text_file(DAVIT_TESTS "/host/process/pages/" + name);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

}  // namespace davit::host
