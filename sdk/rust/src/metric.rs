//! Metrics of a controller, on the host's /metrics.
use crate::abi::*;
use crate::ctx::Ctx;
use crate::error::Result;
use crate::text::to_c;

/// A counter, gauge or histogram, from `Setup`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    pub(crate) handle: davit_handle,
}

impl Metric {
    /// Adds to a counter, sets a gauge, observes into a histogram. One value for each label.
    pub fn record(&self, ctx: &Ctx<'_>, value: f64, labels: &[&str]) -> Result<()> {
        let labels: Vec<davit_str> = labels.iter().map(|each| to_c(each)).collect();
        let code =
            unsafe { (ctx.host().metric()?.record)(ctx.raw(), self.handle, value, labels.as_ptr(), labels.len()) };
        ctx.checked(code, "the value was not recorded")
    }
    /// Deletes the series with these label values, if there is one.
    pub fn remove(&self, ctx: &Ctx<'_>, labels: &[&str]) -> Result<()> {
        let labels: Vec<davit_str> = labels.iter().map(|each| to_c(each)).collect();
        let code = unsafe { (ctx.host().metric()?.remove)(ctx.raw(), self.handle, labels.as_ptr(), labels.len()) };
        if code == DAVIT_NOT_FOUND {
            return Ok(());
        }
        ctx.checked(code, "the series was not removed")
    }
}

/// The form of a metric.
#[derive(Debug, Clone, Copy)]
pub enum MetricKind<'a> {
    Counter,
    Gauge,
    /// With the upper bounds of its buckets, rising.
    Histogram(&'a [f64]),
}

pub(crate) fn open(ctx: &Ctx<'_>, kind: MetricKind<'_>, name: &str, help: &str, labels: &[&str]) -> Result<Metric> {
    let labels: Vec<davit_str> = labels.iter().map(|each| to_c(each)).collect();
    let (number, buckets): (i32, &[f64]) = match kind {
        MetricKind::Counter => (DAVIT_METRIC_COUNTER, &[]),
        MetricKind::Gauge => (DAVIT_METRIC_GAUGE, &[]),
        MetricKind::Histogram(buckets) => (DAVIT_METRIC_HISTOGRAM, buckets),
    };
    let options = davit_metric_options {
        r#type: number,
        name: to_c(name),
        help: to_c(help),
        labels: labels.as_ptr(),
        label_count: labels.len(),
        buckets: buckets.as_ptr(),
        bucket_count: buckets.len(),
        ..davit_metric_options::new()
    };
    let mut handle = 0;
    let code = unsafe { (ctx.host().metric()?.open)(ctx.raw(), &options, &mut handle) };
    ctx.checked(code, &format!("cannot open the metric {}", name))?;
    Ok(Metric { handle })
}
