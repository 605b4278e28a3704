package import MeshCore

/// The reason why a secured connection is not possible or has ended against the rules. It never holds a key.
package struct TLSError: Error, Hashable, Sendable {
    /// What went wrong.
    package enum Kind: Hashable, Sendable {
        /// The other side does not speak TLS at all.
        case notTLS
        /// The sides have no version of TLS in common. Ours is 1.3 only.
        case version
        /// The other side speaks TLS for another purpose than meshplan (ALPN, RFC 7301).
        case otherProtocol
        case noCertificate
        /// Another authority than that of this pairing has signed the certificate of the other side.
        case unknownAuthority
        /// The certificate of the other side is no longer valid.
        case expired
        /// The certificate of the other side is not valid yet.
        case notYetValid
        /// The certificate of the other side is for another use: a gateway shows a client's, or a client a gateway's.
        case wrongUse
        /// We have denied the certificate of the other side.
        case denied
        /// The certificate of the other side is not acceptable for another reason.
        case badCertificate
        /// The other side refuses ours.
        case refused
        /// The connection has ended without the `close_notify` of TLS, so something may be missing.
        case truncated
        /// More has arrived, or is waiting to be sent, than a session can hold.
        case tooMuch
        /// What has arrived breaks the protocol or was changed on its way.
        case malformed
        case closed
        /// A file with certificates is not as it should be.
        case file
        /// The library refuses, or memory has run out.
        case library
    }

    package var kind: Kind
    /// The same in words: a clause without a full stop.
    package var message: String
    /// How to mend it, in one sentence or more; nil if nothing can be said.
    package var hint: Advice?

    package init(_ kind: Kind, _ message: String, hint: Advice? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    /// An error with a hint of words alone.
    @_disfavoredOverload
    package init(_ kind: Kind, _ message: String, hint: String?) {
        self.init(kind, message, hint: hint.map { Advice($0) })
    }
}

extension TLSError: CustomStringConvertible {
    package var description: String { message }
}
