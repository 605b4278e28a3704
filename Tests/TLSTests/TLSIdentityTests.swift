import MeshCore
import TestSupport
import Testing

@testable import TLS

@Suite("Files with certificates")
struct TLSIdentityTests {
    private typealias Block = (name: String, text: String)

    /// The blocks of a file in PEM.
    private func blocks(_ pem: [UInt8]) -> [Block] {
        let text = String(decoding: pem, as: UTF8.self)
        return text.split(separator: "-----BEGIN ").filter { $0.contains("-----") }.map { part in
            (String(part.prefix { $0 != "-" }), "-----BEGIN " + part)
        }
    }

    private func file(_ blocks: [Block]) -> [UInt8] { Array(blocks.map(\.text).joined().utf8) }

    private func error(_ pem: [UInt8]) -> TLSError? { thrown { _ = try TLSIdentity(pem: pem) } }

    @Test("an identity has the facts of its certificate, in whatever order the file has its blocks")
    func facts() throws {
        let authority = try CertificateAuthority(name: "pairing cellar", validity: Pairing.validity)
        let pem = try authority.issue(.server, name: "cellar", validity: Pairing.validity)
        for pem in [pem, file(blocks(pem).reversed()), Array("# for the cellar\n".utf8) + pem] {
            let identity = try TLSIdentity(pem: pem)
            #expect(identity.role == .server)
            #expect(identity.certificate.name == "cellar" && identity.certificate.issuer == "pairing cellar")
            #expect(identity.authority == authority.certificate)
            #expect(identity.certificate.validFrom == Pairing.begin && identity.validUntil == Pairing.end)
            #expect(identity.certificate.fingerprint.count == 32 && identity.certificate.fingerprintText.count == 64)
        }
        let client = try TLSIdentity(pem: authority.issue(.client, name: "Büro 3", validity: Pairing.validity))
        #expect(client.role == .client && client.certificate.name == "Büro 3")
    }

    @Test("what is missing or too much is said")
    func incomplete() throws {
        let authority = try CertificateAuthority(name: "pairing", validity: Pairing.validity)
        let pem = try authority.issue(.server, name: "cellar", validity: Pairing.validity)
        let parts = blocks(pem)
        try #require(parts.map(\.name) == ["CERTIFICATE", "CERTIFICATE", "PRIVATE KEY"])
        let other = blocks(try Pairing().authority.issue(.server, name: "x", validity: Pairing.validity))
        let cases: [([UInt8], String)] = [
            ([], "the file holds neither certificates nor keys in PEM"),
            (Array("hello\n".utf8), "the file holds neither certificates nor keys in PEM"),
            (file([parts[0], parts[1]]), "the file holds no private key"),
            (file([parts[2]]), "the file holds a private key, but no certificate"),
            (file([parts[1], parts[2]]), "the private key in the file belongs to none of its certificates"),
            (
                file([parts[0], parts[2]]),
                "the file lacks the certificate of the authority that signs the other side"
            ),
            (
                try authority.pem(),
                "the file lacks the certificate of the authority that signs the other side"
            ),
            (file(parts + [other[2]]), "the file holds several private keys"),
            (file(parts + [other[1]]), "the file holds the certificates of several authorities"),
            (
                file([parts[0], other[1], parts[2]]),
                "the certificate in the file is not signed by the authority in the file"
            ),
            (
                [UInt8](repeating: 65, count: 65_537),
                "the file is larger than 64 KiB, too large for a file with certificates"
            ),
        ]
        for (pem, message) in cases {
            let error = error(pem)
            #expect(error?.kind == .file && error?.message == message, "\(error as Any)")
        }
        let locked = parts[2].text.split(separator: "PRIVATE KEY").joined(separator: "ENCRYPTED PRIVATE KEY")
        #expect(error(Array(locked.utf8))?.message == "the private key in the file is locked with a passphrase")
        #expect(error(Array(parts[0].text.dropLast(40).utf8))?.message == "a block in the file is damaged or cut off")
    }

