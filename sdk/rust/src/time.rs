//! Times as objects have them: RFC 3339.
use crate::json::{JsonWriter, ToJson};
use std::time::Duration;

/// A point in time, since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    pub seconds: i64,
    pub nanos: u32,
}

impl Time {
    /// "2026-01-31T12:00:00Z", with fractions or in another time zone. Nothing for other texts, and for Go's zero time in year 1.
    pub fn parse(text: &str) -> Option<Time> {
        const ZERO: i64 = -62_135_596_800;
        let mut rest = text.as_bytes();
        let year = number(&mut rest, 4, b'-')?;
        let month = number(&mut rest, 2, b'-')?;
        let day = number(&mut rest, 2, b'T')?;
        let hour = number(&mut rest, 2, b':')?;
        let minute = number(&mut rest, 2, b':')?;
        let second = digits(&mut rest, 2)?;
        if !(1..=12).contains(&month) || day < 1 || day > days_of(year, month) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut nanos = 0;
        if let Some((b'.' | b',', behind)) = rest.split_first() {
            let count = behind.iter().take_while(|each| each.is_ascii_digit()).count();
            if count == 0 {
                return None;
            }
            for place in 0..9 {
                nanos = nanos * 10 + behind[..count].get(place).map_or(0, |each| u32::from(each - b'0'));
            }
            rest = &behind[count..];
        }
        let seconds = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - zone(rest)?;
        Some(Time { seconds, nanos }).filter(|time| time.seconds != ZERO || time.nanos != 0)
    }
    /// The time from `earlier` to this one; zero if that is later.
    pub fn since(self, earlier: Time) -> Duration {
        let nanos = (i128::from(self.seconds) - i128::from(earlier.seconds)) * 1_000_000_000 + i128::from(self.nanos)
            - i128::from(earlier.nanos);
        let nanos = nanos.max(0);
        Duration::new((nanos / 1_000_000_000) as u64, (nanos % 1_000_000_000) as u32)
    }
    pub fn plus(self, duration: Duration) -> Time {
        let nanos = self.nanos + duration.subsec_nanos();
        let whole = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
        let seconds = self.seconds.saturating_add(whole).saturating_add(i64::from(nanos / 1_000_000_000));
        Time { seconds, nanos: nanos % 1_000_000_000 }
    }
}

/// Whole seconds, as the server stores times. Years outside 0 to 9999 are cut to them.
impl std::fmt::Display for Time {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.seconds.clamp(-62_167_219_200, 253_402_300_799);
        let (days, rest) = (seconds.div_euclid(86400), seconds.rem_euclid(86400));
        let (year, month, day) = civil_from_days(days);
        write!(out, "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, month, day, rest / 3600, rest / 60 % 60, rest % 60)
    }
}

impl ToJson for Time {
    fn write(&self, out: &mut JsonWriter) {
        out.string(&self.to_string());
    }
}

fn digits(rest: &mut &[u8], count: usize) -> Option<i64> {
    let found = rest.get(..count).filter(|found| found.iter().all(u8::is_ascii_digit))?;
    *rest = &rest[count..];
    Some(found.iter().fold(0, |number, each| number * 10 + i64::from(each - b'0')))
}

/// Digits with `mark` behind them.
fn number(rest: &mut &[u8], count: usize, mark: u8) -> Option<i64> {
    let found = digits(rest, count)?;
    *rest = rest.strip_prefix(&[mark])?;
    Some(found)
}

/// Seconds east of Greenwich.
fn zone(text: &[u8]) -> Option<i64> {
    let (sign, mut rest) = text.split_first()?;
    if *sign == b'Z' {
        return Some(0).filter(|_| rest.is_empty());
    }
    let hours = number(&mut rest, 2, b':')?;
    let minutes = digits(&mut rest, 2)?;
    if !b"+-".contains(sign) || !rest.is_empty() || hours > 24 || minutes > 59 {
        return None;
    }
    Some((hours * 60 + minutes) * if *sign == b'-' { -60 } else { 60 })
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from 1970-01-01. A year that begins in March has its leap day at the end.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year = year.rem_euclid(400);
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year * 365 + year / 4 - year / 100 + of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146_096) / 365;
    let of_year = of_era - (year * 365 + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (year + era * 400 + i64::from(month <= 2), month, of_year - (153 * from_march + 2) / 5 + 1)
}
