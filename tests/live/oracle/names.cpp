#include "tests/live/oracle/names.hpp"

#include <algorithm>
#include <cctype>

namespace davit::oracle {

namespace {

/// The random end of a generated name.
constexpr std::size_t kSuffixLetters = 5;

bool is_suffix(std::string_view text) {
  return text.size() == kSuffixLetters && std::all_of(text.begin(), text.end(), [](char c) {
           return std::islower(static_cast<unsigned char>(c)) != 0 ||
                  std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

}  // namespace

Names::Names(const std::vector<Life>& lives) {
  std::map<std::string, int> sets;
  for (const Life& each : lives) {
    if (each.kind->name != "replicaset" || tokens_.contains(each.name)) continue;
    const std::string& hash =
        each.versions.front()->text_at({"metadata", "labels", "pod-template-hash"});
    if (hash.empty() || !each.name.ends_with('-' + hash)) {
      sets_.insert(each.name + '-');
      continue;
    }
    const std::string deployment = each.name.substr(0, each.name.size() - hash.size() - 1);
    const std::string token = deployment + "-#" + std::to_string(++sets[deployment]);
    tokens_[each.name] = token;
    sets_.insert(token + '-');
    tokens_.try_emplace(hash, "HASH-" + token);
  }
  const auto sets_only = tokens_;
  for (const Life& each : lives) {
    if (each.kind->name != "endpointslice" ||
        each.now().text_at({"metadata", "generateName"}).empty()) {
      continue;
    }
    const std::string& service =
        each.versions.front()->text_at({"metadata", "labels", "kubernetes.io/service-name"});
    tokens_[each.name] = service + "-SLICE";
  }
  for (const Life& each : lives) {
    if (each.kind->name != "pod") continue;
    const std::string& prefix = each.now().text_at({"metadata", "generateName"});
    if (prefix.empty() || !each.name.starts_with(prefix)) continue;
    const auto set = sets_only.find(prefix.substr(0, prefix.size() - 1));
    tokens_[each.name] = (set == sets_only.end() ? prefix : set->second + '-') + "POD";
  }
  std::map<std::string, int> times;
  for (const Life& each : lives) {
    const std::string name = std::string(each.kind->name) + ' ' + replaced(each.name);
    const int life = ++times[name];
    const bool is_generated = !each.now().text_at({"metadata", "generateName"}).empty();
    uids_[each.now().text_at({"metadata", "uid"})] =
        "UID of " + name + (life == 1 || is_generated ? "" : ", life " + std::to_string(life));
  }
}

std::string Names::replaced(std::string text) const {
  if (const auto uid = uids_.find(text); uid != uids_.end()) return uid->second;
  for (const auto& [from, to] : tokens_) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  }
  // Pods that were refused have a name, too, in messages only.
  for (const std::string& set : sets_) {
    for (std::size_t at = 0; (at = text.find(set, at)) != std::string::npos;) {
      at += set.size();
      if (is_suffix(std::string_view(text).substr(at, kSuffixLetters))) {
        text.replace(at, kSuffixLetters, "POD");
      }
    }
  }
  return text;
}

}  // namespace davit::oracle