    @Test("a file with changed octets is read whole or refused, and never traps", arguments: propertySeeds(4))
    func damaged(seed: UInt64) throws {
        let pem = try Pairing().authority.issue(.client, name: "office", validity: Pairing.validity)
        let whole = try TLSIdentity(pem: pem)
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var changed = pem
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...127, using: &random)
            }
            if random.chance(20) { changed.removeLast(Int.random(in: 0..<changed.count, using: &random)) }
            // What is changed between the blocks does not matter; a certificate that is changed is not signed any more.
            do throws(TLSError) {
                #expect(try TLSIdentity(pem: changed).certificate == whole.certificate)
            } catch {
                #expect([.file, .library].contains(error.kind), "\(error)")
            }
        }
    }

    @Test("private keys are not printed")
    func secrecy() throws {
        let pem = try Pairing().authority.issue(.client, name: "office", validity: Pairing.validity)
        let identity = try TLSIdentity(pem: pem)
        var dumped = ""
        dump(identity, to: &dumped)
        #expect("\(identity)" == "client office" && String(reflecting: identity) == "client office")
        #expect(!dumped.contains("key"), "\(dumped)")
    }

    @Test("no two certificates have the same serial number or key, and none outlasts its authority")
    func fresh() throws {
        let authority = try CertificateAuthority(name: "pairing", validity: Pairing.validity)
        let long = CertificateAuthority.Validity(
            from: Pairing.begin,
            until: Timestamp(rawValue: Pairing.end.rawValue + 86_400)
        )
        let identities = try (0..<20).map { _ in
            try TLSIdentity(pem: authority.issue(.client, name: "x", validity: long))
        }
        #expect(Set(identities.map(\.certificate.fingerprint)).count == 20)
        #expect(identities.allSatisfy { $0.validUntil == Pairing.end && $0.certificate.validUntil == Pairing.end })
        #expect(Set(try identities.map { try serial(of: $0) }).count == 20)
    }

    @Test("an authority reads its own file, and no other file is taken for one")
    func authority() throws {
        let authority = try CertificateAuthority(name: "pairing", validity: Pairing.validity)
        let again = try CertificateAuthority(pem: authority.pem())
        #expect(again.certificate == authority.certificate)
        let gateway = try TLSIdentity(pem: authority.issue(.server, name: "a", validity: Pairing.validity))
        let client = try TLSIdentity(pem: again.issue(.client, name: "b", validity: Pairing.validity))
        let wire = Wire(
            client: try TLSSession(TLSContext(client, role: .client), at: Pairing.now),
            gateway: try TLSSession(TLSContext(gateway, role: .server), at: Pairing.now)
        )
        wire.run()
        #expect(wire.gateway.isEstablished)
        let file = try authority.issue(.client, name: "c", validity: Pairing.validity)
        #expect(thrown { _ = try CertificateAuthority(pem: file) }?.kind == .file)
    }

    @Test("fingerprints are read as meshplan and as openssl write them")
    func fingerprints() throws {
        let certificate = try Pairing().client.certificate
        let text = certificate.fingerprintText
        #expect(Certificate.fingerprint(text) == certificate.fingerprint)
        let digits = Array(text.uppercased())
        let pairs = stride(from: 0, to: 64, by: 2).map { String(digits[$0...($0 + 1)]) }
        #expect(Certificate.fingerprint(pairs.joined(separator: ":")) == certificate.fingerprint)
        for wrong in ["", "basement", String(text.dropLast(2)), text + "00", "x" + text.dropFirst()] {
            #expect(Certificate.fingerprint(wrong) == nil, "\(wrong)")
        }
    }

    @Test("a name cannot end the marks that messages put it in, nor move a cursor")
    func names() throws {
        let pairing = try Pairing()
        let forged = "x” of the client\u{1B}[2J\n\u{202E}“y’"
        let identity = try TLSIdentity(pem: pairing.authority.issue(.client, name: forged, validity: Pairing.validity))
        #expect(identity.certificate.name == "x' of the client\u{FFFD}[2J\u{FFFD}\u{FFFD}'y'")
    }

    @Test("names that a certificate cannot have are refused", arguments: ["", String(repeating: "x", count: 65)])
    func names(name: String) throws {
        #expect(thrown { _ = try CertificateAuthority(name: name, validity: Pairing.validity) }?.kind == .library)
    }
}
