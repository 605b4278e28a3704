import MeshCore

/// Compares encrypting network PDUs, with keys prepared, to a bare loop of libcrypto calls that makes the same PDUs.
enum CryptoBenchmark {
    /// PDUs in one timed run: enough for the clock's resolution, few enough to fit between other processes.
    private static let count = 20_000
    private static let rounds = 41

    /// Prints both rates and their ratio for a full access PDU, from the fastest of interleaved runs.
    static func run() {
        let keys = KeyDerivation.NetworkKeys(
            nid: 0x68,
            encryptionKey: KeyMaterial(Octets16(high: 0x0953_FA93_E7CA_AC96, low: 0x38F5_8820_220A_398E)),
            privacyKey: KeyMaterial(Octets16(high: 0x8B84_EEDE_C100_067D, low: 0x6709_71DD_2AA7_00CF))
        )
        let credentials = NetworkCredentials(keys)
        guard let bare = BareNetworkEncryption(keys) else {
            print("libcrypto has no AES-128-CCM")
            return
        }
        let transportPDU = (0..<16).map { UInt8($0 * 7 + 1) }
        guard (0..<UInt32(64)).allSatisfy({ ours($0, transportPDU, credentials) == bare.encrypt($0, transportPDU) })
        else {
            print("the two loops make different PDUs")
            return
        }

        var fastest = (ours: Int64.max, bare: Int64.max)
        var checksum: UInt64 = 0
        for _ in 0..<rounds {
            fastest.ours = min(fastest.ours, time { checksum &+= UInt64(ours($0, transportPDU, credentials)[28]) })
            fastest.bare = min(fastest.bare, time { checksum &+= UInt64(bare.encryptInPlace($0, transportPDU)) })
        }
        let rate = (ours: perSecond(fastest.ours), bare: perSecond(fastest.bare))
        print("network PDU encryption (CCM and obfuscation, 29 octets, keys prepared), best of \(rounds) x \(count)")
        print("meshplan:  \(rate.ours) PDUs/s")
        print("libcrypto: \(rate.bare) PDUs/s (bare EVP loop, same octets, checksum \(checksum & 0xFF))")
        print("ratio:     \(rate.ours * 100 / max(1, rate.bare)) %")
    }

    @inline(never)
    private static func ours(_ sequence: UInt32, _ transportPDU: [UInt8], _ credentials: NetworkCredentials) -> [UInt8]
    {
        let pdu = NetworkPDU(
            ivIndex: 0x1234_5678,
            isControl: false,
            ttl: 4,
            sequence: sequence,
            source: .first,
            destination: Address(rawValue: 0x1201),
            transportPDU: transportPDU
        )
        return (try? pdu.encoded(with: credentials)) ?? []
    }

    private static func time(_ body: (UInt32) -> Void) -> Int64 {
        let clock = ContinuousClock()
        let elapsed = clock.measure {
            for sequence in 0..<UInt32(count) { body(sequence) }
        }
        return elapsed.microseconds
    }

    private static func perSecond(_ microseconds: Int64) -> Int64 {
        Int64(count) * 1_000_000 / max(1, microseconds)
    }
}
