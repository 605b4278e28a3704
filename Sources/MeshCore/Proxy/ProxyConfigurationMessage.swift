/// Whether a proxy filter lists the addresses that pass or those that do not (Mesh Protocol 6.7).
package enum ProxyFilterType: UInt8, Sendable {
    /// PDUs to the addresses in the list pass.
    case acceptList = 0x00
    /// PDUs to all other addresses pass.
    case rejectList = 0x01
}

/// A range of unicast addresses (Mesh Protocol 3.4.2.2.1), big-endian. The top bit of the first two octets tells that a
/// length follows (1); a single address has none.
package struct UnicastAddressRange: Hashable, Sendable {
    package var first: UnicastAddress
    /// The number of addresses, at least one.
    package var count: UInt8

    /// A range; a count of 0 becomes 1.
    package init(first: UnicastAddress, count: UInt8) {
        self.first = first
        self.count = max(1, count)
    }

    init(decoding reader: inout ByteReader) throws(DecodeError) {
        let fields = try reader.readUInt16()
        guard let first = UnicastAddress(rawValue: fields & 0x7FFF) else {
            throw .prohibited(field: "RangeStart", value: UInt64(fields & 0x7FFF))
        }
        self.first = first
        count = 1
        guard fields & 0x8000 != 0 else { return }
        count = try reader.readUInt8()
        guard count >= 2, Int(first.rawValue) + Int(count) - 1 <= 0x7FFF else {
            throw .prohibited(field: "RangeLength", value: UInt64(count))
        }
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 3)
        writer.write(first.rawValue | (count > 1 ? 0x8000 : 0))
        if count > 1 { writer.write(count) }
        return writer.bytes
    }
}

/// A proxy configuration message (Mesh Protocol 6.6): opcode (1), then parameters, big-endian.
package enum ProxyConfigurationMessage: Hashable, Sendable {
    /// Set Filter Type (0x00): sets the type and empties the list.
    case setFilterType(ProxyFilterType)
    /// Add Addresses To Filter (0x01); at most ``maximumAddresses``.
    case addAddresses([Address])
    /// Remove Addresses From Filter (0x02); at most ``maximumAddresses``.
    case removeAddresses([Address])
    /// Filter Status (0x03): the type and the number of addresses in the list.
    case filterStatus(ProxyFilterType, listSize: UInt16)
    /// Directed Proxy Capabilities Status (0x04, 1.1).
    case directedProxyCapabilitiesStatus(isEnabled: Bool, usesDirected: Bool)
    /// Directed Proxy Control (0x05, 1.1): on for a range of the client's addresses, or off.
    case directedProxyControl(UnicastAddressRange?)

    /// The most addresses in one message, which must fit into one unsegmented control PDU.
    package static let maximumAddresses = 5

    /// Reads a message.
    package init(decoding bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        let opcode = try reader.readUInt8()
        switch opcode {
        case 0x00: self = .setFilterType(try ProxyConfigurationMessage.filterType(&reader))
        case 0x01: self = .addAddresses(try ProxyConfigurationMessage.addresses(&reader))
        case 0x02: self = .removeAddresses(try ProxyConfigurationMessage.addresses(&reader))
        case 0x03:
            let type = try ProxyConfigurationMessage.filterType(&reader)
            self = .filterStatus(type, listSize: try reader.readUInt16())
        case 0x04:
            self = .directedProxyCapabilitiesStatus(
                isEnabled: try ProxyConfigurationMessage.bool("Directed_Proxy", &reader),
                usesDirected: try ProxyConfigurationMessage.bool("Use_Directed", &reader)
            )
        case 0x05:
            let usesDirected = try ProxyConfigurationMessage.bool("Use_Directed", &reader)
            self = .directedProxyControl(usesDirected ? try UnicastAddressRange(decoding: &reader) : nil)
        default: throw .unknownType(UInt64(opcode))
        }
        try reader.expectEnd()
    }

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .setFilterType(let type): writer.write([0x00, type.rawValue])
        case .addAddresses(let addresses):
            writer.write(UInt8(0x01))
            for address in addresses { writer.write(address.rawValue) }
        case .removeAddresses(let addresses):
            writer.write(UInt8(0x02))
            for address in addresses { writer.write(address.rawValue) }
        case .filterStatus(let type, let listSize):
            writer.write([0x03, type.rawValue])
            writer.write(listSize)
        case .directedProxyCapabilitiesStatus(let isEnabled, let usesDirected):
            writer.write([0x04, isEnabled ? 1 : 0, usesDirected ? 1 : 0])
        case .directedProxyControl(let range):
            writer.write([0x05, range == nil ? 0 : 1])
            writer.write(range?.encoded ?? [])
        }
        return writer.bytes
    }

    /// The messages that add any number of addresses to a filter.
    package static func adding(_ addresses: [Address]) -> [ProxyConfigurationMessage] {
        stride(from: 0, to: addresses.count, by: maximumAddresses).map {
            .addAddresses(Array(addresses[$0..<min($0 + maximumAddresses, addresses.count)]))
        }
    }

    private static func filterType(_ reader: inout ByteReader) throws(DecodeError) -> ProxyFilterType {
        let octet = try reader.readUInt8()
        guard let type = ProxyFilterType(rawValue: octet) else {
            throw .prohibited(field: "FilterType", value: UInt64(octet))
        }
        return type
    }

    private static func addresses(_ reader: inout ByteReader) throws(DecodeError) -> [Address] {
        var addresses: [Address] = []
        while !reader.isAtEnd { addresses.append(Address(rawValue: try reader.readUInt16())) }
        guard (1...maximumAddresses).contains(addresses.count) else { throw .length(1 + 2 * addresses.count) }
        return addresses
    }

    private static func bool(_ field: String, _ reader: inout ByteReader) throws(DecodeError) -> Bool {
        let octet = try reader.readUInt8()
        guard octet <= 1 else { throw .prohibited(field: field, value: UInt64(octet)) }
        return octet == 1
    }
}
