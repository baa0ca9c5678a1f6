#include "host/config/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

const std::string kHead = "apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n";

std::vector<std::string> mistakes(const std::string& text) {
  std::vector<std::string> out;
  for (const Mistake& mistake : parse_manifest(text, "m.yaml").mistakes) {
    out.push_back(mistake.str());
  }
  return out;
}

TEST(ManifestTest, TheSmallestManifestHasTheDefaults) {
  const ManifestResult result = parse_manifest(kHead, "/etc/davit/m.yaml");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.manifest.client.qps, 20);
  EXPECT_EQ(result.manifest.client.content_type, kContentTypeProtobuf);
  EXPECT_EQ(result.manifest.leader_election.name, "davit");
  EXPECT_EQ(result.manifest.health.port, -1);
  EXPECT_EQ(secure_port(result.manifest), 10257);
  EXPECT_THAT(result.manifest.controllers, ElementsAre("*"));
  EXPECT_FALSE(result.manifest.plugins) << "no list of plugins is not an empty list";
}

TEST(ManifestTest, EverythingThatCanBeSaidIsRead) {
  const ManifestResult result = parse_manifest(kHead + R"(
client: {kubeconfig: conf/k, master: "https://m:6443", qps: 50.5, burst: 100,
  contentType: application/json, useServiceAccountCredentials: true,
  userAgent: kcm/v1 (linux/amd64), fieldManager: kcm}
leaderElection: {enabled: false, name: x.y, namespace: ns, leaseDuration: 30s, renewDeadline: 20s,
  retryPeriod: 1500ms}
health: {bindAddress: "::1", port: 0}
logging: {verbosity: 4, format: json}
tracing: {endpoint: "http://c:4318", samplingRatePerMillion: 100, headers: {api-key: k},
  certificateAuthority: ca.pem}
journal: {bytes: 1048576}
controllers: ["*", -deployment]
controllerStartInterval: 100ms
controllerShutdownTimeout: 1m
dryRun: true
pluginDirectories: [plugins, /opt/plugins]
plugins:
- name: replicaset
  sha256: 0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef
  controllers:
    replicaset-controller: {workers: 10, enabled: true, config: {a: [1, "2", 010]}}
    replicaset:
- path: ../other.so
  enabled: false
)",
                                               "/etc/davit/m.yaml");
  for (const Mistake& mistake : result.mistakes) ADD_FAILURE() << mistake.str();
  const Manifest& manifest = result.manifest;
  EXPECT_EQ(manifest.client.kubeconfig, "/etc/davit/conf/k");
  EXPECT_EQ(manifest.client.qps, 50.5);
  EXPECT_EQ(manifest.client.content_type, kContentTypeJson);
  EXPECT_TRUE(manifest.client.service_account_credentials);
  EXPECT_EQ(manifest.client.user_agent, "kcm/v1 (linux/amd64)");
  EXPECT_EQ(manifest.client.field_manager, "kcm");
  EXPECT_EQ(manifest.leader_election.retry_period, std::chrono::milliseconds(1500));
  EXPECT_EQ(manifest.health.bind_address, "::1");
  EXPECT_EQ(manifest.logging.format, LogFormat::kJson);
  EXPECT_EQ(manifest.tracing.endpoint, "http://c:4318");
  EXPECT_EQ(manifest.tracing.sampling_rate_per_million, 100U);
  EXPECT_THAT(manifest.tracing.headers, ElementsAre(testing::Pair("api-key", "k")));
  EXPECT_EQ(manifest.tracing.certificate_authority, "/etc/davit/ca.pem");
  EXPECT_EQ(manifest.journal.bytes, 1048576);
  EXPECT_THAT(manifest.controllers, ElementsAre("*", "-deployment"));
  EXPECT_EQ(manifest.controller_shutdown_timeout, seconds(60));
  EXPECT_TRUE(manifest.dry_run);
  EXPECT_THAT(manifest.plugin_directories, ElementsAre("/etc/davit/plugins", "/opt/plugins"));
  ASSERT_EQ(manifest.plugins->size(), 2U);
  const PluginSettings& plugin = manifest.plugins->at(0);
  EXPECT_EQ(plugin.sha256, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
  const ControllerSettings& controller = plugin.controllers.at("replicaset-controller");
  EXPECT_EQ(controller.workers, 10U);
  EXPECT_EQ(controller.enabled, true);
  EXPECT_EQ(controller.config, R"({"a":[1,"2",10]})");
  EXPECT_EQ(plugin.controllers.at("replicaset").enabled, std::nullopt);
  EXPECT_EQ(manifest.plugins->at(1).path, "/etc/other.so");
  EXPECT_FALSE(manifest.plugins->at(1).enabled);
}

