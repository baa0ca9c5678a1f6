#include <algorithm>
#include <cmath>
#include <cstdio>
#include <davit/base64.hpp>
#include <davit/kube/time.hpp>
#include <map>
#include <tuple>

#include "host/loading/digest.hpp"
#include "host/status/host_status.hpp"
#include "lib/base/markup.hpp"

namespace davit::host {
namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--text:#1c2128;--dim:#5d6672;
--line:#dfe3e8;--blue:#1f6feb;--red:#c62f36;--green:#1a7f37;--amber:#9a6700}
@media (prefers-color-scheme:dark){:root{--bg:#0f1318;--card:#181d24;--text:#e3e8ee;--dim:#97a1ad;
--line:#2b323b;--blue:#58a6ff;--red:#ff7b72;--green:#56d364;--amber:#e3b341}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);
font:14px/1.45 system-ui,"DejaVu Sans",sans-serif}
main{max-width:1280px;margin:0 auto;padding:16px}
header{display:flex;flex-wrap:wrap;gap:4px 16px;align-items:baseline;margin-bottom:12px}
h1{font-size:22px;margin:0}h2{font-size:15px;margin:0 0 8px}
.dim{color:var(--dim)}.good{color:var(--green)}.bad{color:var(--red)}.warn{color:var(--amber)}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;
margin-bottom:12px}
.charts{display:grid;grid-template-columns:repeat(4,1fr);gap:12px;margin-bottom:12px}
.charts section{margin:0}
.charts b{font-size:20px;display:block}
svg{display:block;width:100%;height:56px}
polyline{fill:none;stroke:var(--blue);stroke-width:1.5;vector-effect:non-scaling-stroke}
.red polyline{stroke:var(--red)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:4px 10px 4px 0;border-bottom:1px solid var(--line);
white-space:nowrap;vertical-align:top}
th{color:var(--dim);font-weight:500}tr:last-child td{border-bottom:0}
td.n,th.n{text-align:right}
td.wrap{white-space:normal;min-width:220px;overflow-wrap:anywhere}
code{font:12px/1.4 ui-monospace,"DejaVu Sans Mono",monospace}
p{margin:4px 0}
@media (max-width:760px){main{padding:8px}.charts{grid-template-columns:repeat(2,1fr);gap:8px}
section{padding:10px}td.wrap{min-width:150px}
td:first-child,td.word{white-space:normal;overflow-wrap:anywhere;min-width:110px}
.minor{display:none}}
)css";

constexpr std::string_view kScript = R"js(
setInterval(async()=>{if(document.hidden)return;try{const r=await fetch(location.href,{
cache:'no-store'});
if(!r.ok)throw 0;const d=new DOMParser().parseFromString(await r.text(),'text/html'),
n=d.querySelector('main'),m=document.querySelector('main');
const x=[...m.querySelectorAll('.scroll')].map(e=>e.scrollLeft);m.replaceWith(n);
n.querySelectorAll('.scroll').forEach((e,i)=>e.scrollLeft=x[i]||0)}catch(e){
const s=document.querySelector('#live');
s.textContent='not reachable';s.className='bad'}},2000)
)js";

std::string hash_source(std::string_view text) {
  const std::string hex = sha256_hex(text);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return "'sha256-" + encode_base64(bytes) + "'";
}

std::string decimal(double value, int digits = 1) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string bytes_text(double bytes) {
  constexpr double kKibi = 1024;
  if (bytes < kKibi * kKibi) return decimal(bytes / kKibi) + " KiB";
  if (bytes < kKibi * kKibi * kKibi) return decimal(bytes / kKibi / kKibi) + " MiB";
  return decimal(bytes / kKibi / kKibi / kKibi) + " GiB";
}

std::string duration_text(Duration time) {
  const double seconds = std::chrono::duration<double>(time).count();
  if (seconds < 0.1) return decimal(seconds * 1000) + " ms";
  if (seconds < 120) return decimal(seconds) + " s";
  return decimal(seconds / 60, 0) + " min";
}

