import MeshCore

/// The primitives of row bodies. Counts and lengths are variable-length integers: seven bits an octet, least
/// significant first, with the top bit set in all octets but the last. Only the shortest form is allowed, so equal
/// values have equal octets.
extension ByteWriter {
    mutating func writeCount(_ value: Int) {
        var rest = UInt64(value)
        while rest > 0x7F {
            write(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        write(UInt8(truncatingIfNeeded: rest))
    }

    mutating func writeString(_ value: String) {
        writeCount(value.utf8.count)
        write(value.utf8)
    }

    mutating func writeOctets(_ value: [UInt8]) {
        writeCount(value.count)
        write(value)
    }

    mutating func write(_ key: KeyMaterial?) {
        write(key != nil)
        if let key { write(key.octets) }
    }

    mutating func write(_ value: Timestamp?) {
        write(value != nil)
        if let value { writeTime(value) }
    }

    mutating func writeTime(_ value: Timestamp) {
        write(UInt64(bitPattern: value.rawValue))
    }

    mutating func write(_ product: Node.Product) {
        for value in [product.company, product.product, product.version, product.replayListSize] { write(value) }
    }

    /// A flag that says whether the model has a company, the company if so, and its 16 bits.
    mutating func write(_ model: ModelIdentifier) {
        write(model.isVendor)
        if let company = model.company { write(company) }
        write(model.model)
    }

    mutating func write(_ model: ModelAddress) {
        write(model.element)
        write(model.model)
    }

    mutating func writeList<Item>(_ items: [Item], _ write: (Item, inout ByteWriter) -> Void) {
        writeCount(items.count)
        for item in items { write(item, &self) }
    }
}

extension ByteReader {
    /// A count of items of which each takes at least `size` octets. A count that cannot fit is refused, so a damaged
    /// one never reserves memory.
    mutating func readCount(size: Int = 1) throws(DecodeError) -> Int {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let octet = try readUInt8()
            value |= UInt64(octet & 0x7F) << shift
            if octet & 0x80 == 0 {
                guard octet != 0 || shift == 0 else { throw .prohibited(field: "count", value: value) }
                break
            }
            shift += 7
            guard shift < 35 else { throw .prohibited(field: "count", value: value) }
        }
        guard value <= UInt64(remaining / max(size, 1)) else {
            throw .truncated(offset: offset, needed: Int(value))
        }
        return Int(value)
    }

    mutating func readString() throws(DecodeError) -> String {
        let bytes = try read(try readCount())
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .prohibited(field: "text", value: UInt64(bytes.count))
        }
        return text
    }

    mutating func readOctets() throws(DecodeError) -> [UInt8] {
        Array(try read(try readCount()))
    }

    mutating func readKey() throws(DecodeError) -> KeyMaterial? {
        try readFlag() ? KeyMaterial(try readOctets16()) : nil
    }

    mutating func readTimestamp() throws(DecodeError) -> Timestamp? {
        try readFlag() ? try readTime() : nil
    }

    mutating func readTime() throws(DecodeError) -> Timestamp {
        Timestamp(rawValue: Int64(bitPattern: try readUInt64()))
    }

    mutating func readProduct() throws(DecodeError) -> Node.Product {
        Node.Product(
            company: try readUInt16(),
            product: try readUInt16(),
            version: try readUInt16(),
            replayListSize: try readUInt16()
        )
    }

    mutating func readModel() throws(DecodeError) -> ModelIdentifier {
        try readFlag() ? .vendor(company: try readUInt16(), model: try readUInt16()) : .sig(try readUInt16())
    }

    mutating func readModelAddress() throws(DecodeError) -> ModelAddress {
        ModelAddress(element: try readUInt8(), model: try readModel())
    }

    mutating func readList<Item>(
        size: Int = 1,
        _ read: (inout ByteReader) throws(DecodeError) -> Item
    ) throws(DecodeError) -> [Item] {
        let count = try readCount(size: size)
        guard count > 0 else { return [] }
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try read(&self)) }
        return items
    }

    /// The version of the program that wrote what is read: at most 32 letters, digits, dots, plus and minus signs.
    mutating func readWriter() throws(DecodeError) -> String {
        let text = try readString()
        func isAllowed(_ octet: UInt8) -> Bool {
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy(isAllowed) else {
            throw .prohibited(field: "version of the program", value: UInt64(text.utf8.count))
        }
        return text
    }

    /// Refuses a body that a later version of the program wrote.
    mutating func expectVersion(_ version: UInt8) throws(DecodeError) {
        let found = try readUInt8()
        guard found == version else { throw .unknownType(UInt64(found)) }
    }
}
