//! The ELF note of a plugin.

/// As DAVIT_NOTE of abi.h makes it: `SIZE` holds the text and its NUL, in whole words.
#[repr(C, align(4))]
pub struct Note<const SIZE: usize> {
    owner_size: u32,
    text_size: u32,
    kind: u32,
    owner: [u8; 8],
    text: [u8; SIZE],
}

impl<const SIZE: usize> Note<SIZE> {
    pub const fn new(json: &str) -> Self {
        let bytes = json.as_bytes();
        let mut text = [0u8; SIZE];
        let mut at = 0;
        while at < bytes.len() {
            text[at] = bytes[at];
            at += 1;
        }
        Note { owner_size: 6, text_size: bytes.len() as u32 + 1, kind: 1, owner: *b"davit\0\0\0", text }
    }
}