/// A table's cells, one row after the other.
class Table {
 public:
  /// Names that begin with "#" are of numbers, which stand on the right. A "-" before that: a phone
  /// does not show the column, so that those which tell of errors fit it.
  explicit Table(std::initializer_list<std::string_view> heads) {
    out_ = "<div class=scroll><table><thead><tr>";
    for (std::string_view head : heads) {
      is_minor_.push_back(head.starts_with('-'));
      if (is_minor_.back()) head.remove_prefix(1);
      const bool is_number = head.starts_with('#');
      if (is_number) head.remove_prefix(1);
      out_ += "<th" + class_of({is_minor_.back() ? "minor" : "", is_number ? "n" : ""}) + ">" +
              markup_escaped(head) + "</th>";
    }
    out_ += "</tr></thead><tbody>\n<tr>";
  }
  Table& text(std::string_view value, std::string_view tone = {}) { return cell("", value, tone); }
  Table& wrapped(std::string_view value) { return cell("wrap", value, {}); }
  /// A name that a phone breaks into lines.
  Table& name(std::string_view value) { return cell("word", value, {}); }
  /// A name with the error below it, which a phone can show together.
  Table& failure(std::string_view what, std::string_view error) {
    out_ += "<td class=\"wrap\">" + markup_escaped(what) + "<div class=bad>" +
            markup_escaped(error) + "</div></td>";
    ++column_;
    return *this;
  }
  Table& number(std::string_view value, std::string_view tone = {}) {
    return cell("n", value, tone);
  }
  template <typename Count>
  Table& count(Count value, std::string_view tone_if_any = {}) {
    return number(std::to_string(value), value > 0 ? tone_if_any : std::string_view());
  }
  void end_row() {
    out_ += "</tr>\n<tr>";
    column_ = 0;
  }
  [[nodiscard]] std::string str() const {
    return out_.substr(0, out_.size() - std::string_view("<tr>").size()) +
           "</tbody></table></div>\n";
  }

 private:
  Table& cell(std::string_view kind, std::string_view value, std::string_view tone) {
    out_ += "<td" + class_of({is_minor_[column_] ? "minor" : "", kind, tone}) + ">" +
            markup_escaped(value) + "</td>";
    ++column_;
    return *this;
  }
  /// The attribute; empty without names.
  static std::string class_of(std::initializer_list<std::string_view> names) {
    std::string classes;
    for (const std::string_view name : names) {
      if (!name.empty()) classes += (classes.empty() ? "" : " ") + std::string(name);
    }
    return classes.empty() ? classes : " class=\"" + classes + "\"";
  }

  std::vector<bool> is_minor_;
  std::size_t column_ = 0;
  std::string out_;
};

std::string section(std::string_view title, const std::string& body) {
  return "<section><h2>" + std::string(title) + "</h2>\n" + body + "</section>\n";
}

std::string chart(std::string_view title, std::string_view kind, const std::string& now,
                  const std::vector<double>& values) {
  constexpr double kHeight = 50;
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::string points;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = most > 0 ? kHeight - values[i] / most * (kHeight - 4) : kHeight;
    points += std::to_string(300 - values.size() + i) + "," + decimal(y) + " ";
  }
  return "<section class=\"" + std::string(kind) + "\"><span class=dim>" + std::string(title) +
         "</span><b>" + now +
         "</b><svg viewBox=\"0 0 300 52\" preserveAspectRatio=none role=img aria-label=\"" +
         std::string(title) + ", last five minutes\"><polyline points=\"" + points +
         "\"/></svg></section>\n";
}

