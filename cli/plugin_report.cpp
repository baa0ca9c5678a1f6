#include "cli/plugin_report.hpp"

#include <algorithm>
#include <utility>

#include "host/loading/capabilities.hpp"
#include "lib/base/json_text.hpp"

namespace davit::host {
namespace {

std::string line(std::string_view label, const std::string& value) {
  constexpr std::size_t kWidth = 13;
  std::string out(label);
  out += ':';
  out.resize(std::max(out.size() + 1, kWidth), ' ');
  return out + value + "\n";
}

constexpr std::string_view kGlibc = "GLIBC_";
constexpr std::string_view kLibstdcxx = "GLIBCXX_";

/// "glibc 2.34, libstdc++ 3.4.30": the oldest that it runs on.
std::string library_versions(const ElfFile& elf) {
  std::vector<std::string> out;
  for (const auto& [name, prefix] : {std::pair("glibc ", kGlibc), {"libstdc++ ", kLibstdcxx}}) {
    const std::string version = lowest_version(elf, prefix);
    if (!version.empty()) out.push_back(name + version);
  }
  return joined(out, "");
}

std::string resource_text(const std::string& group, const std::string& resource,
                          const std::string& subresource) {
  return (group.empty() ? "core" : group) + " " + resource +
         (subresource.empty() ? "" : "/" + subresource);
}

/// " of namespaces a, b": a limit, and where it comes from. Empty: no limit.
std::string limit_text(const char* what, const std::vector<std::string>& values,
                       const ConfigSource& source) {
  if (values.empty() && source.path.empty()) return "";
  std::string out = std::string(", ") + what + " ";
  if (source.path.empty()) return out + joined(values, "");
  out += "from config." + source.path;
  return source.has_default ? out + " (default " + joined(values, "all") + ")" : out;
}

std::string rule_text(const DeclaredRule& rule) {
  std::string out = rule.non_resource_urls.empty()
                        ? resource_text(rule.group, rule.resource, rule.subresource)
                        : joined(rule.non_resource_urls, "");
  out += ": " + joined(rule.verbs, "none");
  return out + limit_text("names", rule.resource_names, {}) +
         limit_text("namespaces", rule.namespaces, rule.namespaces_from);
}

std::string http_text(const DeclaredHttp& http) {
  if (http.hosts.empty() && http.hosts_from.path.empty()) return "";
  std::string out = "  HTTP requests\n";
  if (!http.hosts_from.path.empty()) out += "    to config." + http.hosts_from.path + "\n";
  for (const std::string& each : http.hosts) {
    out += "    to " + each + (http.hosts_from.path.empty() ? "\n" : " (default)\n");
  }
  if (!http.roots_from.path.empty()) out += "    roots from config." + http.roots_from.path + "\n";
  return out;
}

std::string selector_text(const char* what, const std::string& selector,
                          const ConfigSource& source) {
  if (selector.empty() && source.path.empty()) return "";
  std::string out = std::string(" ") + what + " ";
  if (source.path.empty()) return out + selector;
  out += "from config." + source.path;
  if (!source.has_default) return out;
  return out + " (default " + (selector.empty() ? "all" : selector) + ")";
}

std::string controller_text(const DeclaredController& controller) {
  std::string out = "\nController " + controller.name;
  if (!controller.aliases.empty()) out += " (alias " + joined(controller.aliases, "") + ")";
  out += "\n";
  out += "  " + line("Client", controller.client_name);
  if (controller.event_component != controller.client_name) {
    out += "  " + line("Events", "as " + controller.event_component);
  }
  out += "  " + line("Workers", std::to_string(controller.workers));
  std::string flags = controller.off_by_default ? "off by default" : "on by default";
  if (controller.without_leadership) flags += ", runs without leadership";
  out += "  " + line("Runs", flags);
  out += "  Rights\n";
  for (const DeclaredRule& rule : controller.rules) {
    out += "    " + rule_text(rule) + "\n";
  }
  out += http_text(controller.http);
  out += "  Watches\n";
  for (const DeclaredWatch& watch : controller.watches) {
    out += "    " + (watch.group.empty() ? watch.version : watch.group + "/" + watch.version) +
           " " + watch.resource;
    out += selector_text("labels", watch.label_selector, watch.label_selector_from) +
           selector_text("fields", watch.field_selector, watch.field_selector_from) +
           limit_text("namespaces", watch.namespaces, watch.namespaces_from);
    if (watch.projection.empty()) {
      out += ": the whole object\n";
      continue;
    }
    out += ":\n";
    for (const std::string& path : watch.projection) out += "      " + path + "\n";
  }
  return out;
}

/// The value as the note has it, with its place in the configuration when it is there.
std::string value_json(const ConfigSource& source, const std::string& value) {
  if (source.path.empty()) return value;
  JsonText out('{');
  out.text("config", source.path);
  if (source.has_default) out.raw("default", value);
  return out.str();
}

std::string list_json(const std::vector<std::string>& items) {
  JsonText list('[');
  for (const std::string& each : items) list.text("", each);
  return list.str();
}

/// As value_json(), of namespaces, where no limit is ["*"] in the note.
std::string namespaces_json(const ConfigSource& source,
                            const std::vector<std::string>& namespaces) {
  return value_json(source,
                    list_json(namespaces.empty() ? std::vector<std::string>{"*"} : namespaces));
}

std::string rule_json(const DeclaredRule& rule) {
  JsonText out('{');
  if (!rule.non_resource_urls.empty()) {
    return out.texts("nonResourceURLs", rule.non_resource_urls).texts("verbs", rule.verbs).str();
  }
  out.text("group", rule.group)
      .text("resource", rule.resource)
      .text("subresource", rule.subresource)
      .texts("verbs", rule.verbs);
  if (!rule.resource_names.empty()) out.texts("resourceNames", rule.resource_names);
  return out.raw("namespaces", namespaces_json(rule.namespaces_from, rule.namespaces)).str();
}

std::string watch_json(const DeclaredWatch& watch) {
  return JsonText('{')
      .text("group", watch.group)
      .text("version", watch.version)
      .text("resource", watch.resource)
      .texts("projection", watch.projection)
      .raw("labelSelector",
           value_json(watch.label_selector_from, json_string(watch.label_selector)))
      .raw("fieldSelector",
           value_json(watch.field_selector_from, json_string(watch.field_selector)))
      .raw("namespaces", namespaces_json(watch.namespaces_from, watch.namespaces))
      .str();
}

std::string http_json(const DeclaredHttp& http) {
  JsonText out('{');
  out.raw("hosts", value_json(http.hosts_from, list_json(http.hosts)));
  if (!http.roots_from.path.empty()) {
    out.raw("roots", value_json(http.roots_from, json_string(http.roots)));
  }
  return out.str();
}

std::string controller_json(const DeclaredController& controller) {
  JsonText rules('[');
  for (const DeclaredRule& rule : controller.rules) rules.raw("", rule_json(rule));
  JsonText watches('[');
  for (const DeclaredWatch& watch : controller.watches) watches.raw("", watch_json(watch));
  return JsonText('{')
      .text("name", controller.name)
      .texts("aliases", controller.aliases)
      .text("clientName", controller.client_name)
      .text("eventComponent", controller.event_component)
      .boolean("offByDefault", controller.off_by_default)
      .boolean("withoutLeadership", controller.without_leadership)
      .raw("workers", std::to_string(controller.workers))
      .raw("rules", rules.str())
      .raw("watches", watches.str())
      .raw("http", http_json(controller.http))
      .str();
}

}  // namespace

std::string joined(const std::vector<std::string>& items, const std::string& none) {
  if (items.empty()) return none;
  std::string out = items.front();
  for (std::size_t i = 1; i < items.size(); ++i) out += ", " + items[i];
  return out;
}

std::string optional_text(const PluginDeclaration& declaration) {
  const std::vector<std::string> missing =
      missing_capabilities(declaration.optional_ids, host_capabilities());
  const std::string all = joined(declaration.optional_ids, "");
  return missing.empty() ? all : all + "; this host lacks " + joined(missing, "");
}

std::string report_text(const PluginReport& report) {
  std::string out = line("File", report.path.string()) + line("SHA-256", report.digest);
  if (report.elf) {
    out += line("Machine", machine_name(report.elf->machine));
    if (!report.elf->build_id.empty()) out += line("Build id", report.elf->build_id);
    out += line("Needs", joined(report.elf->needed, "no library"));
    if (const std::string libraries = library_versions(*report.elf); !libraries.empty()) {
      out += line("At least", libraries);
    }
  }
  if (report.declaration) {
    const PluginDeclaration& declaration = *report.declaration;
    out += line("Plugin", declaration.name) + line("Version", declaration.version);
    out += line(
        "ABI", std::to_string(declaration.abi_major) + "." + std::to_string(declaration.abi_minor));
    if (!declaration.build.empty()) out += line("Build", declaration.build);
    out += line("Requires", joined(declaration.requires_ids, "nothing"));
    if (!declaration.optional_ids.empty()) out += line("Optional", optional_text(declaration));
  }
  out += line("Grade", std::string(to_string(report.grade())));
  for (const Finding& finding : report.findings) {
    out += "  " + finding.id + " (" + std::string(to_string(finding.grade)) + "): " + finding.text +
           "\n";
  }
  if (!report.declaration) return out;
  for (const DeclaredController& each : report.declaration->controllers) {
    out += controller_text(each);
  }
  return out;
}

std::string report_json(const PluginReport& report) {
  JsonText out('{');
  out.text("file", report.path.string()).text("sha256", report.digest);
  out.text("grade", std::string(to_string(report.grade())));
  if (!report.refusal.empty()) out.text("refusal", report.refusal);
  JsonText findings('[');
  for (const Finding& finding : report.findings) {
    findings.raw("", JsonText('{')
                         .text("id", finding.id)
                         .text("grade", std::string(to_string(finding.grade)))
                         .text("text", finding.text)
                         .str());
  }
  out.raw("findings", findings.str());
  if (report.elf) {
    out.text("machine", machine_name(report.elf->machine))
        .text("buildId", report.elf->build_id)
        .text("soname", report.elf->soname)
        .texts("needed", report.elf->needed)
        .text("glibc", lowest_version(*report.elf, kGlibc))
        .text("libstdcxx", lowest_version(*report.elf, kLibstdcxx));
  }
  if (report.declaration) {
    const PluginDeclaration& declaration = *report.declaration;
    JsonText unknown('[');
    for (const auto& [path, value] : declaration.unknown) {
      unknown.raw("", JsonText('{').text("path", path).raw("value", value).str());
    }
    JsonText controllers('[');
    for (const DeclaredController& each : declaration.controllers) {
      controllers.raw("", controller_json(each));
    }
    out.text("name", declaration.name)
        .text("version", declaration.version)
        .text("abi",
              std::to_string(declaration.abi_major) + "." + std::to_string(declaration.abi_minor))
        .text("build", declaration.build)
        .texts("requires", declaration.requires_ids)
        .texts("optional", declaration.optional_ids)
        .texts("missing", missing_capabilities(declaration.optional_ids, host_capabilities()))
        .raw("unknown", unknown.str())
        .raw("controllers", controllers.str());
  }
  return out.str() + "\n";
}

}  // namespace davit::host
