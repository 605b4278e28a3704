import TestSupport
import Testing

@testable import MeshCore

@Suite("Beacon vectors")
struct BeaconVectorTests {
    static func vectors(_ type: String) -> [Vector] {
        Vector.list("beacon", "vectors").filter { $0.text("type").hasPrefix(type) }
    }

    @Test("every vector of the file is covered by a test here")
    func covered() {
        let covered = ["unprovisioned", "secure", "mesh private"].map { Self.vectors($0).count }
        #expect(covered.reduce(0, +) == Vector.list("beacon", "vectors").count)
        #expect(covered.allSatisfy { $0 > 0 })
    }

    @Test("secure network beacons are authenticated and made again", arguments: vectors("secure"))
    func secure(vector: Vector) throws {
        let bytes = vector.octets("beacon")
        let credentials = SubnetCredentials(vector.key("netKey"))
        let beacon = try SecureNetworkBeacon(decoding: bytes)
        let ivIndex = IVIndex(
            value: UInt32(vector.number("ivIndex")),
            isUpdateInProgress: vector.flag("ivUpdate")
        )
        #expect(beacon.ivIndex == ivIndex)
        #expect(beacon.isKeyRefreshing == vector.flag("keyRefresh"))
        #expect(beacon.networkID == vector.number("networkId"))
        #expect(beacon.isAuthentic(under: credentials))
        #expect(beacon.encoded == bytes)
        let made = SecureNetworkBeacon(
            isKeyRefreshing: vector.flag("keyRefresh"),
            ivIndex: ivIndex,
            credentials: credentials
        )
        #expect(made.encoded == bytes)

        for length in 0..<bytes.count {
            #expect(throws: DecodeError.self) { try SecureNetworkBeacon(decoding: Array(bytes.prefix(length))) }
        }
        #expect(throws: DecodeError.trailing(offset: 22, count: 1)) { try SecureNetworkBeacon(decoding: bytes + [0]) }
        for bit in 8..<bytes.count * 8 {
            var altered = bytes
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try !SecureNetworkBeacon(decoding: altered).isAuthentic(under: credentials))
        }
        #expect(throws: DecodeError.unknownType(0)) { try SecureNetworkBeacon(decoding: [0] + bytes.dropFirst()) }
    }

    @Test("mesh private beacons are opened and made again", arguments: vectors("mesh private"))
    func meshPrivate(vector: Vector) throws {
        let bytes = vector.octets("beacon")
        let credentials = SubnetCredentials(vector.key("netKey"))
        let beacon = try #require(try MeshPrivateBeacon(opening: bytes, with: credentials))
        #expect(beacon.ivIndex.value == UInt32(vector.number("ivIndex")))
        #expect(beacon.ivIndex.isUpdateInProgress == vector.flag("ivUpdate"))
        #expect(beacon.isKeyRefreshing == vector.flag("keyRefresh"))
        #expect(beacon.random.bytes == vector.octets("random"))
        #expect(beacon.encoded(with: credentials) == bytes)
        for length in 0..<bytes.count {
            #expect(throws: DecodeError.self) {
                try MeshPrivateBeacon(opening: Array(bytes.prefix(length)), with: credentials)
            }
        }
        #expect(throws: DecodeError.self) { try MeshPrivateBeacon(opening: bytes + [0], with: credentials) }
        for index in 1..<bytes.count {
            var altered = bytes
            altered[index] ^= 0x10
            #expect(try MeshPrivateBeacon(opening: altered, with: credentials) == nil)
        }
    }

    @Test("unprovisioned device beacons", arguments: vectors("unprovisioned"))
    func unprovisioned(vector: Vector) throws {
        let bytes = vector.octets("beacon")
        let beacon = try UnprovisionedDeviceBeacon(decoding: bytes)
        #expect(beacon.uuid.rawValue == vector.octets16("deviceUuid"))
        #expect(UInt64(beacon.oobInformation) == vector.number("oobInformation"))
        #expect(beacon.encoded == bytes)
        if vector.has("uriData") {
            #expect(beacon.uriHash == UnprovisionedDeviceBeacon.hash(ofURI: vector.octets("uriData")))
        } else {
            #expect(beacon.uriHash == nil)
        }
        for length in 0..<bytes.count where length != 19 {
            #expect(throws: DecodeError.self) { try UnprovisionedDeviceBeacon(decoding: Array(bytes.prefix(length))) }
        }
        #expect(throws: DecodeError.self) { try UnprovisionedDeviceBeacon(decoding: bytes + [0]) }
    }
}
