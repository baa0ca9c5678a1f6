/// A controller with one fault of each kind that `davit plugin explore` names, and with CAREFUL
/// defined the same controller without them. docs/EXPLORER.md shows both.
///
/// Its objects are ConfigMaps: orders and invoices get a receipt each, and discarded drafts go.
#include <davit/entry.hpp>
#include <davit/kube/metadata.hpp>
#include <string>

namespace {

using namespace davit;

class ConfigMap : public ObjectView {
 public:
  static constexpr Resource kResource{"", "v1", "configmaps", "ConfigMap"};
  using ObjectView::ObjectView;
};

constexpr const char* kDone = R"({"metadata":{"labels":{"done":"yes"}}})";

class DeskController : public Controller {
 public:
  explicit DeskController(Context& context)
      : client_(context.client()),
        queue_(context.open_queue({.name = "desk"}, [this](const Key& k) { return sync(k); })),
        papers_(context.open_informer<ConfigMap>(
            {.added = [this](const ConfigMap& paper) { queue_.add(paper); },
             .updated = [this](const ConfigMap&, const ConfigMap& paper) { queue_.add(paper); }})) {
  }

 private:
  [[nodiscard]] Result<Again> sync(const Key& key) const {
    const Lookup<ConfigMap> paper = papers_.get(key);
    if (!paper) return Again::when_changed();
    const std::string_view kind = paper->label("desk").value_or("");
    const bool is_done = paper->label("done").has_value();
    Status done;
    if (kind == "order" && !is_done) done = take_order(key);
    if (kind == "invoice" && !is_done) done = take_invoice(key);
    if (kind == "draft" && paper->label("discard") == "yes") done = discard(*paper);
    if (!done.ok()) return done;
    return Again::when_changed();
  }

  [[nodiscard]] Status take_order(const Key& order) const {
#ifdef CAREFUL
    // The name is the same each time: the server refuses a second receipt.
    Status made = write_receipt(order, R"("name":"receipt-)" + order.name + '"');
    made = made.unless(Code::kAlreadyExists);
#else
    Status made = write_receipt(order, R"("generateName":"receipt-")");
#endif
    return made.ok() ? mark(order) : made;
  }

  [[nodiscard]] Status take_invoice(const Key& invoice) const {
    const std::string name = R"("name":"receipt-)" + invoice.name + '"';
#ifdef CAREFUL
    // The mark comes last: who stops before it begins again.
    const Status made = write_receipt(invoice, name).unless(Code::kAlreadyExists);
    return made.ok() ? mark(invoice) : made;
#else
    const Status marked = mark(invoice);
    return marked.ok() ? write_receipt(invoice, name) : marked;
#endif
  }

  [[nodiscard]] Status discard(const ConfigMap& draft) const {
#ifdef CAREFUL
    // The server compares: a draft that has changed meanwhile stays, and is looked at again.
    const DeleteOptions options{.uid = std::string(draft.uid()),
                                .resource_version = std::string(draft.resource_version())};
#else
    const DeleteOptions options;
#endif
    return client_.remove<ConfigMap>(draft.key(), options).unless(Code::kNotFound);
  }

  [[nodiscard]] Status write_receipt(const Key& of, const std::string& name) const {
    return client_
        .create<ConfigMap>(of.ns, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{)" + name +
                                      R"(,"labels":{"receipt":")" + of.name + R"("}}})")
        .error();
  }
  [[nodiscard]] Status mark(const Key& paper) const {
    return client_.patch<ConfigMap>(paper, PatchType::kMerge, kDone).error();
  }

  Client client_;
  Queue queue_;
  Informer<ConfigMap> papers_;
};

constexpr void declare(Note& note) {
  note.plugin("desk", "0.1.0")
      .controller({.name = "desk-controller", .factory = &make<DeskController>})
      .rule<ConfigMap>({"create", "patch", "delete"})
      .watch<ConfigMap>({"metadata.labels"});
}

}  // namespace

DAVIT_PLUGIN(declare);
