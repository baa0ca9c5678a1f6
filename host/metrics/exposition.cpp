#include "host/metrics/exposition.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace davit::host {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

std::string_view type_name(prometheus::MetricType type) {
  switch (type) {
    case prometheus::MetricType::Counter:
      return "counter";
    case prometheus::MetricType::Gauge:
      return "gauge";
    case prometheus::MetricType::Histogram:
      return "histogram";
    case prometheus::MetricType::Summary:
      return "summary";
    case prometheus::MetricType::Untyped:
      break;
  }
  return "untyped";
}

enum class Escape { kHelp, kLabel };

void append_escaped(std::string& out, std::string_view text, Escape escape) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && escape == Escape::kLabel) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

/// One line. `bound` is the value of the label `le`, or empty.
void append_sample(std::string& out, const MetricFamily& family, std::string_view suffix,
                   const ClientMetric& metric, std::string_view bound, double value) {
  out += family.name;
  out += suffix;
  char before = '{';
  const auto label = [&](std::string_view name, std::string_view text) {
    out += before;
    before = ',';
    out += name;
    out += "=\"";
    append_escaped(out, text, Escape::kLabel);
    out += '"';
  };
  for (const ClientMetric::Label& each : metric.label) label(each.name, each.value);
  if (!bound.empty()) label("le", bound);
  if (before == ',') out += '}';
  out += ' ';
  out += number_text(value);
  out += '\n';
}

void append_histogram(std::string& out, const MetricFamily& family, const ClientMetric& metric) {
  bool infinite = false;
  for (const ClientMetric::Bucket& bucket : metric.histogram.bucket) {
    infinite = std::isinf(bucket.upper_bound);
    append_sample(out, family, "_bucket", metric, number_text(bucket.upper_bound),
                  static_cast<double>(bucket.cumulative_count));
  }
  const auto count = static_cast<double>(metric.histogram.sample_count);
  if (!infinite) append_sample(out, family, "_bucket", metric, "+Inf", count);
  append_sample(out, family, "_sum", metric, {}, metric.histogram.sample_sum);
  append_sample(out, family, "_count", metric, {}, count);
}

void append_family(std::string& out, const MetricFamily& family) {
  out += "# HELP " + family.name + " ";
  append_escaped(out, family.help, Escape::kHelp);
  out += "\n# TYPE " + family.name + " ";
  out += type_name(family.type);
  out += '\n';
  for (const ClientMetric& metric : family.metric) {
    switch (family.type) {
      case prometheus::MetricType::Counter:
        append_sample(out, family, {}, metric, {}, metric.counter.value);
        break;
      case prometheus::MetricType::Histogram:
        append_histogram(out, family, metric);
        break;
      default:
        append_sample(out, family, {}, metric, {}, metric.gauge.value);
    }
  }
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[40];
  char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const std::string_view scientific(text, static_cast<std::size_t>(end - text));
  const std::size_t e = scientific.find('e');
  const int exponent = std::atoi(std::string(scientific.substr(e + 1)).c_str());
  constexpr int kLargestFixed = 5;  // Go's rule: shortest numbers switch at six digits.
  if (exponent >= -4 && exponent <= kLargestFixed) {
    end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr;
  }
  return {text, static_cast<std::size_t>(end - text)};
}

std::string exposition(std::vector<MetricFamily> families) {
  std::sort(families.begin(), families.end(),
            [](const MetricFamily& a, const MetricFamily& b) { return a.name < b.name; });
  std::string out;
  for (MetricFamily& family : families) {
    if (family.metric.empty()) continue;
    std::sort(family.metric.begin(), family.metric.end(),
              [](const ClientMetric& a, const ClientMetric& b) { return a.label < b.label; });
    append_family(out, family);
  }
  return out;
}

}  // namespace davit::host
