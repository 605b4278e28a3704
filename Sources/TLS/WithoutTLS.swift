#if !Gateway
package import MeshCore

// What stands for TLS in a build without the trait `Gateway`, which does not link libssl. None of these objects can be
// made, so whoever asks for one is told why.

extension TLSError {
    fileprivate static var noTLS: TLSError {
        TLSError(
            .library,
            "this build has no TLS, so it can neither connect to a gateway nor be one",
            hint: "Use a build with the trait Gateway, which is on by default."
        )
    }
}

/// Who signs the certificates of a pairing; never made in this build.
package final class CertificateAuthority {
    private let unreachable: () -> Never

    /// When a certificate is valid.
    package struct Validity: Hashable, Sendable {
        /// The beginning.
        package var from: Timestamp
        /// The end.
        package var until: Timestamp

        package init(from: Timestamp, until: Timestamp) {
            self.from = from
            self.until = until
        }
    }

    /// Its own certificate.
    package var certificate: Certificate { unreachable() }

    /// Makes none.
    ///
    /// - Throws: ``TLSError/Kind/library`` always.
    package init(name: String, validity: Validity) throws(TLSError) { throw .noTLS }

    /// Reads none.
    ///
    /// - Throws: ``TLSError/Kind/library`` always.
    package init(pem: [UInt8]) throws(TLSError) { throw .noTLS }

    /// Its file.
    ///
    /// - Throws: nothing, since there is no authority.
    package func pem() throws(TLSError) -> [UInt8] { unreachable() }

    /// A signed certificate.
    ///
    /// - Throws: nothing, since there is no authority.
    package func issue(_ role: TLSRole, name: String, validity: Validity) throws(TLSError) -> [UInt8] {
        unreachable()
    }
}

/// Who somebody is at an end of a connection; never made in this build.
package final class TLSIdentity {
    private let unreachable: () -> Never

    /// Its own certificate.
    package var certificate: Certificate { unreachable() }
    /// The certificate of the authority that signed it.
    package var authority: Certificate { unreachable() }
    /// What it is for.
    package var role: TLSRole { unreachable() }
    /// When it begins to be valid.
    package var validFrom: Timestamp { unreachable() }
    /// When it ceases to be valid.
    package var validUntil: Timestamp { unreachable() }

    /// Reads none.
    ///
    /// - Throws: ``TLSError/Kind/library`` always.
    package init(pem: [UInt8]) throws(TLSError) { throw .noTLS }

    /// Refuses another role.
    ///
    /// - Throws: nothing, since there is no identity.
    package func check(_ role: TLSRole) throws(TLSError) { unreachable() }
}

/// What all connections of one identity share; never made in this build.
package final class TLSContext {
    private let unreachable: () -> Never

    /// The own role.
    package var role: TLSRole { unreachable() }
    /// The own certificate.
    package var certificate: Certificate { unreachable() }
    /// The fingerprints that are refused.
    package var denied: Set<[UInt8]> { unreachable() }

    /// Makes none.
    ///
    /// - Throws: ``TLSError/Kind/library`` always.
    package init(
        _ identity: TLSIdentity,
        role: TLSRole,
        parties: TLSParties = .clientAndGateway,
        denied: Set<[UInt8]> = []
    ) throws(TLSError) { throw .noTLS }
}

/// One secured connection; never made in this build.
package final class TLSSession {
    private let unreachable: () -> Never

    /// The own role.
    package var role: TLSRole { unreachable() }
    /// Whether both sides have agreed.
    package var isEstablished: Bool { unreachable() }
    /// The certificate of the other side.
    package var peer: Certificate? { unreachable() }
    /// Whether the other side has closed it.
    package var isClosedByPeer: Bool { unreachable() }

    /// Makes none.
    ///
    /// - Throws: ``TLSError/Kind/library`` always.
    package init(_ context: TLSContext, at now: Timestamp, denied: Set<[UInt8]> = []) throws(TLSError) { throw .noTLS }

    /// Takes what has arrived.
    ///
    /// - Throws: nothing, since there is no session.
    package func receive(_ ciphertext: some Collection<UInt8>) throws(TLSError) { unreachable() }

    /// Takes the end of the connection.
    ///
    /// - Throws: nothing, since there is no session.
    package func receiveEnd() throws(TLSError) { unreachable() }

    /// What the other side has said.
    package func read() -> [UInt8] { unreachable() }

    /// Says something.
    ///
    /// - Throws: nothing, since there is no session.
    package func write(_ octets: some Collection<UInt8>) throws(TLSError) { unreachable() }

    /// What is to be sent.
    package func takeOutgoing() -> [UInt8] { unreachable() }

    /// Ends it.
    package func close() { unreachable() }
}
#endif
