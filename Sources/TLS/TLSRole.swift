import CTLS
import MeshCore

/// The end of a connection that somebody is, and so the role that a certificate allows its holder.
package enum TLSRole: Hashable, Sendable {
    /// The end that connects: an operator's machine.
    case client
    /// The end that is connected to: a gateway.
    case server

    package var opposite: TLSRole { self == .client ? .server : .client }

    package var name: String { self == .client ? "client" : "gateway" }

    /// OpenSSL's name of the extended key usage (RFC 5280, 4.2.1.12).
    var usage: String { self == .client ? "clientAuth" : "serverAuth" }

    /// OpenSSL's bit for that usage.
    var usageBit: UInt32 { UInt32(self == .client ? XKU_SSL_CLIENT : XKU_SSL_SERVER) }
}

/// Who the two ends of a connection are, for messages.
package enum TLSParties: Hashable, Sendable {
    case clientAndGateway
    case gatewayAndHub
}

/// One end of a connection, for messages.
struct TLSEnd {
    var role: TLSRole
    var parties: TLSParties

    var name: String { word(role) }

    var peerName: String { word(role.opposite) }

    var peer: String { "the \(peerName)" }

    private func word(_ role: TLSRole) -> String {
        switch parties {
        case .clientAndGateway: role.name
        case .gatewayAndHub: role == .client ? "gateway" : "hub"
        }
    }

    /// What helps if an end was given a file that is not for it.
    ///
    /// - Parameter usual: what helps clients and gateways.
    func filesHint(_ usual: Advice) -> Advice {
        switch parties {
        case .clientAndGateway: usual
        case .gatewayAndHub:
            """
            The hub takes the gateway's file of its pairing, and each gateway that comes to it a client's file of the \
            same pairing. If the pairing was renewed, all of them need new files.
            """
        }
    }

    /// The same for a hint of words alone.
    @_disfavoredOverload
    func filesHint(_ usual: String) -> Advice { filesHint(Advice(usual)) }

    /// What helps if the other end speaks something else.
    ///
    /// - Parameter usual: what helps clients and gateways.
    func addressHint(_ usual: Advice?) -> Advice? {
        switch parties {
        case .clientAndGateway: usual
        case .gatewayAndHub:
            role == .client ? "Check host and port: a hub has one address for gateways and another for clients." : nil
        }
    }
}
