import CTLS
import MeshCore
import Testing

@testable import TLS

/// A client made of OpenSSL alone, which trusts anybody and leaves out what ours does not.
struct ForeignClient {
    var sendsCertificate = true
    var namesProtocol = true
    var protocolName = "meshplan"
    var isOld = false

    /// Connects as far as it goes.
    ///
    /// - Returns: what the gateway throws.
    func connect(to gateway: TLSSession, as identity: TLSIdentity) throws -> TLSError? {
        let context = try #require(SSL_CTX_new(TLS_method()))
        defer { SSL_CTX_free(context) }
        if isOld { SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil) }
        if sendsCertificate {
            try #require(SSL_CTX_use_certificate(context, identity.handles.certificate) == 1)
            try #require(SSL_CTX_use_PrivateKey(context, identity.handles.key) == 1)
        }
        if namesProtocol {
            let name = [UInt8(protocolName.utf8.count)] + Array(protocolName.utf8)
            try #require(SSL_CTX_set_alpn_protos(context, name, UInt32(name.count)) == 0)
        }
        return try shakeHands(context, with: gateway, SSL_set_connect_state)
    }
}

/// A gateway made of OpenSSL alone, which asks for no certificate and names no protocol.
struct ForeignGateway {
    var isOld = false

    /// Lets a client connect as far as it goes.
    ///
    /// - Returns: what the client throws.
    func accept(_ client: TLSSession, as identity: TLSIdentity) throws -> TLSError? {
        let context = try #require(SSL_CTX_new(TLS_method()))
        defer { SSL_CTX_free(context) }
        if isOld { SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil) }
        try #require(SSL_CTX_use_certificate(context, identity.handles.certificate) == 1)
        try #require(SSL_CTX_use_PrivateKey(context, identity.handles.key) == 1)
        return try shakeHands(context, with: client, SSL_set_accept_state)
    }
}

/// A handshake of OpenSSL alone with a session of ours.
///
/// - Returns: what ours throws.
private func shakeHands(
    _ context: OpaquePointer,
    with ours: TLSSession,
    _ begin: (OpaquePointer) -> Void
) throws -> TLSError? {
    let session = try #require(SSL_new(context))
    defer { SSL_free(session) }
    let incoming = try #require(BIO_new(BIO_s_mem()))
    let outgoing = try #require(BIO_new(BIO_s_mem()))
    SSL_set_bio(session, incoming, outgoing)
    begin(session)
    for _ in 0..<4 {
        let said = ours.takeOutgoing()
        _ = BIO_write(incoming, said, Int32(said.count))
        _ = SSL_do_handshake(session)
        ERR_clear_error()
        var octets = [UInt8](repeating: 0, count: 65_536)
        let count = BIO_read(outgoing, &octets, Int32(octets.count))
        do throws(TLSError) { try ours.receive(octets.prefix(max(Int(count), 0))) } catch { return error }
    }
    return nil
}

/// Leaves errors in the queue of this thread, as a call elsewhere might.
func leaveErrors() {
    var octets: UnsafePointer<UInt8>?
    let nonsense: [UInt8] = [1, 2, 3]
    nonsense.withUnsafeBufferPointer {
        octets = $0.baseAddress
        _ = d2i_X509(nil, &octets, 3)
    }
}

/// The serial number of an identity's certificate.
func serial(of identity: TLSIdentity) throws -> [UInt8] {
    let number = try #require(X509_get0_serialNumber(identity.handles.certificate))
    return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(number), count: Int(ASN1_STRING_length(number))))
}
