#if Gateway
import CTLS
#endif

/// The end of a connection that somebody is, and so the role that a certificate allows its holder.
package enum TLSRole: Hashable, Sendable {
    /// The end that connects: an operator's machine.
    case client
    /// The end that is connected to: a gateway.
    case server

    /// The other end.
    package var opposite: TLSRole { self == .client ? .server : .client }

    /// The word for it in messages.
    package var name: String { self == .client ? "client" : "gateway" }

    /// The words for the other end in messages.
    var peer: String { "the \(opposite.name)" }

    /// OpenSSL's name of the extended key usage (RFC 5280, 4.2.1.12).
    var usage: String { self == .client ? "clientAuth" : "serverAuth" }

    #if Gateway
    /// OpenSSL's bit for that usage.
    var usageBit: UInt32 { UInt32(self == .client ? XKU_SSL_CLIENT : XKU_SSL_SERVER) }
    #endif
}