struct MistakeCase {
  const char* text;
  const char* want;
};

constexpr MistakeCase kMistakeCases[] = {
    {"clinet: {}",
     "m.yaml:3:1: unknown key \"clinet\"; did you mean \"client\"? (allowed: apiVersion, "
     "authentication, authorization, "
     "client, "
     "controllerSettings, "
     "controllerShutdownTimeout, controllerStartInterval, controllers, dryRun, featureGates, "
     "health, journal, kind, "
     "leaderElection, logging, metrics, pluginDirectories, pluginSignatures, pluginSources, "
     "plugins, quarantine, serving, stateDirectory, swap, "
     "tracing)"},
    {"pluginSignatures: {required: true}",
     "m.yaml:3:19: pluginSignatures.keys is missing: add a key (davit plugin keygen makes one)"},
    {"pluginSignatures: {keys: {}}",
     "m.yaml:3:26: pluginSignatures.keys must be a list, not a mapping"},
    {"pluginSignatures: {keys: [{name: a}]}",
     "m.yaml:3:27: pluginSignatures.keys[0] needs name and publicKey"},
    {"pluginSignatures: {keys: [{name: a, publicKey: AAAA}]}",
     "m.yaml:3:48: pluginSignatures.keys[0].publicKey must be an Ed25519 public key in base64, as "
     "davit plugin keygen prints it"},
    {"pluginSignatures: {keys: [{name: a, publicKey: "
     "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}, "
     "{name: a, publicKey: FVP7LgGtNaUQhSR0NdqZQWZQpJzbkdEbIX1SqcdyIVA=}]}",
     "m.yaml:3:95: pluginSignatures.keys[1] repeats the key a"},
    {"tracing: {endpoint: 'localhost:4317'}",
     "m.yaml:3:21: tracing.endpoint must be the URL of an OTLP/HTTP receiver, such as "
     "http://localhost:4318/v1/traces, not the string \"localhost:4317\""},
    {"tracing: {samplingRatePerMillion: 1000001}",
     "m.yaml:3:35: tracing.samplingRatePerMillion must be a whole number from 0 to 1000000, not "
     "the number 1000001"},
    {"tracing: {headers: [a]}", "m.yaml:3:20: tracing.headers must be a mapping, not a list"},
    {"tracing: {headers: {a: 5}}",
     "m.yaml:3:24: tracing.headers.a must be a string (put quotes around it), not a number"},
    {"quarantine: {crashes: -1}",
     "m.yaml:3:23: quarantine.crashes must be a whole number from 0 to 1000, not the number -1"},
    {"journal: {bytes: 8Mi}",
     "m.yaml:3:18: journal.bytes must be a whole number from 0 to 1073741824, not the "
     "string \"8Mi\""},
    {"swap: {maxErrorPercent: 101}",
     "m.yaml:3:25: swap.maxErrorPercent must be a whole number from 0 to 100, not the number 101"},
    {"client: {Qps: 5}",
     "m.yaml:3:10: unknown key \"Qps\" in client; did you mean \"qps\"? (allowed: burst, "
     "contentType, fieldManager, kubeconfig, master, minResyncPeriod, qps, "
     "useServiceAccountCredentials, "
     "userAgent)"},
    {"client: {fieldManager: \"a\\tb\"}",
     "m.yaml:3:24: client.fieldManager must have at most 128 printable ASCII characters"},
    {"client: {userAgent: \"a\\nb\"}",
     "m.yaml:3:21: client.userAgent must have printable ASCII characters only, which a header can "
     "carry"},
    {"client: {useServiceAccountCredentials: 1}",
     "m.yaml:3:40: client.useServiceAccountCredentials must be true or false, not the number 1"},
    {"client: {contentType: text/html}",
     "m.yaml:3:23: client.contentType must be one of application/vnd.kubernetes.protobuf, "
     "application/json, not the string \"text/html\""},
    {"client: 5", "m.yaml:3:9: client must be a mapping, not the number 5"},
    {"client: {qps: fast}",
     "m.yaml:3:15: client.qps must be a number from -1 to 100000, not the string \"fast\""},
    {"client: {qps: -2}",
     "m.yaml:3:15: client.qps must be a number from -1 to 100000, not the number -2"},
    {"client: {qps: \"5\"}",
     "m.yaml:3:15: client.qps must be a number from -1 to 100000, not the string \"5\""},
    {"client: {burst: 1.5}",
     "m.yaml:3:17: client.burst must be a whole number from 0 to 1000000, not the number 1.5"},
    {"client: {burst: 010}",
     "m.yaml:3:17: client.burst must be a whole number from 0 to 1000000 without leading zeros, "
     "not the number 010"},
    {"client: {burst: 99999999999999999999}",
     "m.yaml:3:17: client.burst must be a whole number from 0 to 1000000, not the number "
     "99999999999999999999"},
    {"client: {kubeconfig: 5}",
     "m.yaml:3:22: client.kubeconfig must be a string (put quotes around it), not the number 5"},
    {"client: {kubeconfig: }", "m.yaml:3:10: client.kubeconfig must be a string, not nothing"},
    {"leaderElection: {enabled: yes}",
     "m.yaml:3:27: leaderElection.enabled must be true or false, not the string \"yes\""},
    {"leaderElection: {leaseDuration: 15}",
     "m.yaml:3:33: leaderElection.leaseDuration must be a duration such as 15s, 1m30s or 500ms, "
     "not the number 15"},
    {"leaderElection: {leaseDuration: 500ms}",
     "m.yaml:3:33: leaderElection.leaseDuration must be at least 1s"},
    {"leaderElection: {retryPeriod: -2s}",
     "m.yaml:3:31: leaderElection.retryPeriod must be at least 1ms"},
    {"leaderElection: {leaseDuration: 10s}",
     "m.yaml:3:17: leaderElection.leaseDuration (10s) must be greater than renewDeadline (10s)"},
    {"leaderElection: {retryPeriod: 9s}",
     "m.yaml:3:17: leaderElection.renewDeadline (10s) must be greater than 1.2 times retryPeriod "
     "(9s)"},
    {"leaderElection: {name: A b}",
     "m.yaml:3:24: leaderElection.name must be a DNS subdomain (lower case letters, digits, '-' "
     "and '.'), not the string \"A b\""},
    {"leaderElection: {namespace: ''}", "m.yaml:3:29: leaderElection.namespace must not be empty"},
    {"health: {bindAddress: localhost}",
     "m.yaml:3:23: health.bindAddress must be an IP address, not the string \"localhost\""},
    {"health: {bindAddress: 10.0.0.1}",
     "m.yaml:3:23: health.bindAddress must be a loopback address: the plain port asks for no "
     "credentials. serving.bindAddress and serving.securePort serve others"},
    {"serving: {securePort: 65536}",
     "m.yaml:3:23: serving.securePort must be a whole number from 0 to 65535, not the number "
     "65536"},
    {"health: {port: 65536}",
     "m.yaml:3:16: health.port must be a whole number from -1 to 65535, not the number 65536"},
    {"logging: {format: xml}",
     "m.yaml:3:19: logging.format must be one of text, json, not the string \"xml\""},
    {"logging: {verbosity: 11}",
     "m.yaml:3:22: logging.verbosity must be a whole number from 0 to 10, not the number 11"},
    {"logging: {vmodule: [informer]}",
     "m.yaml:3:10: logging.vmodule: \"informer\" does not have the format pattern=N"},
    {"logging: {vmodule: [informer=4], format: json}",
     "m.yaml:3:10: logging.vmodule needs the text format of the log"},
    {"metrics: {disabled: ['a b']}",
     "m.yaml:3:21: metrics.disabled must have names of metrics, not \"a b\""},
    {"metrics: {allowedLabels: {m: a}}",
     "m.yaml:3:30: a key of metrics.allowedLabels must be a metric and a label with a comma "
     "between, not \"m\""},
    {"metrics: {allowedLabels: {'m,l': 5}}",
     "m.yaml:3:34: metrics.allowedLabels.m,l must be a string (put quotes around it), not the "
     "number 5"},
    {"controllers: deployment",
     "m.yaml:3:14: controllers must be a list of strings, not the string \"deployment\""},
    {"controllers: [true]",
     "m.yaml:3:15: controllers[0] must be a string that is not empty, not the boolean true"},
    {"dryRun: 1", "m.yaml:3:9: dryRun must be true or false, not the number 1"},
    {"dryRun: true\ndryRun: false", "m.yaml:4:1: duplicate key \"dryRun\""},
    {"kind: ControllerHost", "m.yaml:3:1: duplicate key \"kind\""},
    {"plugins: {}", "m.yaml:3:10: plugins must be a list, not a mapping"},
    {"plugins: [a]", "m.yaml:3:11: plugins[0] must be a mapping, not the string \"a\""},
    {"plugins: [{}]",
     "m.yaml:3:11: plugins[0].name, path or source is missing: a plugin needs one of them"},
    {"plugins: [{name: a, path: b}, {name: a, path: c}]", "m.yaml:3:38: duplicate plugin \"a\""},
    {"plugins: [{source: r.example.com/a}]",
     "m.yaml:3:20: plugins[0].source must be a reference with a tag or a digest"},
    {"plugins: [{source: \"oci://r.example.com/a:1\"}]",
     "m.yaml:3:20: plugins[0].source needs a digest (@sha256:…), or pluginSignatures.keys whose "
     "signatures are required"},
    {"pluginSignatures: {keys: [{name: a, publicKey: "
     "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}]}\nplugins: [{source: "
     "\"oci://r.example.com/a:1\"}]",
     "m.yaml:4:20: plugins[0].source needs a digest (@sha256:…), or name beside it: a signature "
     "does not say which plugin the entry means"},
    {"pluginSignatures: {refusedDigests: [abc]}",
     "m.yaml:3:36: pluginSignatures.refusedDigests must have 64 lower-case hex digits each, as "
     "sha256sum prints them for a plugin"},
    {"pluginSignatures: {lowestVersions: {a: new}}",
     "m.yaml:3:40: pluginSignatures.lowestVersions.a must be a version such as 1.2.0, not the "
     "string \"new\""},
    {"pluginSignatures: {libraries: [lib/a.so]}",
     "m.yaml:3:31: pluginSignatures.libraries must have names such as libz.so.1, not paths"},
    {"plugins: [{name: a.so}]",
     "m.yaml:3:18: plugins[0].name must be a name such as \"replicaset\", not a file; use path for "
     "a file"},
    {"plugins: [{name: a}, {name: a}]", "m.yaml:3:29: duplicate plugin \"a\""},
    {"plugins: [{path: ./a}, {path: a}]", "m.yaml:3:31: duplicate plugin \"/d/a\""},
    {"plugins: [{name: a, sha256: abc}]",
     "m.yaml:3:29: plugins[0].sha256 must be 64 hex digits, as sha256sum prints them"},
    {"plugins: [{name: a, controllers: [x]}]",
     "m.yaml:3:34: plugins[0].controllers must be a mapping from controller names, not a list"},
    {"plugins: [{name: a, controllers: {c: {worker: 1}}}]",
     "m.yaml:3:39: unknown key \"worker\" in plugins[0].controllers.c; did you mean \"workers\"? "
     "(allowed: config, enabled, workers)"},
    {"plugins: [{name: a, controllers: {c: {workers: 0}}}]",
     "m.yaml:3:48: plugins[0].controllers.c.workers must be a whole number from 1 to 1000, not the "
     "number 0"},
    {"plugins: [{name: a, controllers: {c: {config: 5}}}]",
     "m.yaml:3:47: plugins[0].controllers.c.config must be a mapping, not the number 5"},
    {"plugins: [{name: a, controllers: {c: {config: {x: .inf}}}}]",
     "m.yaml:3:47: plugins[0].controllers.c.config: x: .inf has no JSON form"},
    {"plugins: [{name: a, controllers: {c: {}}}, {name: b, controllers: {c: {}}}]",
     "m.yaml:3:68: duplicate controller \"c\": another plugin has it already"},
};

