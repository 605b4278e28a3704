extension Composition {
    /// Decodes Composition Data page 0 (Mesh Protocol 4.2.2.1). Reserved bits of the features are kept.
    ///
    /// - Throws: ``DecodeError`` if the page ends within a field, has no element, or an element repeats a model,
    ///   because element and identifier address a model.
    package init(page0 bytes: [UInt8]) throws(DecodeError) {
        try self.init(page0: bytes, mayRepeatModels: false)
    }

    /// Decodes Composition Data page 0 of a node that may name a model twice on an element, as products with Zephyr do
    /// by mistake. Such a model counts once.
    ///
    /// - Returns: the composition, and whether it repeats a model.
    /// - Throws: ``DecodeError`` if the page ends within a field or has no element.
    package static func told(page0 bytes: [UInt8]) throws(DecodeError) -> (Composition, repeatsModels: Bool) {
        let composition = try Composition(page0: bytes, mayRepeatModels: true)
        return (composition, composition.page0Bytes != bytes)
    }

    private init(page0 bytes: [UInt8], mayRepeatModels: Bool) throws(DecodeError) {
        var reader = ByteReader(bytes)
        company = try reader.readUInt16LittleEndian()
        product = try reader.readUInt16LittleEndian()
        version = try reader.readUInt16LittleEndian()
        replayListSize = try reader.readUInt16LittleEndian()
        features = FeatureSet(rawValue: try reader.readUInt16LittleEndian())
        elements = []
        repeat {
            elements.append(try CompositionElement(reading: &reader, mayRepeatModels: mayRepeatModels))
        } while !reader.isAtEnd
    }

    /// Composition Data page 0 as octets; nil if an element has more than 255 SIG or 255 vendor models, which the page
    /// cannot express.
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

extension Composition {
    /// The same composition with corrected vendor models, if the node names them with company and model exchanged as
    /// BTstack does; nil if they are correct. The sign of it: a model's second half is the company of the node.
    ///
    /// A node exchanges either all of them or none.
    package var withVendorModelsInOrder: Composition? {
        let vendors = elements.flatMap(\.models).filter(\.isVendor)
        let isExchanged =
            vendors.contains { $0.model == company && $0.company != company }
            && !vendors.contains { $0.company == company }
        guard isExchanged else { return nil }
        var composition = self
        for index in elements.indices {
            composition.elements[index].models = elements[index].models.map { $0.exchanged ?? $0 }
        }
        return composition
    }
}

extension CompositionElement {
    /// Reads location (2), NumS (1), NumV (1), the SIG models (2 each) and the vendor models (4 each).
    fileprivate init(reading reader: inout ByteReader, mayRepeatModels: Bool) throws(DecodeError) {
        let location = try reader.readUInt16LittleEndian()
        let sigCount = try reader.readUInt8()
        let vendorCount = try reader.readUInt8()
        var models: [ModelIdentifier] = []
        for _ in 0..<sigCount { models.append(try SIGModelIdentifier(reading: &reader).identifier) }
        for _ in 0..<vendorCount { models.append(try VendorModelIdentifier(reading: &reader).identifier) }
        var seen: Set<ModelIdentifier> = []
        let distinct = models.filter { seen.insert($0).inserted }
        seen = []
        if !mayRepeatModels, distinct.count < models.count,
            let model = models.first(where: { !seen.insert($0).inserted })
        {
            throw .prohibited(
                field: "repeated model identifier",
                value: UInt64(model.company ?? 0) << 16 | UInt64(model.model)
            )
        }
        self.init(location: location, models: distinct)
    }

    /// Appends the element; false if the page cannot express it.
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