std::string charts(const StatusView& view) {
  const auto last = [](const std::vector<double>& values) {
    return values.empty() ? 0.0 : values.back();
  };
  const StatusView::History& past = view.history;
  return "<div class=charts>\n" +
         chart("Syncs a second", "", decimal(last(past.syncs)), past.syncs) +
         chart("Failed syncs a second", "red", decimal(last(past.errors)), past.errors) +
         chart("Waiting keys", "", decimal(last(past.waiting), 0), past.waiting) +
         chart("Memory", "", bytes_text(last(past.memory)), past.memory) + "</div>\n";
}

std::string_view tone_of(std::string_view state) {
  if (state == "running") return "good";
  if (state == "stuck") return "bad";
  if (state == "paused" || state == "filling" || state == "waiting" || state == "verifying")
    return "warn";
  return "dim";
}

std::string controllers(const StatusView& view) {
  Table table({"controller", "state", "#waiting", "-#running", "-#backing off", "-#changes",
               "-#syncs/s", "-#errors/s", "-#syncs", "#errors", "-#CPU"});
  std::size_t at = 0;
  for (const PluginState& plugin : view.status.set.plugins) {
    for (const ControllerState& each : plugin.controllers) {
      const ControllerRates rates = at < view.rates.size() ? view.rates[at] : ControllerRates{};
      ++at;
      table.text(each.name).text(each.state, tone_of(each.state));
      table.count(each.waiting).count(each.use.running).count(each.use.delayed);
      table.count(each.use.pending_changes).number(decimal(rates.syncs));
      table.number(decimal(rates.errors), rates.errors > 0 ? "bad" : "");
      table.count(each.syncs.syncs).count(each.syncs.errors, "bad");
      table.number(decimal(rates.cpu * 100) + " %");
      table.end_row();
    }
  }
  return section("Controllers", table.str());
}

std::string failing_keys(const StatusView& view) {
  Table table({"controller", "key and error", "-since", "#failures"});
  std::size_t rows = 0;
  std::string more;
  for (const PluginState& plugin : view.status.set.plugins) {
    for (const ControllerState& each : plugin.controllers) {
      for (const FailingKey& key : each.failing.keys) {
        table.text(each.name).failure(key.key.empty() ? "a timer" : key.key, key.error);
        table.text(format_time(key.since)).count(key.failures, "bad");
        table.end_row();
        ++rows;
      }
      if (each.failing.others == 0) continue;
      more += "<p class=bad>" +
              markup_escaped(std::to_string(each.failing.others) + " further keys of " + each.name +
                             " fail") +
              "</p>\n";
    }
  }
  if (rows == 0 && more.empty()) return section("Failing keys", "<p class=dim>none</p>\n");
  return section("Failing keys", table.str() + more);
}

bool holds_any(const ControllerHoldings& held) {
  return held.objects + held.informers + held.timers + held.backing_off + held.unseen_writes +
             held.journal_bytes >
         0;
}

std::string holdings(const StatusView& view) {
  Table table({"controller", "#objects", "#of bytes", "-#informers", "-#timers", "#back-offs",
               "-#unseen writes", "#journal"});
  for (const PluginState& plugin : view.status.set.plugins) {
    for (const ControllerState& each : plugin.controllers) {
      const ControllerHoldings& held = each.held;
      if (!holds_any(held)) continue;
      table.text(each.name).count(held.objects);
      table.number(bytes_text(static_cast<double>(held.object_bytes)));
      table.count(held.informers).count(held.timers).count(held.backing_off);
      table.count(held.unseen_writes);
      table.number(bytes_text(static_cast<double>(held.journal_bytes)));
      table.end_row();
    }
  }
  return section("What controllers hold", table.str());
}

std::string informers(const StatusView& view) {
  Table table({"informer", "state", "#objects", "-#memory", "-#last confirmed", "#unreadable"});
  for (const CacheState& each : view.status.caches) {
    const bool is_stale = each.freshness.is_stale(view.status.now);
    table.text(each.resource.text() + (each.selection.empty() ? "" : " (" + each.selection + ")"));
    table.text(is_stale ? "stale" : "current", is_stale ? "bad" : "good");
    table.count(each.objects).number(bytes_text(static_cast<double>(each.bytes)));
    table.number(duration_text(unconfirmed_time(each.freshness, view.status.now)) + " ago");
    table.count(each.skipped.size(), "bad");
    table.end_row();
  }
  return section("Informers", table.str());
}

