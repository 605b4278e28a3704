internal import CTLS

/// Which end of a connection somebody is, and so what a certificate allows its holder to be.
package enum TLSRole: Hashable, Sendable {
    /// Connects: an operator's machine.
    case client
    /// Is connected to: a gateway.
    case server

    /// The other end.
    package var opposite: TLSRole { self == .client ? .server : .client }

    /// What messages call it.
    package var name: String { self == .client ? "client" : "gateway" }

    /// What messages call the other end.
    var peer: String { "the \(opposite.name)" }

    /// How OpenSSL writes the extended key usage (RFC 5280, 4.2.1.12).
    var usage: String { self == .client ? "clientAuth" : "serverAuth" }

    /// The bit that OpenSSL gives that usage.
    var usageBit: UInt32 { UInt32(self == .client ? XKU_SSL_CLIENT : XKU_SSL_SERVER) }
}