TEST(ManifestTest, SettingsOfServingAreRead) {
  const ManifestResult result = parse_manifest(kHead + R"(
serving: {bindAddress: "::", securePort: 8443, permitPortSharing: true, certDirectory: certs,
  tlsCertFile: tls.crt, tlsPrivateKeyFile: tls.key, tlsMinVersion: VersionTLS13,
  tlsCipherSuites: [A], tlsCurvePreferences: ["29"], profiling: true,
  tlsSNICertKey: ["a.crt,/b.key:*.a.org,b.org"]}
authentication: {kubeconfig: k, skipLookup: true, tolerateLookupFailure: true, tokenCacheTTL: 1m,
  clientCAFile: ca.crt, requestHeaderClientCAFile: proxies.crt, requestHeaderAllowedNames: [p],
  requestHeaderUsernameHeaders: [u], requestHeaderUIDHeaders: [X-Remote-Uid],
  requestHeaderGroupHeaders: [g], requestHeaderExtraHeadersPrefix: [e-]}
authorization: {kubeconfig: k, authorizedCacheTTL: 1s, unauthorizedCacheTTL: 2s,
  alwaysAllowPaths: ["/m*"]}
)",
                                               "/etc/davit/m.yaml");
  for (const Mistake& mistake : result.mistakes) ADD_FAILURE() << mistake.str();
  const Manifest& manifest = result.manifest;
  EXPECT_EQ(secure_port(manifest), 8443);
  EXPECT_EQ(manifest.serving.certificate_directory, "/etc/davit/certs");
  EXPECT_EQ(manifest.serving.key_file, "/etc/davit/tls.key");
  EXPECT_THAT(manifest.serving.named_pairs, ElementsAre("/etc/davit/a.crt,/b.key:*.a.org,b.org"));
  EXPECT_THAT(manifest.serving.curves, ElementsAre("29"));
  EXPECT_TRUE(manifest.serving.profiling);
  EXPECT_THAT(check_serving(manifest.serving, manifest.authentication), testing::IsEmpty());
  EXPECT_EQ(manifest.authentication.client_ca_file, "/etc/davit/ca.crt");
  EXPECT_EQ(manifest.authentication.token_cache_ttl, seconds(60));
  EXPECT_EQ(manifest.authorization.denied_cache_ttl, seconds(2));
  EXPECT_THAT(manifest.authorization.always_allow_paths, ElementsAre("/m*"));
}