std::string plugins(const StatusView& view) {
  Table table({"plugin", "version", "#generation", "build", "grade", "#code and data", "note"});
  for (const PluginState& each : view.status.set.plugins) {
    std::string note;
    if (each.probation > Duration::zero())
      note = "on probation for " + duration_text(each.probation);
    if (each.shadow) note += " shadow: " + each.shadow->digest.substr(0, 12);
    table.text(each.name).text(each.build.version).count(each.build.generation);
    table.text(each.build.digest.substr(0, 12)).text(to_string(each.grade));
    table.number(bytes_text(static_cast<double>(each.mapped_bytes))).text(note, "warn");
    table.end_row();
  }
  std::string more;
  for (const Resident& each : view.status.set.residents) {
    more += "<p class=warn>" +
            markup_escaped(each.plugin + " generation " + std::to_string(each.build.generation) +
                           " is still in memory: " + each.reason) +
            "</p>\n";
  }
  for (const std::string& each : view.status.quarantined) {
    more += "<p class=bad>" + markup_escaped(each) + "</p>\n";
  }
  if (!view.status.set.busy.empty()) {
    more += "<p class=warn>under way: " + markup_escaped(view.status.set.busy) + "</p>\n";
  }
  return section("Plugins", table.str() + more);
}

std::string swaps(const StatusView& view) {
  if (view.swaps.empty()) return section("Swaps", "<p class=dim>none since the start</p>\n");
  Table table({"time", "plugin", "outcome", "-#generation", "-#pause", "report"});
  for (const PastSwap& each : view.swaps) {
    table.text(format_time(each.time)).text(each.plugin);
    table.text(each.outcome, each.outcome == "done" ? "good" : "bad");
    table.number(std::to_string(each.from) + " → " + std::to_string(each.to));
    table.number(duration_text(each.pause)).wrapped(each.text);
    table.end_row();
  }
  return section("Swaps", table.str());
}

std::string crashes(const StatusView& view) {
  if (view.status.crashes.empty()) return section("Crashes", "<p class=dim>none recorded</p>\n");
  Table table({"time", "signal", "plugin", "build", "controller", "key"});
  const auto& all = view.status.crashes;
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    table.text(format_time(each->time)).text(each->signal, "bad").text(each->plugin);
    table.text(each->build).text(each->controller).text(each->key);
    table.end_row();
  }
  return section("Crashes", table.str());
}

std::string object_text(const JournalObject& object) {
  return object.resource + " " + (object.ns.empty() ? "" : object.ns + "/") + object.name;
}

/// The reason of a sync: the last event that woke its key.
std::string why_text(const WorkRecord& work) {
  std::string text = "sync of " + (work.key.empty() ? std::string("a timer") : work.key);
  if (work.wakes.empty()) return text;
  const Wake& wake = work.wakes.back();
  switch (wake.kind) {
    case Wake::Kind::kAdded:
      return text + ", as " + object_text(wake.object) + " was added";
    case Wake::Kind::kUpdated:
      return text + ", as " + object_text(wake.object) + " was updated";
    case Wake::Kind::kDeleted:
      return text + ", as " + object_text(wake.object) + " was deleted";
    case Wake::Kind::kSync:
      return text + ", added by the sync of " + wake.object.name;
    case Wake::Kind::kTimer:
      break;
  }
  return text + ", added by a timer";
}

/// Writes of one controller that did the same to objects of one resource, with the same result.
struct WriteRow {
  const RecentWrite* recent;  ///< The newest one, with its sync.
  const Write* write;
  std::size_t times = 0;
  bool has_other_objects = false;
};

