extension Composition {
    /// Decodes Composition Data page 0 (Mesh Protocol 4.2.2.1). Reserved bits of the features are kept.
    ///
    /// - Throws: ``DecodeError`` if the page ends within a field, has no element, or an element repeats a model:
    ///   models are addressed by element and identifier.
    package init(page0 bytes: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(bytes)
        company = try reader.readUInt16LittleEndian()
        product = try reader.readUInt16LittleEndian()
        version = try reader.readUInt16LittleEndian()
        replayListSize = try reader.readUInt16LittleEndian()
        features = FeatureSet(rawValue: try reader.readUInt16LittleEndian())
        elements = []
        repeat {
            elements.append(try CompositionElement(reading: &reader))
        } while !reader.isAtEnd
    }

    /// Composition Data page 0 as octets; nil if an element has more than 255 models of a kind, which the page cannot
    /// express.
    package var page0Bytes: [UInt8]? {
        var writer = ByteWriter(capacity: 64)
        for field in [company, product, version, replayListSize, features.rawValue] {
            writer.writeLittleEndian(field)
        }
        for element in elements {
            guard element.write(to: &writer) else { return nil }
        }
        return writer.bytes
    }
}

extension CompositionElement {
    /// Location, NumS, NumV, the SIG models and the vendor models.
    fileprivate init(reading reader: inout ByteReader) throws(DecodeError) {
        let location = try reader.readUInt16LittleEndian()
        let sigCount = try reader.readUInt8()
        let vendorCount = try reader.readUInt8()
        var models: [ModelIdentifier] = []
        for _ in 0..<sigCount { models.append(try SIGModelIdentifier(reading: &reader).identifier) }
        for _ in 0..<vendorCount { models.append(try VendorModelIdentifier(reading: &reader).identifier) }
        var seen: Set<ModelIdentifier> = []
        for model in models where !seen.insert(model).inserted {
            throw .prohibited(
                field: "repeated model identifier",
                value: UInt64(model.company ?? 0) << 16 | UInt64(model.model)
            )
        }
        self.init(location: location, models: models)
    }

    /// Whether the element could be expressed.
    fileprivate func write(to writer: inout ByteWriter) -> Bool {
        let sig = models.filter { !$0.isVendor }
        let vendor = models.filter(\.isVendor)
        guard let sigCount = UInt8(exactly: sig.count), let vendorCount = UInt8(exactly: vendor.count) else {
            return false
        }
        writer.writeLittleEndian(location)
        writer.write(sigCount)
        writer.write(vendorCount)
        for model in sig + vendor { model.write(to: &writer) }
        return true
    }
}
