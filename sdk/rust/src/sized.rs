//! Structs and tables of the host, which may be of a host with another minor of the contract.
use crate::abi::*;
use crate::cloud_abi::davit_cloud_host_v1;
use std::mem::{size_of, MaybeUninit};

/// A struct or table that begins with its size.
///
/// # Safety
/// `FIRST` is its size in 1.0, and all zero is a value of each member that came later: a function is an `Option` there.
pub(crate) unsafe trait Growing {
    const FIRST: usize;
}

macro_rules! sizes {
    ($($name:ident $size:literal),* $(,)?) => {$(
        unsafe impl Growing for $name {
            const FIRST: usize = $size;
        }
    )*};
}
// As tests/golden/abi_layout.txt and cloud_layout.txt have them. They are the contract and never change.
sizes! {
    davit_sink 24, davit_call 88, davit_object_v1 160, davit_event 48, davit_informer_v1 40, davit_sync_result 16,
    davit_queue_v1 64, davit_response 80, davit_client_v1 40, davit_timer_v1 24, davit_event_v1 16, davit_log_v1 24,
    davit_clock_v1 32, davit_random_v1 16, davit_metric_v1 32, davit_config_v1 16, davit_freshness_v1 32,
    davit_served_resource 128, davit_unknown_version 56, davit_discovery_v1 56, davit_informer_v2 48, davit_waker_v1 40,
    davit_http_v1 24, davit_context 48, davit_page 32, davit_cloud_host_v1 16,
}

/// A copy of what the host gives: members beyond the size that it says are zero. None: it is not there, or shorter than in 1.0.
///
/// # Safety
/// `from` is null or points to as many bytes as its first member says.
pub(crate) unsafe fn read_sized<T: Growing>(from: *const T) -> Option<T> {
    if from.is_null() {
        return None;
    }
    let size = from.cast::<u32>().read() as usize;
    if size < T::FIRST {
        return None;
    }
    let mut to = MaybeUninit::<T>::zeroed();
    std::ptr::copy_nonoverlapping(from.cast::<u8>(), to.as_mut_ptr().cast::<u8>(), size.min(size_of::<T>()));
    Some(to.assume_init())
}

/// The `index`-th element of an array whose elements are `stride` bytes apart.
///
/// # Safety
/// The array has that element.
pub(crate) unsafe fn read_element<T: Growing>(array: *const T, stride: u32, index: usize) -> Option<T> {
    read_sized(array.cast::<u8>().add(stride as usize * index).cast::<T>())
}
