//! Quantities and durations, compared by value.
use std::time::Duration;

/// A number with a suffix, exact: "500m", "1Gi", "1e3".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    negative: bool,
    digits: u128, // Not divisible by 10, or 0.
    exponent: i32, // Of ten.
}

impl Quantity {
    /// Nothing for other texts, and for more than 38 digits.
    pub fn parse(text: &str) -> Option<Quantity> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return None;
        }
        let mut digits = (whole.to_string() + fraction).parse::<u128>().ok()?;
        let mut exponent = -i32::try_from(fraction.len()).ok()?;
        const DECIMAL: [(&str, i32); 10] =
            [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
        if let Some((_, shift)) = DECIMAL.iter().find(|(each, _)| *each == suffix) {
            exponent += shift;
        } else if let Some(power) = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].iter().position(|each| *each == suffix) {
            digits = digits.checked_mul(1u128 << (10 * (power as u32 + 1)))?;
        } else {
            exponent = exponent.checked_add(suffix.strip_prefix(&['e', 'E'][..])?.parse().ok()?)?;
        }
        while digits != 0 && digits % 10 == 0 {
            digits /= 10;
            exponent = exponent.checked_add(1)?;
        }
        if digits == 0 {
            return Some(Quantity { negative: false, digits: 0, exponent: 0 });
        }
        Some(Quantity { negative, digits, exponent })
    }
    /// The nearest floating-point number.
    pub fn as_f64(&self) -> f64 {
        let size = self.digits as f64 * 10f64.powi(self.exponent);
        if self.negative {
            -size
        } else {
            size
        }
    }
    /// In thousandths, rounded up away from zero; nothing if that is not within i64.
    pub fn milli(&self) -> Option<i64> {
        let exponent = self.exponent.checked_add(3)?;
        let scale = 10u128.checked_pow(exponent.unsigned_abs().min(39));
        let size = match scale {
            Some(scale) if exponent >= 0 => self.digits.checked_mul(scale)?,
            Some(scale) => self.digits / scale + u128::from(self.digits % scale != 0),
            None if exponent < 0 => 1,
            None => return Some(0).filter(|_| self.digits == 0),
        };
        let size = i64::try_from(size).ok()?;
        Some(if self.negative { -size } else { size })
    }
}

/// A duration as Go writes it: "1h30m", "1.5s", "300ms". Nothing for other texts and for negative ones.
pub fn parse_duration(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    let mut total: u64 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = rest.split_at(end);
        let end = behind.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        let nanos: u64 = match unit {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return None;
        }
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let mut part = u128::from(nanos);
        let mut of_fraction = 0;
        for digit in fraction.bytes() {
            of_fraction += part * u128::from(digit - b'0') / 10;
            part /= 10;
        }
        total = total.checked_add(whole.checked_mul(nanos)?)?.checked_add(u64::try_from(of_fraction).ok()?)?;
        rest = behind;
    }
    // Go's durations end at 292 years.
    Some(Duration::from_nanos(total)).filter(|_| total <= i64::MAX as u64)
}
