import CTLS
package import MeshCore

/// One secured connection without its socket: ciphertext goes in and plaintext comes out, and the reverse.
///
/// It is TLS 1.3 (RFC 8446), and both sides show certificates. The owner passes in what arrives (``receive(_:)``),
/// sends what ``takeOutgoing()`` returns after each call, and takes the plaintext from ``read()``. It sends after a
/// call that has thrown, too, because the alert that tells the other side why is then waiting. Nothing waits, and the
/// only time involved is the moment at which certificates are judged.
///
/// A side that refuses the other one sends the alert, ends its own direction of the transport, and keeps reading for a
/// moment before it closes. Closing a socket with unread octets resets the connection, and the alert may be lost.
///
/// A client counts as established before the gateway has judged the client's certificate; TLS 1.3 allows nothing else.
/// If the gateway refuses it, the next ``receive(_:)`` throws. The first plaintext shows that the gateway has accepted
/// it.
package final class TLSSession {
    /// The most octets of plaintext that wait for ``read()``, and the most that wait for the end of the handshake.
    package static let plaintextLimit = 256 * 1024
    /// The most octets that the other side may send before the handshake is over. Ours takes 3,000.
    package static let handshakeLimit = 32 * 1024

    package let role: TLSRole
    /// Whether the handshake is over: the other side is who it should be, and written octets go out.
    package private(set) var isEstablished = false
    /// The certificate of the other side, once established.
    package private(set) var peer: Certificate?
    /// Whether the other side has said that it sends nothing more (`close_notify`).
    package private(set) var isClosedByPeer = false

    // Both keep alive what the session points to.
    private let context: TLSContext
    private let verification: PeerVerification
    private let session: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let now: Timestamp

    private var start: [UInt8] = []
    private var handshakeOctets = 0
    private var plaintext: [UInt8] = []
    private var waiting: [UInt8] = []
    private var isClosed = false
    private var records = 0
    /// After how many records the sending key is replaced. AES-GCM keeps its full strength up to 2^24.5 records of the
    /// largest size (RFC 8446, 5.5). OpenSSL itself never replaces a key, and connections to a gateway last for weeks.
    var recordsPerKey = 1 << 22
    private var failure: TLSError?

    /// A session that is about to begin. A client's has something to send at once.
    ///
    /// - Parameters:
    ///   - now: the time at which certificates are judged.
    ///   - denied: fingerprints to refuse, in addition to those of the context.
    package init(_ context: TLSContext, at now: Timestamp, denied: Set<[UInt8]> = []) throws(TLSError) {
        ErrorQueue.clear()
        guard let session = SSL_new(context.handle) else { throw ErrorQueue.failure("make a session") }
        guard let incoming = BIO_new(BIO_s_mem()) else {
            SSL_free(session)
            throw ErrorQueue.failure("make a buffer")
        }
        guard let outgoing = BIO_new(BIO_s_mem()) else {
            BIO_free(incoming)
            SSL_free(session)
            throw ErrorQueue.failure("make a buffer")
        }
        // From here on the session owns both.
        SSL_set_bio(session, incoming, outgoing)
        self.context = context
        self.session = session
        self.incoming = incoming
        self.outgoing = outgoing
        self.now = now
        role = context.role
        verification = PeerVerification(context.end, denied: context.denied.union(denied))
        try verification.attach(to: session)
        X509_VERIFY_PARAM_set_time(SSL_get0_param(session), time_t(now.rawValue))
        if role == .client {
            SSL_set_connect_state(session)
            try advance()
        } else {
            SSL_set_accept_state(session)
        }
    }

    deinit { SSL_free(session) }

    /// Takes in octets that have arrived, any number of them. After `close_notify` everything is ignored (RFC 8446,
    /// 6.1).
    ///
    /// - Throws: ``TLSError`` if the other side is refused, refuses us or breaks the protocol. The session is then
    ///   over, each further call throws the same error, and ``takeOutgoing()`` may hold an alert for the other side.
    package func receive(_ ciphertext: some Collection<UInt8>) throws(TLSError) {
        if let failure { throw failure }
        try failing { () throws(TLSError) in
            var rest = Array(ciphertext)[...]
            try checkStart(rest)
            while !rest.isEmpty, !isClosedByPeer {
                // One record at a time, so that the bounds are checked in between.
                let piece = rest.prefix(16 * 1024)
                rest = rest.dropFirst(piece.count)
                let written = piece.withUnsafeBufferPointer { BIO_write(incoming, $0.baseAddress, Int32($0.count)) }
                guard written == piece.count else { throw ErrorQueue.failure("take in what has arrived") }
                if !isEstablished { handshakeOctets += piece.count }
                try advance()
                if !isEstablished, handshakeOctets > Self.handshakeLimit {
                    throw TLSError(.tooMuch, "\(context.end.peer) sends too much during the handshake")
                }
                if plaintext.count > Self.plaintextLimit {
                    throw TLSError(.tooMuch, "\(context.end.peer) sends faster than the connection is read")
                }
            }
        }
    }

    /// Says that the transport has ended.
    ///
    /// - Throws: ``TLSError/Kind/truncated`` unless the other side sent `close_notify` before, or the error that had
    ///   already ended the session.
    package func receiveEnd() throws(TLSError) {
        if let failure { throw failure }
        guard !isClosedByPeer else { return }
        try failing { () throws(TLSError) in
            if isEstablished {
                throw TLSError(
                    .truncated,
                    "\(context.end.peer) was cut off: the connection ended without a farewell"
                )
            }
            throw TLSError(
                .truncated,
                handshakeOctets == 0
                    ? "\(context.end.peer) closed the connection without a word"
                    : "\(context.end.peer) closed the connection in the middle of the handshake",
                hint: role == .client && handshakeOctets == 0 && context.end.parties == .clientAndGateway
                    ? "See its own messages: it may run without \(command: .serveSecured), or accept nobody at present."
                    : nil
            )
        }
    }

    /// The plaintext that has arrived, in order. Each octet is returned once.
    package func read() -> [UInt8] {
        defer { plaintext = [] }
        return plaintext
    }

    /// Sends octets to the other side: at once, or as soon as the session is established.
    ///
    /// - Throws: ``TLSError/Kind/closed`` after ``close()``, ``TLSError/Kind/tooMuch`` if too much waits for the
    ///   handshake, or the error that has ended the session.
    package func write(_ octets: some Collection<UInt8>) throws(TLSError) {
        if let failure { throw failure }
        guard !isClosed else { throw TLSError(.closed, "the connection is closed") }
        try failing { () throws(TLSError) in
            guard isEstablished else {
                waiting.append(contentsOf: octets)
                guard waiting.count <= Self.plaintextLimit else {
                    throw TLSError(.tooMuch, "too much waits for the handshake with \(context.end.peer)")
                }
                return
            }
            try encrypt(Array(octets))
        }
    }

    /// The octets to send to the other side now. Each octet is returned once.
    package func takeOutgoing() -> [UInt8] {
        let count = BIO_ctrl_pending(outgoing)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(Int(BIO_read(outgoing, buffer.baseAddress, Int32(clamping: count))), 0)
        }
    }

    /// Ends our direction with `close_notify`, which ``takeOutgoing()`` then returns. The rest from the other side can
    /// be read, but nothing more can be written. A second call does nothing.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        waiting = []
        // Before the end of the handshake there is no `close_notify`, and after an error the alert has taken its place.
        guard isEstablished, failure == nil else { return }
        ErrorQueue.clear()
        _ = SSL_shutdown(session)
        ErrorQueue.clear()
    }

    /// Runs `body` and remembers its error.
    private func failing(_ body: () throws(TLSError) -> Void) throws(TLSError) {
        do {
            try body()
        } catch {
            failure = error
            waiting = []
            throw error
        }
    }

    /// Refuses anything that is not TLS at its first octets, so that the error can say so. A TLS record begins with its
    /// type, handshake or alert, and the major version 3 (RFC 8446, 5.1).
    private func checkStart(_ octets: ArraySlice<UInt8>) throws(TLSError) {
        guard start.count < 2, !octets.isEmpty else { return }
        start.append(contentsOf: octets.prefix(2 - start.count))
        let isHandshakeOrAlert = start.first == 22 || start.first == 21
        guard isHandshakeOrAlert, start.count == 1 || start[1] == 3 else {
            throw TLSError(
                .notTLS,
                "\(context.end.peer) does not speak TLS",
                hint: context.end.addressHint(
                    role == .client
                        ? """
                        Is it a gateway without certificates, or a simulator? Those are reached by \
                        \(command: .reach("tcp:HOST:PORT")) or \(command: .reach("unix:PATH")).
                        """
                        : "A client reaches this gateway by \(command: .reach("gateway://HOST:PORT"))."
                )
            )
        }
    }

    /// Continues the handshake and takes out what has arrived.
    private func advance() throws(TLSError) {
        if !isEstablished {
            ErrorQueue.clear()
            let result = SSL_do_handshake(session)
            guard result == 1 else { return try check(result) }
            guard ctls_speaks_our_protocol(session) == 1 else { throw otherProtocol }
            guard let certificate = SSL_get0_peer_certificate(session), let facts = Certificate(certificate),
                SSL_get_verify_result(session) == X509_V_OK
            else { throw TLSError(.noCertificate, "\(context.end.peer) has shown no certificate") }
            peer = facts
            isEstablished = true
            let octets = waiting
            waiting = []
            try encrypt(octets)
        }
        try decrypt()
    }

    private func decrypt() throws(TLSError) {
        var result: Int32 = 0
        repeat {
            var count = 0
            let piece = [UInt8](unsafeUninitializedCapacity: 16 * 1024) { buffer, filled in
                ErrorQueue.clear()
                result = SSL_read_ex(session, buffer.baseAddress, buffer.count, &count)
                filled = result == 1 ? count : 0
            }
            plaintext.append(contentsOf: piece)
        } while result == 1
        try check(result)
    }

    private func encrypt(_ octets: [UInt8]) throws(TLSError) {
        var rest = octets[...]
        while !rest.isEmpty {
            ErrorQueue.clear()
            if records >= recordsPerKey {
                guard SSL_key_update(session, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 else {
                    throw ErrorQueue.failure("replace a key")
                }
                records = 0
            }
            var written = 0
            // One record at a time, so that they can be counted.
            let piece = rest.prefix(Int(SSL3_RT_MAX_PLAIN_LENGTH))
            let result = piece.withUnsafeBufferPointer { SSL_write_ex(session, $0.baseAddress, $0.count, &written) }
            guard result == 1, written > 0 else {
                try check(result)
                throw TLSError(.library, "OpenSSL does not take what is to be sent")
            }
            records += 1
            rest = rest.dropFirst(written)
        }
    }

    /// Tells what a call without success means: more must arrive, the end, or an error.
    private func check(_ result: Int32) throws(TLSError) {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_NONE, SSL_ERROR_WANT_READ: return
        case SSL_ERROR_ZERO_RETURN: isClosedByPeer = true
        default:
            let reasons = ErrorQueue.drain()
            if let error = verification.error(at: now) { throw error }
            throw HandshakeFailure(end: context.end, own: context.certificate, now: now).error(for: reasons)
        }
    }

    private var otherProtocol: TLSError {
        HandshakeFailure(end: context.end, own: context.certificate, now: now).otherProtocol
    }
}
