#include "host/plugin/note_use.hpp"

#include <algorithm>
#include <array>

#include "host/plugin/rights.hpp"

namespace davit::host {
namespace {

std::string quoted(std::string_view key, std::string_view value) {
  return "\"" + std::string(key) + "\":\"" + std::string(value) + "\"";
}

bool opens(const DeclaredWatch& watch, const Informer& informer) {
  const InformerSpec& spec = informer.spec();
  // A selector from the configuration has a text that the declaration does not know.
  const bool same_labels =
      !watch.label_selector_from.path.empty() || spec.label_selector == watch.label_selector;
  const bool same_fields =
      !watch.field_selector_from.path.empty() || spec.field_selector == watch.field_selector;
  return spec.resource.group == watch.group && spec.resource.version == watch.version &&
         spec.resource.resource == watch.resource && same_labels && same_fields;
}

}  // namespace

bool NoteUse::is_used(const DeclaredRule& rule, const std::string& verb,
                      const std::vector<Informer*>& informers) const {
  DeclaredRule alone = rule;
  alone.verbs = {verb};
  const bool requested = std::ranges::any_of(rights_, [&alone](const Right& each) {
    return allows(alone,
                  {each.verb, each.group, each.resource, each.subresource, each.ns, each.name});
  });
  // An informer that was opened at run time lists and watches by a rule.
  return requested || std::ranges::any_of(informers, [&alone](const Informer* each) {
           const ResourceId& of = each->spec().resource;
           return std::ranges::any_of(std::array{"list", "watch"}, [&](const char* read) {
             return allows(alone, {read, of.group, of.resource, "", "", ""});
           });
         });
}

std::vector<std::string> NoteUse::unused(const DeclaredController& declared,
                                         const std::vector<Informer*>& informers) const {
  std::vector<std::string> out;
  for (const DeclaredRule& rule : declared.rules) {
    const bool is_asked_by_server =
        rule.subresource == "finalizers" || rule.subresource == "restricted";
    if (!rule.non_resource_urls.empty() || is_asked_by_server) continue;
    for (const std::string& verb : rule.verbs) {
      if (is_used(rule, verb, informers)) continue;
      std::string text =
          "{" + quoted("group", rule.group) + "," + quoted("resource", rule.resource);
      if (!rule.subresource.empty()) text += "," + quoted("subresource", rule.subresource);
      out.push_back(declared.name + ": nothing needed \"" + verb + "\" of the rule " + text +
                    ",…}; remove it, or test what needs it");
    }
  }
  for (const DeclaredWatch& watch : declared.watches) {
    const bool opened = std::ranges::any_of(
        informers, [&watch](const Informer* each) { return opens(watch, *each); });
    if (opened) continue;
    out.push_back(declared.name + ": no informer was opened for the watch {" +
                  quoted("group", watch.group) + "," + quoted("version", watch.version) + "," +
                  quoted("resource", watch.resource) + ",…}; remove it, or open the informer");
  }
  return out;
}

}  // namespace davit::host