TEST(ManifestTest, EachMistakeHasItsPlaceAndSaysWhatIsAllowed) {
  for (const MistakeCase& each : kMistakeCases) {
    const ManifestResult result = parse_manifest(kHead + each.text + "\n", "/d/m.yaml");
    ASSERT_EQ(result.mistakes.size(), 1U) << each.text;
    EXPECT_EQ(result.mistakes[0].str(), std::string("/d/") + each.want) << each.text;
  }
}

TEST(ManifestTest, AllMistakesAreReportedInTheOrderOfTheFile) {
  EXPECT_THAT(mistakes("kind: Pod\nfoo: 1\ndryRun: maybe\n"),
              ElementsAre("m.yaml:1:1: apiVersion is missing: write apiVersion: davit.dev/v1alpha1",
                          "m.yaml:1:7: kind must be one of ControllerHost, not the string \"Pod\"",
                          testing::StartsWith("m.yaml:2:1: unknown key \"foo\" (allowed: "),
                          "m.yaml:3:9: dryRun must be true or false, not the string \"maybe\""));
}

TEST(ManifestTest, FilesThatAreNotAMappingGetOneMistake) {
  EXPECT_THAT(mistakes(""), ElementsAre("m.yaml:1:1: the manifest is empty"));
  EXPECT_THAT(mistakes("hello"),
              ElementsAre("m.yaml:1:1: the file must be a mapping, not the string \"hello\""));
  EXPECT_THAT(mistakes("a: [1"), ElementsAre("m.yaml:1:4: end of sequence flow not found"));
}

