/// A heartbeat (Mesh Protocol 3.6.5.10): control opcode 0x0A, InitTTL (7 bits after a reserved one), Features (16).
package struct Heartbeat: Hashable, Sendable {
    package static let opcode: UInt8 = 0x0A

    /// The TTL with which it was first sent, 0 to 127.
    package var initialTTL: UInt8
    /// The features in use at the sender: bit 0 relay, 1 proxy, 2 friend, 3 low power.
    package var features: UInt16

    /// A heartbeat; only the low 7 bits of the TTL count.
    package init(initialTTL: UInt8, features: UInt16) {
        self.initialTTL = initialTTL & 0x7F
        self.features = features
    }

    /// Reads the three octets of parameters.
    package init(decoding parameters: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(parameters)
        initialTTL = try reader.readUInt8() & 0x7F
        features = try reader.readUInt16()
        try reader.expectEnd()
    }

    /// The three octets of parameters.
    package var parameters: [UInt8] {
        var writer = ByteWriter(capacity: 3)
        writer.write(initialTTL & 0x7F)
        writer.write(features)
        return writer.bytes
    }

    /// The number of hops of a heartbeat that arrived with `ttl`, at least 1.
    package func hops(receivedTTL ttl: UInt8) -> Int {
        max(1, Int(initialTTL) - Int(ttl) + 1)
    }
}
