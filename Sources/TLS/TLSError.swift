/// Why a secured connection cannot be, or has ended otherwise than by its rules. Never holds a key.
package struct TLSError: Error, Hashable, Sendable {
    /// What went wrong.
    package enum Kind: Hashable, Sendable {
        /// The other side does not speak TLS at all.
        case notTLS
        /// The sides have no version of TLS in common; ours is 1.3 alone.
        case version
        /// The other side speaks TLS for another purpose than meshplan (ALPN, RFC 7301).
        case otherProtocol
        /// The other side sends no certificate.
        case noCertificate
        /// The certificate of the other side is signed by another authority than that of this pairing.
        case unknownAuthority
        /// The certificate of the other side is not valid any more.
        case expired
        /// The certificate of the other side is not valid yet.
        case notYetValid
        /// The certificate of the other side is for something else: a client's in a gateway, or the reverse.
        case wrongUse
        /// The certificate of the other side was denied here.
        case denied
        /// The certificate of the other side is unacceptable for another reason.
        case badCertificate
        /// The other side does not accept ours.
        case refused
        /// The connection has ended without the farewell of TLS, so that something may be missing.
        case truncated
        /// More has arrived, or waits to be sent, than a session holds.
        case tooMuch
        /// What has arrived is not what the protocol allows, or was changed on its way.
        case malformed
        /// The session is closed on our side.
        case closed
        /// A file with certificates is not as it should be.
        case file
        /// The library refuses, or has no memory.
        case library
    }

    /// What went wrong.
    package var kind: Kind
    /// The same in words, a clause without a full stop.
    package var message: String
    /// How to mend it, one sentence or more, if anything can be said.
    package var hint: String?

    /// An error of those parts.
    package init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }
}

extension TLSError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
