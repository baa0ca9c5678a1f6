#include "cli/plugin_report.hpp"

#include <algorithm>

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

std::string resource_text(const std::string& group, const std::string& resource,
                          const std::string& subresource) {
  return (group.empty() ? "core" : group) + " " + resource +
         (subresource.empty() ? "" : "/" + subresource);
}

std::string controller_text(const DeclaredController& controller) {
  std::string out = "\nController " + controller.name;
  if (!controller.aliases.empty()) out += " (alias " + joined(controller.aliases, "") + ")";
  out += "\n";
  out += "  " + line("Client", controller.client_name);
  out += "  " + line("Workers", std::to_string(controller.workers));
  std::string flags = controller.off_by_default ? "off by default" : "on by default";
  if (controller.without_leadership) flags += ", runs without leadership";
  out += "  " + line("Runs", flags);
  out += "  Rights\n";
  for (const DeclaredRule& rule : controller.rules) {
    out += "    " + resource_text(rule.group, rule.resource, rule.subresource) + ": " +
           joined(rule.verbs, "none") + "\n";
  }
  out += "  Watches\n";
  for (const DeclaredWatch& watch : controller.watches) {
    out += "    " + (watch.group.empty() ? watch.version : watch.group + "/" + watch.version) +
           " " + watch.resource;
    if (!watch.label_selector.empty()) out += " labels " + watch.label_selector;
    if (!watch.field_selector.empty()) out += " fields " + watch.field_selector;
    if (watch.projection.empty()) {
      out += ": the whole object\n";
      continue;
    }
    out += ":\n";
    for (const std::string& path : watch.projection) out += "      " + path + "\n";
  }
  return out;
}

std::string controller_json(const DeclaredController& controller) {
  JsonText rules('[');
  for (const DeclaredRule& rule : controller.rules) {
    rules.raw("", JsonText('{')
                      .text("group", rule.group)
                      .text("resource", rule.resource)
                      .text("subresource", rule.subresource)
                      .texts("verbs", rule.verbs)
                      .str());
  }
  JsonText watches('[');
  for (const DeclaredWatch& watch : controller.watches) {
    watches.raw("", JsonText('{')
                        .text("group", watch.group)
                        .text("version", watch.version)
                        .text("resource", watch.resource)
                        .texts("projection", watch.projection)
                        .text("labelSelector", watch.label_selector)
                        .text("fieldSelector", watch.field_selector)
                        .str());
  }
  return JsonText('{')
      .text("name", controller.name)
      .texts("aliases", controller.aliases)
      .text("clientName", controller.client_name)
      .boolean("offByDefault", controller.off_by_default)
      .boolean("withoutLeadership", controller.without_leadership)
      .raw("workers", std::to_string(controller.workers))
      .raw("rules", rules.str())
      .raw("watches", watches.str())
      .str();
}

}  // namespace

std::string joined(const std::vector<std::string>& items, const std::string& none) {
  if (items.empty()) return none;
  std::string out = items.front();
  for (std::size_t i = 1; i < items.size(); ++i) out += ", " + items[i];
  return out;
}

std::string report_text(const PluginReport& report) {
  std::string out = line("File", report.path.string()) + line("SHA-256", report.digest);
  if (report.elf) {
    out += line("Machine", machine_name(report.elf->machine));
    if (!report.elf->build_id.empty()) out += line("Build id", report.elf->build_id);
    out += line("Needs", joined(report.elf->needed, "no library"));
  }
  if (report.declaration) {
    const PluginDeclaration& declaration = *report.declaration;
    out += line("Plugin", declaration.name) + line("Version", declaration.version);
    out += line(
        "ABI", std::to_string(declaration.abi_major) + "." + std::to_string(declaration.abi_minor));
    if (!declaration.build.empty()) out += line("Build", declaration.build);
    out += line("Requires", joined(declaration.requires_ids, "nothing"));
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
        .texts("needed", report.elf->needed);
  }
  if (report.declaration) {
    const PluginDeclaration& declaration = *report.declaration;
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
        .raw("controllers", controllers.str());
  }
  return out.str() + "\n";
}

}  // namespace davit::host
