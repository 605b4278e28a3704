import Bearers
import MeshCore

/// `meshplan-bench gatt`: the cost of the GATT client for each packet, at the smallest packet size and at one that fits
/// a whole network PDU. Beside it stand a bare copy of the same octets and the encryption that every network PDU needs.
enum GATTBenchmark {
    /// Packets in each direction in one timed run.
    private static let count = 20_000
    private static let rounds = 41
    private static let dataOut: UInt16 = 14

    static func run() {
        let keys = KeyDerivation.k2(KeyMaterial(Octets16(high: 1, low: 2)), purpose: [0])
        guard let encryption = BareNetworkEncryption(keys) else {
            print("libcrypto has no AES-128-CCM")
            return
        }
        print("GATT client, a packet written and one received, best of \(rounds) x \(count), ns for both")
        for mtu in [23, 69] as [UInt16] {
            guard var client = opened(mtu: mtu) else {
                print("the client does not open")
                return
            }
            let packet = (0..<Int(mtu) - 3).map { UInt8(truncatingIfNeeded: $0) }
            let notification = ATTPDU.notification(AttributeValue(dataOut, packet)).encoded
            guard exchange(&client, packet, notification) == 2 * packet.count + 3 else {
                print("the client does not carry packets")
                return
            }
            var best = (client: Int64.max, copy: Int64.max, encryption: Int64.max)
            var checksum = 0
            for _ in 0..<rounds {
                best.client = min(best.client, time { checksum &+= exchange(&client, packet, notification) })
                best.copy = min(best.copy, time { checksum &+= copy(packet, notification) })
                best.encryption = min(best.encryption, time { checksum &+= encrypt(encryption, packet) })
            }
            print("MTU \(mtu), packets of \(packet.count) octets (checksum \(checksum & 0xFF))")
            print("  GATTClient:         \(nanoseconds(best.client)) ns")
            print("  bare copies:        \(nanoseconds(best.copy)) ns, ratio \(ratio(best.client, best.copy))")
            print(
                "  one bare encryption: \(nanoseconds(best.encryption)) ns, ratio \(ratio(best.client, best.encryption))"
            )
        }
    }

    /// A client with an open link.
    private static func opened(mtu: UInt16) -> GATTClient? {
        guard let service = HandleRange(10, 15) else { return nil }
        let responses: [ATTPDU] = [
            .exchangeMTUResponse(mtu), .findByTypeValueResponse([service]),
            .readByTypeResponse([
                AttributeValue(11, [0x04, 12, 0, 0xDD, 0x2A]),
                AttributeValue(13, [0x10, UInt8(dataOut), 0, 0xDE, 0x2A]),
            ]),
            .findInformationResponse([AttributeValue(15, [0x02, 0x29])]), .writeResponse,
        ]
        var client = GATTClient(service: .proxy)
        var outputs = client.connected(at: .zero)
        for response in responses { outputs = client.receive(response.encoded, at: .zero) }
        return outputs == [.opened(maximumPacketSize: Int(mtu) - 3)] ? client : nil
    }

    /// Writes one packet and receives another. Returns the octets of the output.
    @inline(never)
    private static func exchange(_ client: inout GATTClient, _ packet: [UInt8], _ notification: [UInt8]) -> Int {
        var octets = (try? client.write(packet))??.count ?? 0
        for output in client.receive(notification, at: .zero) {
            if case .received(let received) = output { octets += received.count }
        }
        return octets
    }

    /// Copies the same octets into memory of their own, and does nothing else.
    @inline(never)
    private static func copy(_ packet: [UInt8], _ notification: [UInt8]) -> Int {
        let written = [UInt8](unsafeUninitializedCapacity: packet.count + 3) { buffer, count in
            packet.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[3...]).copyMemory(
                    from: $0
                )
            }
            buffer[0] = 0x52
            buffer[1] = 12
            buffer[2] = 0
            count = packet.count + 3
        }
        let received = [UInt8](unsafeUninitializedCapacity: packet.count) { buffer, count in
            notification.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(buffer).copyMemory(from: .init(rebasing: $0[3...]))
            }
            count = notification.count - 3
        }
        return written.count + received.count
    }

    @inline(never)
    private static func encrypt(_ encryption: BareNetworkEncryption, _ packet: [UInt8]) -> Int {
        Int(encryption.encryptInPlace(7, packet))
    }

    private static func time(_ body: () -> Void) -> Int64 {
        ContinuousClock().measure { for _ in 0..<count { body() } }.microseconds
    }

    private static func nanoseconds(_ microseconds: Int64) -> Int64 { microseconds * 1_000 / Int64(count) }

    private static func ratio(_ ours: Int64, _ floor: Int64) -> String {
        let hundredths = ours * 100 / max(1, floor)
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
