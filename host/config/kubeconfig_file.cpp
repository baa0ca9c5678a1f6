#include "host/config/kubeconfig_file.hpp"

#include <davit/base64.hpp>
#include <filesystem>
#include <set>

#include "host/config/fields.hpp"
#include "lib/base/absolute_path.hpp"
#include "lib/base/json_text.hpp"
#include "lib/kube/yaml.hpp"

namespace davit::host {
namespace {

constexpr const char* kExecExtension = "client.authentication.k8s.io/exec";

class KubeconfigReader {
 public:
  explicit KubeconfigReader(const std::string& file)
      : file_(file), directory_(absolute_path(file).parent_path()) {}

  void read(const YamlNode& root);
  KubeconfigContent content;
  std::vector<Mistake> mistakes;

 private:
  using Values = Fields::Values;
  Fields fields(const YamlNode& node, std::string where, Values values = Values::kShown) {
    return Fields(node, std::move(where), file_, mistakes, Fields::Nulls::kAbsent, values);
  }
  std::string path(Fields& in, const char* key) {
    std::string value;
    in.text(key, value);
    return value.empty() ? value : (directory_ / value).lexically_normal().string();
  }
  std::string base64(Fields& in, const char* key, const YamlNode& node);

  /// Calls `read` for the body of each entry of a list of {name, <key>: body}.
  template <typename Read>
  void entries(Fields& top, const char* list, const char* key, Read read);
  KubeCluster cluster(const YamlNode& node, const std::string& where);
  KubeUser user(const YamlNode& node, const std::string& where);
  KubeContext context(const YamlNode& node, const std::string& where);
  ExecConfig exec(const YamlNode& node, const std::string& where, std::string& interactive_mode);
  std::string exec_extension(Fields& in);

