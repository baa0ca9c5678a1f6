#include <gtest/gtest.h>

#include <array>
#include <davit/entry.hpp>
#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/testing/json.hpp>
#include <string>

namespace davit {
namespace {

class Idle : public Controller {
 public:
  explicit Idle(Context&) {}
};

/// A view that names what it reads.
class Gadget : public ObjectView {
 public:
  static constexpr Resource kResource{"example.com", "v1", "gadgets", "Gadget"};
  static constexpr std::string_view kProjection[] = {"spec.size"};
  using ObjectView::ObjectView;
};

constexpr void declare_small(Note& note) {
  note.plugin("small", "0.1.0").controller({.name = "small-controller", .factory = &make<Idle>});
}

constexpr std::array<std::string_view, 2> kPaths{"spec.a", "spec.b"};

constexpr void declare_all(Note& note) {
  note.plugin("all", "1.2.3")
      .needs("davit.http/1")
      .controller({.name = "first",
                   .factory = &make<Idle>,
                   .aliases = {"one", "uno"},
                   .workers = 12,
                   .client_name = "The_First",
                   .event_component = "the-first",
                   .off_by_default = true,
                   .without_leadership = true})
      .rule<Pod>({"patch"}, {.subresource = "status", .resource_names = {"a"}, .namespaces = {"n"}})
      .rule(kEveryResource, {"get"}, {.namespaces_from = from_config("where")})
      .events()
      .watch<Pod>({"metadata.annotations['a\"b\\c']"}, {.field_selector = "metadata.name=x"})
      .watch<Node>({.label_selector = from_config("labels", "app=web"), .namespaces = {"m"}})
      .watch<Gadget>()
      .watch<Node>(kPaths)
      .http(from_config("server"), from_config("ca", ""))
      .controller({.name = "second", .factory = &make<Idle>})
      .http({"a.example.com", "*.b.example.com"});
}

std::string base_capabilities() {
  return R"("davit.object/1","davit.informer/1","davit.queue/1","davit.client/1","davit.timer/1",)"
         R"("davit.event/1","davit.log/1","davit.clock/1","davit.random/1","davit.metric/1",)"
         R"("davit.config/1")";
}

TEST(NoteTest, SmallestDeclarationIsANote) {
  EXPECT_EQ(note_text<declare_small>(),
            R"({"name":"small","version":"0.1.0","abi":"1.0","requires":[)" + base_capabilities() +
                R"(],"controllers":[{"name":"small-controller","workers":1}]})");
}

TEST(NoteTest, EveryDeclarationHasItsMember) {
  EXPECT_EQ(
      note_text<declare_all>(),
      R"({"name":"all","version":"1.2.3","abi":"1.0","requires":[)" + base_capabilities() +
          R"(,"davit.http/1"],"controllers":[{"name":"first","aliases":["one","uno"],)"
          R"("workers":12,"clientName":"The_First","eventComponent":"the-first",)"
          R"("offByDefault":true,"withoutLeadership":true,)"
          R"("rules":[{"group":"","resource":"pods","subresource":"status","verbs":["patch"],)"
          R"("resourceNames":["a"],"namespaces":["n"]},)"
          R"({"group":"*","resource":"*","verbs":["get"],"namespaces":{"config":"where"}},)"
          R"({"group":"","resource":"events","verbs":["create","patch"]},)"
          R"({"group":"events.k8s.io","resource":"events","verbs":["create","patch"]}],)"
          R"("watches":[{"group":"","version":"v1","resource":"pods",)"
          R"("fieldSelector":"metadata.name=x",)"
          R"("projection":["metadata.annotations['a\"b\\c']"]},)"
          R"({"group":"","version":"v1","resource":"nodes",)"
          R"("labelSelector":{"config":"labels","default":"app=web"},"namespaces":["m"]},)"
          R"({"group":"example.com","version":"v1","resource":"gadgets",)"
          R"("projection":["spec.size"]},)"
          R"({"group":"","version":"v1","resource":"nodes","projection":["spec.a","spec.b"]}],)"
          R"("http":{"hosts":{"config":"server"},"roots":{"config":"ca","default":""}}},)"
          R"({"name":"second","workers":1,)"
          R"("http":{"hosts":["a.example.com","*.b.example.com"]}}]})");
}

TEST(NoteTest, TheTableHasTheDeclaredControllersInTheirOrder) {
  const davit_plugin& plugin = detail::kPlugin<declare_all>;
  ASSERT_EQ(plugin.row_count, 2u);
  EXPECT_EQ(from_c(plugin.rows[0].name), "first");
  EXPECT_EQ(from_c(plugin.rows[1].name), "second");
}

TEST(NoteTest, TheElfNoteHasTheFormThatTheHostReads) {
  constexpr auto kNote = detail::elf_note<declare_small>();
  EXPECT_EQ(kNote.owner_size, 6u);
  EXPECT_EQ(std::string(kNote.owner), "davit");
  EXPECT_EQ(kNote.type, 1u);
  EXPECT_EQ(kNote.text_size, note_text<declare_small>().size() + 1);
  EXPECT_EQ(std::string(kNote.text), note_text<declare_small>());
}

}  // namespace
}  // namespace davit
