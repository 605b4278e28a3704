import MeshCore

extension ByteWriter {
    mutating func write(_ key: StateKey) {
        write(key.element)
        write(key.item.rawValue)
        write(key.index)
    }

    mutating func write(_ models: StoredModels) {
        write(list: models.numbers.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(entry.key)
            writer.write(UInt64(bitPattern: entry.value))
        }
        write(list: models.octets.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(entry.key)
            writer.write(UInt16(truncatingIfNeeded: entry.value.count))
            writer.write(entry.value.prefix(0xFFFF))
        }
    }
}

extension ByteReader {
    mutating func readStateKey() throws(DecodeError) -> StateKey {
        let element = try readUInt8()
        let item = try readCase("item", StateItem.self)
        return StateKey(Int(element), item, index: try readUInt16())
    }

    mutating func readStoredModels() throws(DecodeError) -> StoredModels {
        var models = StoredModels()
        for _ in 0..<(try readUInt16()) {
            let key = try readStateKey()
            models.numbers[key] = Int64(bitPattern: try readUInt64())
        }
        for _ in 0..<(try readUInt16()) {
            let key = try readStateKey()
            models.octets[key] = Array(try read(Int(try readUInt16())))
        }
        return models
    }
}
