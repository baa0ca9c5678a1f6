#include "tests/live/oracle/names.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <davit/kube/time.hpp>

namespace davit::oracle {

namespace {

/// The random end of a generated name.
constexpr std::size_t kSuffixLetters = 5;
constexpr char kPod[] = "POD";
constexpr char kClaim[] = "CLAIM";

bool is_suffix(std::string_view text) {
  return text.size() == kSuffixLetters && std::all_of(text.begin(), text.end(), [](char c) {
           return std::islower(static_cast<unsigned char>(c)) != 0 ||
                  std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

/// The pods of a StatefulSet have the prefix, too, but their names are not random.
bool is_generated(std::string_view name, std::string_view prefix) {
  return !prefix.empty() && name.starts_with(prefix) && is_suffix(name.substr(prefix.size()));
}

/// "2026-01-01T"
constexpr std::size_t kDayLetters = 11;

/// Whether this is the latest first of January, or the one before, which it was until lately.
bool is_last_new_year(const std::string& day) {
  const WallTime now =
      std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  const int year = std::atoi(format_time(now).c_str());
  return day == std::to_string(year) + "-01-01T" || day == std::to_string(year - 1) + "-01-01T";
}

bool has_random_name(const Life& life) {
  // The mirroring controller's writes of a slice leave out how its name was made.
  const std::string& prefix = life.versions.front()->text_at({"metadata", "generateName"});
  return life.kind->name == "pod" ? is_generated(life.name, prefix) : !prefix.empty();
}

}  // namespace

Names::Names(const std::vector<Life>& lives) {
  add_daemon_sets(lives);
  std::map<std::string, int> sets;
  for (const Life& each : lives) {
    const std::string_view kind = each.kind->name;
    if (kind != "replicaset" && kind != "replicationcontroller" && kind != "job") continue;
    if (tokens_.contains(each.name)) continue;
    const std::string& hash =
        each.versions.front()->text_at({"metadata", "labels", "pod-template-hash"});
    if (hash.empty() || !each.name.ends_with('-' + hash)) {
      generated_.emplace(each.name + '-', kPod);
      continue;
    }
    const std::string deployment = each.name.substr(0, each.name.size() - hash.size() - 1);
    const std::string token = deployment + "-#" + std::to_string(++sets[deployment]);
    tokens_[each.name] = token;
    generated_.emplace(token + '-', kPod);
    tokens_.try_emplace(hash, "HASH-" + token);
  }
  add_starts(lives);
  add_claims(lives);
  const auto sets_only = tokens_;
  for (const Life& each : lives) {
    if (each.kind->name != "endpointslice" || !has_random_name(each)) continue;
    const std::string& service =
        each.versions.front()->text_at({"metadata", "labels", "kubernetes.io/service-name"});
    tokens_[each.name] = service + "-SLICE";
  }
  for (const Life& each : lives) {
    if (each.kind->name != "pod") continue;
    const std::string& prefix = each.now().text_at({"metadata", "generateName"});
    if (!is_generated(each.name, prefix)) continue;
    const auto set = sets_only.find(prefix.substr(0, prefix.size() - 1));
    tokens_[each.name] = (set == sets_only.end() ? prefix : set->second + '-') + kPod;
  }
  std::map<std::string, int> times;
  for (const Life& each : lives) {
    const std::string name = std::string(each.kind->name) + ' ' + replaced(each.name);
    const int life = ++times[name];
    const bool has_lives = life > 1 && !has_random_name(each);
    uids_[each.now().text_at({"metadata", "uid"})] =
        "UID of " + name + (has_lives ? ", life " + std::to_string(life) : "");
  }
}

void Names::add_claims(const std::vector<Life>& lives) {
  for (const Life& each : lives) {
    const Json& object = *each.versions.front();
    const std::string& prefix = object.text_at({"metadata", "generateName"});
    if (each.kind->name == "resourceclaim" && is_generated(each.name, prefix))
      tokens_[each.name] = prefix + kClaim;
    if (each.kind->name != "pod") continue;
    for (const Json& claim : object.get("spec").get("resourceClaims").items()) {
      if (!claim.contains("resourceClaimTemplateName")) continue;
      generated_.emplace(each.name + '-' + claim.text_at({"name"}) + '-', kClaim);
    }
  }
}

void Names::add_starts(const std::vector<Life>& lives) {
  constexpr const char* kScheduled = "batch.kubernetes.io/cronjob-scheduled-timestamp";
  for (const Life& each : lives) {
    const Json& metadata = each.now().get("metadata");
    const std::string& start = metadata.text_at({"annotations", kScheduled});
    const Json::Items& owners = metadata.get("ownerReferences").items();
    if (each.kind->name != "job" || start.empty() || owners.empty()) continue;
    const std::string& owner = owners.front().text_at({"name"});
    for (const Life& cron_job : lives) {
      if (cron_job.kind->name != "cronjob" || cron_job.name != owner) continue;
      const std::string day = start.substr(0, kDayLetters);
      if (start >= cron_job.now().text_at({"metadata", "creationTimestamp"})) {
        tokens_[each.name] = owner + "-NOW";
        tokens_[start] = "NOW";
      } else if (is_last_new_year(day)) {
        tokens_[each.name] = owner + "-NEW-YEAR";
        tokens_[day] = "NEW-YEAR-";
      }
    }
  }
}

void Names::add_daemon_sets(const std::vector<Life>& lives) {
  int revisions = 0;
  for (const Life& each : lives) {
    if (each.kind->name == "daemonset") generated_.emplace(each.name + '-', kPod);
    if (each.kind->name != "controllerrevision") continue;
    const std::string& hash =
        each.versions.front()->text_at({"metadata", "labels", "controller-revision-hash"});
    // One that was made again has its name already.
    if (hash.empty() || !each.name.ends_with('-' + hash) || tokens_.contains(each.name)) continue;
    const std::string set = each.name.substr(0, each.name.size() - hash.size());
    tokens_[each.name] = set + "REVISION-" + std::to_string(++revisions);
    tokens_.try_emplace(hash, "HASH-" + tokens_[each.name]);
  }
}

std::string Names::replaced(std::string text) const {
  if (const auto uid = uids_.find(text); uid != uids_.end()) return uid->second;
  for (const auto& [from, to] : tokens_) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  }
  // Objects that were refused have a name, too, in messages only.
  for (const auto& [prefix, placeholder] : generated_) {
    for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
      at += prefix.size();
      if (is_suffix(std::string_view(text).substr(at, kSuffixLetters))) {
        text.replace(at, kSuffixLetters, placeholder);
      }
    }
  }
  return text;
}

}  // namespace davit::oracle