TEST(ManifestTest, FilesThatCannotBeReadAreNamed) {
  const TempDirectory directory;
  const ManifestResult missing = load_manifest("/no/such.yaml");
  ASSERT_EQ(missing.mistakes.size(), 1U);
  EXPECT_EQ(missing.mistakes[0].str(), "/no/such.yaml: no such file or directory");
  EXPECT_TRUE(load_manifest(directory.write("m.yaml", kHead)).ok());
}

TEST(ManifestTest, LeaderElectionTimesMustLeaveRoomForRetries) {
  LeaderElectionSettings settings;
  EXPECT_EQ(check_leader_election(settings), "");
  settings.retry_period = seconds(9);
  EXPECT_NE(check_leader_election(settings), "");
  settings.enabled = false;
  EXPECT_EQ(check_leader_election(settings), "") << "without election no rule applies";
}

TEST(ManifestTest, SettingsOfAControllerNeedNoPlugin) {
  const ManifestResult result = parse_manifest(kHead +
                                                   "controllerSettings:\n"
                                                   "  podgc: {workers: 3, config: {a: 1}}\n",
                                               "m.yaml");
  ASSERT_TRUE(result.ok());
  const ControllerSettings& settings = result.manifest.controller_settings.at("podgc");
  EXPECT_EQ(settings.workers, 3U);
  EXPECT_EQ(settings.config, R"({"a":1})");

  const ManifestResult wrong = parse_manifest(kHead + "controllerSettings: [a]\n", "m.yaml");
  ASSERT_EQ(wrong.mistakes.size(), 1U);
  EXPECT_THAT(wrong.mistakes[0].text, HasSubstr("controllerSettings must be a mapping"));
}

TEST(ManifestTest, SettingsAreLaidOverOthersMemberByMember) {
  ControllerSettings settings;
  settings.workers = 5;
  settings.enabled = true;
  settings.config = R"({"a":1,"b":2})";
  ControllerSettings winner;
  winner.enabled = false;
  winner.config = R"({"b":3,"c":4})";

  lay_over(winner, settings);

  EXPECT_EQ(settings.workers, 5U);
  EXPECT_EQ(settings.enabled, false);
  EXPECT_EQ(settings.config, R"({"a":1,"b":3,"c":4})");
}

}  // namespace
}  // namespace davit::host
