import CTLS

/// The errors of OpenSSL in this thread. A call may leave several; the first is the cause.
enum ErrorQueue {
    /// Forgets the errors of earlier calls, so that errors found afterwards belong to the next one.
    static func clear() { ERR_clear_error() }

    /// The reasons in the queue, the cause first. The queue is empty afterwards.
    static func drain() -> [LibraryReason] {
        var reasons: [LibraryReason] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { return reasons }
            reasons.append(LibraryReason(code: code))
        }
    }

    /// An error for a call that fails only if memory runs out or the library is broken.
    static func failure(_ what: String) -> TLSError {
        let reason = drain().first?.text
        return TLSError(.library, "OpenSSL cannot \(what)" + (reason.map { ": \($0)" } ?? ""))
    }
}

/// One entry of the queue.
struct LibraryReason: Hashable {
    /// The part of the library and the reason, in one number.
    let code: UInt

    /// The part of the library, such as `ERR_LIB_SSL`.
    var library: Int32 { ERR_GET_LIB(code) }

    /// The reason within that part.
    var number: Int32 { ERR_GET_REASON(code) }

    /// The description of an alert from the other side (RFC 8446, 6), if that is the reason.
    var alert: Int32? {
        guard library == ERR_LIB_SSL, number > SSL_AD_REASON_OFFSET, number < SSL_AD_REASON_OFFSET + 256 else {
            return nil
        }
        return number - SSL_AD_REASON_OFFSET
    }

    var text: String { ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)" }
}
