#include <initializer_list>

#include "lib/kube/validation/pattern.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"

namespace davit::sandbox {

namespace {

constexpr std::size_t kCredentialBytesMax = 64 * 1024;
constexpr std::size_t kDomainBytesMax = 255;
constexpr std::size_t kUserBytesMax = 104;

void forbid_on_windows(const Json& holder, std::initializer_list<std::string_view> fields,
                       const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view each : fields) {
    if (!is_set(holder, each)) continue;
    errors.push_back(field_forbidden(path.text(each), "cannot be set for a windows pod"));
  }
}

/// Flags that are false are not there for upstream.
void forbid_flags_on_windows(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view each : {"hostPID", "hostIPC"}) {
    if (spec.get(each).boolean()) forbid_on_windows(spec, {each}, path, errors);
  }
}

void check_windows(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& context = spec.get("securityContext");
  const FieldPath context_path = path.child("securityContext");
  forbid_on_windows(spec, {"hostUsers", "shareProcessNamespace"}, path, errors);
  forbid_flags_on_windows(spec, path, errors);
  forbid_on_windows(context,
                    {"appArmorProfile", "seLinuxOptions", "seccompProfile", "fsGroup",
                     "fsGroupChangePolicy", "runAsUser", "runAsGroup", "supplementalGroups",
                     "supplementalGroupsPolicy", "seLinuxChangePolicy"},
                    context_path, errors);
  if (context.get("sysctls").size() != 0) {
    forbid_on_windows(context, {"sysctls"}, context_path, errors);
  }
  visit_containers(spec, path, [&](const Json& container, const FieldPath& here) {
    forbid_on_windows(container.get("securityContext"),
                      {"appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities",
                       "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation",
                       "procMount", "runAsUser", "runAsGroup"},
                      here.child("securityContext"), errors);
  });
}

void check_linux(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const auto check = [&](const Json& holder, const FieldPath& here) {
    if (!is_set(holder.get("securityContext"), "windowsOptions")) return;
    errors.push_back(field_forbidden(here.text("securityContext.windowsOptions"),
                                     "windows options cannot be set for a linux pod"));
  };
  check(spec, path);
  visit_containers(spec, path, check);
}

void check_windows_domain(std::string_view domain, std::vector<std::string_view>& found) {
  static const Pattern kNetBios = *Pattern::compile(R"(^[^\\/:\*\?"<>|\.][^\\/:\*\?"<>|]{0,14}$)");
  static const Pattern kDns = *Pattern::compile(
      "^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
      "(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$");
  if (domain.size() > kDomainBytesMax) {
    found.push_back("runAsUserName's Domain length must be under 256 characters");
  }
  if (!kNetBios.matches(domain) && !kDns.matches(domain)) {
    found.push_back("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
}

void check_windows_user(std::string_view user, std::vector<std::string_view>& found) {
  if (user.empty()) {
    found.push_back("runAsUserName's User cannot be empty");
  } else if (user.size() > kUserBytesMax) {
    found.push_back("runAsUserName's User length must not be longer than 104 characters");
  }
  if (!user.empty() && user.find_first_not_of(". ") == std::string_view::npos) {
    found.push_back("runAsUserName's User cannot contain only periods or spaces");
  }
  if (user.find_first_of(R"("/\:;|=,+*?<>@[])") != std::string_view::npos) {
    found.push_back(
        R"(runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[])");
  }
}

bool has_control_characters(std::string_view text) {
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte < 0x20 || byte == 0x7f) return true;
  }
  return false;
}

/// "USER" or "DOMAIN\USER".
std::vector<std::string_view> account_violations(std::string_view name) {
  if (name.empty()) return {"runAsUserName cannot be an empty string"};
  if (has_control_characters(name)) return {"runAsUserName cannot contain control characters"};
  const std::size_t slash = name.find('\\');
  if (slash != name.rfind('\\')) return {"runAsUserName cannot contain more than one backslash"};
  std::vector<std::string_view> out;
  if (slash != std::string_view::npos) {
    check_windows_domain(name.substr(0, slash), out);
    name.remove_prefix(slash + 1);
  }
  check_windows_user(name, out);
  return out;
}

}  // namespace

void check_windows_options(const Json& options, const FieldPath& path, FieldErrors& errors) {
  if (options.size() == 0) return;
  if (is_set(options, "gmsaCredentialSpecName")) {
    const std::string& name = options.get("gmsaCredentialSpecName").text();
    add_invalid(check_dns_subdomain(name), name, path.child("gmsaCredentialSpecName"), errors);
  }
  if (is_set(options, "gmsaCredentialSpec")) {
    const std::string& text = options.get("gmsaCredentialSpec").text();
    const std::string field = path.text("gmsaCredentialSpec");
    if (text.empty()) {
      errors.push_back(field_invalid(field, text, "gmsaCredentialSpec cannot be an empty string"));
    } else if (text.size() > kCredentialBytesMax) {
      errors.push_back(field_invalid(field, text, "gmsaCredentialSpec size must be under 64 KiB"));
    }
  }
  if (!is_set(options, "runAsUserName")) return;
  const std::string& name = options.get("runAsUserName").text();
  for (const std::string_view each : account_violations(name)) {
    errors.push_back(field_invalid(path.text("runAsUserName"), name, each));
  }
}

void check_os(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& os = spec.get("os");
  if (os.is_null()) return;
  const FieldPath here = path.child("os");
  if (!require_text(os, "name", here, errors)) return;
  const std::string& name = os.get("name").text();
  if (name == "windows") {
    check_windows(spec, path, errors);
  } else if (name == "linux") {
    check_linux(spec, path, errors);
  } else {
    errors.push_back(field_not_supported(here.text(), name, {"linux", "windows"}));
  }
}

void check_host_process(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const auto setting_of = [](const Json& holder) -> const Json& {
    return holder.get("securityContext").get("windowsOptions").get("hostProcess");
  };
  const Json& pod = setting_of(spec);
  std::size_t all = 0;
  std::size_t on_host = 0;
  visit_containers(spec, path, [&](const Json& container, const FieldPath& here) {
    const Json& own = setting_of(container);
    ++all;
    if ((own.is_null() ? pod : own).boolean()) ++on_host;
    if (own.is_null() || pod.is_null() || own == pod) return;
    errors.push_back(
        field_invalid(here.text("securityContext.windowsOptions.hostProcess"), own,
                      std::string("pod hostProcess value must be identical if both are specified, "
                                  "was ") +
                          (pod.boolean() ? "true" : "false")));
  });
  if (on_host == 0) return;
  if (on_host != all) {
    errors.push_back(field_invalid(path.text(), "",
                                   "If pod contains any hostProcess containers then all containers "
                                   "must be HostProcess containers"));
  }
  if (!spec.get("hostNetwork").boolean()) {
    errors.push_back(
        field_invalid(path.text("hostNetwork"), false,
                      "hostNetwork must be true if pod contains any hostProcess containers"));
  }
}

void check_host_users(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  if (uses_host_users(spec)) return;
  const auto forbid = [&](std::string field) {
    errors.push_back(field_forbidden(std::move(field), "when `hostUsers` is false"));
  };
  if (spec.get("hostNetwork").boolean()) forbid(path.text("hostNetwork"));
  // Upstream's spelling.
  if (spec.get("hostPID").boolean()) forbid(path.text("HostPID"));
  if (spec.get("hostIPC").boolean()) forbid(path.text("HostIPC"));
  visit_containers(spec, path, [&](const Json& container, const FieldPath& here) {
    if (container.get("volumeDevices").size() != 0) forbid(here.text("volumeDevices"));
  });
}

}  // namespace davit::sandbox
