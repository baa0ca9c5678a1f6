//! DebugPages that a controller shows of itself.

/// A page of GET /debug/controllers/NAME/PATH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugPage {
    /// 200 to 599.
    pub http_status: i32,
    pub content_type: String,
    pub body: Vec<u8>,
}

impl DebugPage {
    pub fn new(content_type: impl Into<String>, body: impl Into<Vec<u8>>) -> DebugPage {
        DebugPage { http_status: 200, content_type: content_type.into(), body: body.into() }
    }
    pub fn text(body: impl Into<String>) -> DebugPage {
        DebugPage::new("text/plain; charset=utf-8", body.into())
    }
    /// `body` is JSON text.
    pub fn json(body: impl Into<String>) -> DebugPage {
        DebugPage::new("application/json", body.into())
    }
    pub fn html(body: impl Into<String>) -> DebugPage {
        DebugPage::new("text/html; charset=utf-8", body.into())
    }
    pub fn status(mut self, http_status: i32) -> DebugPage {
        self.http_status = http_status;
        self
    }
}