/// One row for all repeats, newest first: a namespace that cannot go repeats its writes without an
/// end, and a rollout differs in names only.
std::vector<WriteRow> fold_writes(const std::vector<RecentWrite>& all) {
  using Kind = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                          std::string_view, std::int32_t>;
  std::vector<WriteRow> rows;
  std::map<Kind, std::size_t> places;
  for (const RecentWrite& recent : all) {
    for (const Write& each : recent.work.writes) {
      const Kind kind{recent.controller,    each.verb,        each.object.group,
                      each.object.resource, each.subresource, each.http_status};
      const auto [place, is_new] = places.try_emplace(kind, rows.size());
      if (is_new) rows.push_back({&recent, &each});
      WriteRow& row = rows[place->second];
      ++row.times;
      row.has_other_objects = row.has_other_objects || row.write->object != each.object;
    }
  }
  return rows;
}

std::string writes(const StatusView& view) {
  if (view.writes.empty()) return section("Recent writes", "<p class=dim>none yet</p>\n");
  Table table({"-time", "#status", "controller", "write", "-#times", "-why"});
  for (const WriteRow& row : fold_writes(view.writes)) {
    const Write& newest = *row.write;
    const bool is_good = newest.http_status >= 200 && newest.http_status < 300;
    const std::string part = newest.subresource.empty() ? "" : "/" + newest.subresource;
    table.text(format_time(row.recent->time));
    table.number(std::to_string(newest.http_status), is_good ? "good" : "bad");
    table.name(row.recent->controller);
    table.wrapped(newest.verb + " " + object_text(newest.object) + part +
                  (row.has_other_objects ? " and others" : ""));
    table.count(row.times).wrapped(why_text(row.recent->work)).end_row();
  }
  return section("Recent writes", table.str());
}

std::string head_line(const StatusView& view) {
  using Role = LeadershipState::Role;
  const LeadershipState& lead = view.status.leadership;
  std::string role = "<span class=dim>no leader election</span>";
  if (lead.role == Role::kLeader) {
    role = "<span class=good>leader</span> <span class=dim>of " + markup_escaped(lead.lease) +
           " as " + markup_escaped(lead.holder) + "</span>";
  } else if (lead.role == Role::kStandby) {
    role = "<span class=warn>standby</span> <span class=dim>of " + markup_escaped(lead.lease) +
           ", held by " + markup_escaped(lead.holder.empty() ? "nobody" : lead.holder) + "</span>";
  }
  return "<header><h1>davit</h1><span class=dim>" + markup_escaped(view.status.version) +
         "</span><span>" + role + "</span><span class=dim>CPU " + decimal(view.cpu * 100) + " %, " +
         std::to_string(view.status.threads) + " threads</span><span id=live class=dim>" +
         markup_escaped(format_time(view.status.time)) + "</span></header>\n";
}

std::string notes(const StatusView& view) {
  std::string text;
  for (const std::string& each : view.status.notes) {
    text += "<p class=warn>" + markup_escaped(each) + "</p>\n";
  }
  return text.empty() ? text : section("Notes", text);
}

}  // namespace

std::string status_page(const StatusView& view) {
  return "<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>davit</title>\n"
         "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
         "<noscript><meta http-equiv=refresh content=5></noscript>\n<style>" +
         std::string(kStyle) + "</style></head><body><main>\n" + head_line(view) + notes(view) +
         charts(view) + controllers(view) + failing_keys(view) + writes(view) + plugins(view) +
         swaps(view) + crashes(view) + informers(view) + holdings(view) + "</main><script>" +
         std::string(kScript) + "</script></body></html>\n";
}

std::string status_page_policy() {
  return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
         "connect-src 'self'; style-src " +
         hash_source(kStyle) + "; script-src " + hash_source(kScript);
}

}  // namespace davit::host
