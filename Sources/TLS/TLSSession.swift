internal import CTLS
package import MeshCore

/// One secured connection without its socket: ciphertext goes in and plaintext comes out, and the reverse.
///
/// TLS 1.3 (RFC 8446) where both sides show certificates. The owner hands in what arrives (``receive(_:)``), sends what
/// ``takeOutgoing()`` gives after each call – also after one that has thrown: it holds the alert that tells the other side
/// why – and takes what was said from ``read()``. Nothing waits, and nothing knows the time but for the moment at which
/// certificates are judged.
///
/// Who refuses the other side sends the alert, ends its own direction of the transport and reads on for a moment before it
/// closes: a socket that is closed with octets unread resets the connection, and the alert may be lost.
///
/// A client counts as established before the gateway has judged the client's certificate: TLS 1.3 has it no other way.
/// That it was refused, the next ``receive(_:)`` throws; that it was accepted, the first plaintext shows.
package final class TLSSession {
    /// The most octets of plaintext that wait for ``read()``, and of those that wait for the end of the handshake.
    package static let plaintextLimit = 256 * 1024
    /// The most octets that the other side may send before the handshake is over; ours take 3,000.
    package static let handshakeLimit = 32 * 1024

    /// Which end this is.
    package let role: TLSRole
    /// Whether the handshake is over: the other side is who it should be, and what is written goes out.
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
    /// After how many records the key to send with is replaced. Below 2^24.5 of the largest, AES-GCM is as good as its key
    /// (RFC 8446, 5.5); OpenSSL itself never replaces one, and a gateway is connected to for weeks.
    var recordsPerKey = 1 << 22
    private var failure: TLSError?

    /// A session that is about to begin; a client's has something to send at once.
    ///
    /// - Parameters:
    ///   - now: the time by which certificates are judged.
    ///   - denied: fingerprints that are not accepted, beside those of the context.
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
        // The session owns both from here on.
        SSL_set_bio(session, incoming, outgoing)
        self.context = context
        self.session = session
        self.incoming = incoming
        self.outgoing = outgoing
        self.now = now
        role = context.role
        verification = PeerVerification(role: context.role, denied: context.denied.union(denied))
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

    /// Takes in what has arrived, any number of octets.
    ///
    /// After `close_notify` whatever follows is ignored (RFC 8446, 6.1).
    ///
    /// - Throws: ``TLSError``; the session is over then, each further call throws the same, and ``takeOutgoing()`` may hold
    ///   an alert for the other side.
    package func receive(_ ciphertext: some Collection<UInt8>) throws(TLSError) {
        if let failure { throw failure }
        try failing { () throws(TLSError) in
            var rest = Array(ciphertext)[...]
            try checkStart(rest)
            while !rest.isEmpty, !isClosedByPeer {
                // Not more than one record at a time, so that the bounds are looked at in between.
                let piece = rest.prefix(16 * 1024)
                rest = rest.dropFirst(piece.count)
                let written = piece.withUnsafeBufferPointer { BIO_write(incoming, $0.baseAddress, Int32($0.count)) }
                guard written == piece.count else { throw ErrorQueue.failure("take in what has arrived") }
                if !isEstablished { handshakeOctets += piece.count }
                try advance()
                if !isEstablished, handshakeOctets > Self.handshakeLimit {
                    throw TLSError(.tooMuch, "\(role.peer) sends more than a handshake takes")
                }
                if plaintext.count > Self.plaintextLimit {
                    throw TLSError(.tooMuch, "\(role.peer) has sent more than is taken from the connection")
                }
            }
        }
    }

    /// Tells that the transport has ended.
    ///
    /// - Throws: ``TLSError/Kind/truncated`` unless the other side has said farewell before, or the error of before.
    package func receiveEnd() throws(TLSError) {
        if let failure { throw failure }
        guard !isClosedByPeer else { return }
        try failing { () throws(TLSError) in
            if isEstablished {
                throw TLSError(
                    .truncated,
                    "\(role.peer) was cut off: the connection ended without a farewell"
                )
            }
            throw TLSError(
                .truncated,
                handshakeOctets == 0
                    ? "\(role.peer) closed the connection without a word"
                    : "\(role.peer) closed the connection in the middle of the handshake",
                hint: role == .client && handshakeOctets == 0
                    ? "Its own messages tell why: it may listen without --certificate, or let nobody in at present."
                    : nil
            )
        }
    }

    /// The plaintext that has arrived, in order; it is not given again.
    package func read() -> [UInt8] {
        defer { plaintext = [] }
        return plaintext
    }

    /// Has octets sent to the other side: at once, or as soon as the session is established.
    ///
    /// - Throws: ``TLSError/Kind/closed`` after ``close()``, ``TLSError/Kind/tooMuch`` if too much waits for the handshake,
    ///   or the error that has ended the session.
    package func write(_ octets: some Collection<UInt8>) throws(TLSError) {
        if let failure { throw failure }
        guard !isClosed else { throw TLSError(.closed, "the connection is closed") }
        try failing { () throws(TLSError) in
            guard isEstablished else {
                waiting.append(contentsOf: octets)
                guard waiting.count <= Self.plaintextLimit else {
                    throw TLSError(.tooMuch, "too much waits for the handshake with \(role.peer)")
                }
                return
            }
            try encrypt(Array(octets))
        }
    }

    /// What is to be sent to the other side now; it is not given again.
    package func takeOutgoing() -> [UInt8] {
        let count = BIO_ctrl_pending(outgoing)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(Int(BIO_read(outgoing, buffer.baseAddress, Int32(clamping: count))), 0)
        }
    }

    /// Says farewell (`close_notify`), which ``takeOutgoing()`` then gives. What the other side still sends can be read;
    /// nothing more can be written. Closing twice does nothing.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        waiting = []
        // Before the handshake is over there is no farewell; after an error the alert was one.
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

    /// Refuses at its first octets what is no TLS, so that it can be said in words: a record of TLS begins with its type,
    /// handshake or alert, and the major version 3 (RFC 8446, 5.1).
    private func checkStart(_ octets: ArraySlice<UInt8>) throws(TLSError) {
        guard start.count < 2, !octets.isEmpty else { return }
        start.append(contentsOf: octets.prefix(2 - start.count))
        let isHandshakeOrAlert = start.first == 22 || start.first == 21
        guard isHandshakeOrAlert, start.count == 1 || start[1] == 3 else {
            throw TLSError(
                .notTLS,
                "\(role.peer) does not speak TLS",
                hint: role == .client
                    ? "Is it a gateway without certificates, or a simulator? Those are reached by --via tcp:HOST:PORT or unix:PATH."
                    : "A client reaches this gateway by --via gateway://HOST:PORT."
            )
        }
    }

    /// Goes on with the handshake, and takes out what has arrived.
    private func advance() throws(TLSError) {
        if !isEstablished {
            ErrorQueue.clear()
            let result = SSL_do_handshake(session)
            guard result == 1 else { return try check(result) }
            guard ctls_speaks_our_protocol(session) == 1 else { throw otherProtocol }
            guard let certificate = SSL_get0_peer_certificate(session), let facts = Certificate(certificate),
                SSL_get_verify_result(session) == X509_V_OK
            else { throw TLSError(.noCertificate, "\(role.peer) has shown no certificate") }
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

    /// What a call that has not succeeded means: that more must arrive, an end, or an error.
    private func check(_ result: Int32) throws(TLSError) {
        switch SSL_get_error(session, result) {
        case SSL_ERROR_NONE, SSL_ERROR_WANT_READ: return
        case SSL_ERROR_ZERO_RETURN: isClosedByPeer = true
        default:
            let reasons = ErrorQueue.take()
            if let error = verification.error(at: now) { throw error }
            throw HandshakeFailure(role: role, own: context.certificate, now: now).error(for: reasons)
        }
    }

    private var otherProtocol: TLSError {
        HandshakeFailure(role: role, own: context.certificate, now: now).otherProtocol
    }
}