  const std::string& file_;
  std::filesystem::path directory_;
};

void KubeconfigReader::read(const YamlNode& root) {
  Fields top = fields(root, "");
  std::string ignored;
  top.choice("apiVersion", {"v1"}, ignored);
  top.choice("kind", {"Config"}, ignored);
  top.text("current-context", content.current_context);
  entries(top, "clusters", "cluster", [&](const std::string& name, const YamlNode& body) {
    content.clusters[name] = cluster(body, "cluster " + json_string(name));
  });
  entries(top, "users", "user", [&](const std::string& name, const YamlNode& body) {
    content.users[name] = user(body, "user " + json_string(name));
  });
  entries(top, "contexts", "context", [&](const std::string& name, const YamlNode& body) {
    content.contexts[name] = context(body, "context " + json_string(name));
  });
}

template <typename Read>
void KubeconfigReader::entries(Fields& top, const char* list, const char* key, Read read) {
  const YamlNode nothing;
  const YamlNode* node = top.any(list);
  if (node == nullptr || node->is_null()) return;
  if (node->kind != YamlNode::Kind::kSequence) {
    top.mistake(*node, std::string(list) + " must be a list, not " + node->describe());
    return;
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    const YamlNode& item = node->items[i];
    Fields in = fields(item, std::string(list) + "[" + std::to_string(i) + "]");
    std::string name;
    in.text("name", name);
    if (!names.insert(name).second) {
      in.mistake(item, "duplicate name " + json_string(name) + " in " + list);
    }
    const YamlNode* body = in.any(key);
    read(name, body == nullptr ? nothing : *body);
  }
}

std::string KubeconfigReader::base64(Fields& in, const char* key, const YamlNode& node) {
  std::string text;
  in.text(key, text);
  std::optional<std::string> bytes = decode_base64(text);
  if (bytes) return std::move(*bytes);
  in.mistake(*node.find(key), in.path(key) + " must be base64");
  return "";
}

KubeCluster KubeconfigReader::cluster(const YamlNode& node, const std::string& where) {
  KubeCluster cluster;
  Fields in = fields(node, where);
  in.text("server", cluster.server);
  in.text("tls-server-name", cluster.tls_server_name);
  in.boolean("insecure-skip-tls-verify", cluster.insecure);
  cluster.ca_file = path(in, "certificate-authority");
  cluster.ca_data = base64(in, "certificate-authority-data", node);
  in.text("proxy-url", cluster.proxy_url);
  in.boolean("disable-compression", cluster.disable_compression);
  cluster.exec_extension = exec_extension(in);
  return cluster;
}

std::string KubeconfigReader::exec_extension(Fields& in) {
  const YamlNode* list = in.any("extensions");
  if (list == nullptr) return "";
  for (const YamlNode& item : list->items) {
    const YamlNode* name = item.find("name");
    const YamlNode* body = item.find("extension");
    if (name == nullptr || body == nullptr || name->text != kExecExtension) continue;
    Result<std::string> json = to_json(*body);
    if (json) return std::move(*json);
    in.mistake(*body, json.error().message());
  }
  return "";
}

KubeUser KubeconfigReader::user(const YamlNode& node, const std::string& where) {
  KubeUser user;
  Fields in = fields(node, where, Values::kHidden);
  user.cert_file = path(in, "client-certificate");
  user.cert_data = base64(in, "client-certificate-data", node);
  user.key_file = path(in, "client-key");
  user.key_data = base64(in, "client-key-data", node);
  in.text("token", user.token);
  user.token_file = path(in, "tokenFile");
  in.text("username", user.username);
  in.text("password", user.password);
  in.text("as", user.impersonate.user);
  in.text("as-uid", user.impersonate.uid);
  in.texts("as-groups", user.impersonate.groups);
  if (const YamlNode* extra = in.any("as-user-extra")) {
    Fields each = fields(*extra, in.path("as-user-extra"));
    for (const YamlMember& member : extra->members) {
      each.texts(member.key, user.impersonate.extra[member.key]);
    }
  }
  if (const YamlNode* provider = in.any("auth-provider"); provider && !provider->is_null()) {
    const YamlNode* name = provider->find("name");
    user.auth_provider = name == nullptr ? "?" : name->text;
  }
  if (const YamlNode* node_exec = in.any("exec"); node_exec && !node_exec->is_null()) {
    user.exec = exec(*node_exec, in.path("exec"), user.interactive_mode);
  }
  return user;
}

ExecConfig KubeconfigReader::exec(const YamlNode& node, const std::string& where,
                                  std::string& interactive_mode) {
  ExecConfig exec;
  Fields in = fields(node, where, Values::kHidden);
  in.text("command", exec.command);
  if (exec.command.find('/') != std::string::npos) {
    exec.command = (directory_ / exec.command).lexically_normal().string();
  }
  if (const YamlNode* args = in.any("args")) {  // Empty arguments are allowed.
    for (const YamlNode& arg : args->items) {
      if (arg.kind != YamlNode::Kind::kString)
        in.mistake(arg, in.path("args") + " must be strings");
      exec.args.push_back(arg.text);
    }
  }
  if (const YamlNode* env = in.any("env")) {
    for (const YamlNode& item : env->items) {
      Fields pair = fields(item, in.path("env"), Values::kHidden);
      std::string name;
      std::string value;
      pair.text("name", name);
      pair.text("value", value);
      exec.env.emplace_back(std::move(name), std::move(value));
    }
  }
  in.text("apiVersion", exec.api_version);
  in.text("installHint", exec.install_hint);
  in.boolean("provideClusterInfo", exec.provide_cluster_info);
  in.text("interactiveMode", interactive_mode);
  return exec;
}

KubeContext KubeconfigReader::context(const YamlNode& node, const std::string& where) {
  KubeContext context;
  Fields in = fields(node, where);
  in.text("cluster", context.cluster);
  in.text("user", context.user);
  in.text("namespace", context.ns);
  return context;
}

}  // namespace

Result<KubeconfigContent> parse_kubeconfig(std::string_view text, const std::string& path) {
  YamlDocument document = parse_yaml(text, path);
  KubeconfigReader reader(path);
  reader.mistakes = std::move(document.mistakes);
  if (reader.mistakes.empty()) reader.read(document.root);
  if (reader.mistakes.empty()) return std::move(reader.content);
  const Mistake& first = reader.mistakes.front();
  std::string where;
  if (first.line > 0) {
    where =
        "line " + std::to_string(first.line) + ", column " + std::to_string(first.column) + ": ";
  }
  const std::size_t more = reader.mistakes.size() - 1;
  return Status(Code::kInvalid, "error loading config file \"" + path + "\": " + where +
                                    first.text +
                                    (more == 0 ? "" : " (and " + std::to_string(more) + " more)"));
}

void merge_kubeconfig(KubeconfigContent& into, KubeconfigContent from) {
  into.clusters.merge(from.clusters);
  into.users.merge(from.users);
  into.contexts.merge(from.contexts);
  if (into.current_context.empty()) into.current_context = std::move(from.current_context);
}

}  // namespace davit::host
