import MeshCore

extension ConfigurationServer {
    /// The largest access payload, opcode included (Mesh Protocol 3.7.3).
    static let longestPayload = 380

    /// Composition Data pages and models metadata in parts.
    static let largeCompositionHandlers: [(Opcode, Handler)] = [
        on(LargeCompositionDataGet.self) { message, _, state in
            let (page, data) = state.compositionPage(message.page)
            let (size, part) = part(of: data, from: message.offset)
            return LargeCompositionDataStatus(page: page, offset: message.offset, totalSize: size, data: part)
        },
        on(ModelsMetadataGet.self) { message, _, state in
            let (size, part) = part(of: state.modelsMetadata, from: message.offset)
            return ModelsMetadataStatus(page: 0, offset: message.offset, totalSize: size, data: part)
        },
    ]

    /// The size of a page, and the part from an offset on that fits a message. Opcode (2), page (1), offset (2) and
    /// size (2) come before the part.
    private static func part(of page: [UInt8], from offset: UInt16) -> (UInt16, [UInt8]) {
        let page = page.prefix(0xFFFF)
        return (UInt16(page.count), Array(page.dropFirst(Int(offset)).prefix(longestPayload - 7)))
    }
}

extension NodeConfigurationState {
    /// The requested page. If the node does not have it, the page with the next lower number; page 0 always exists
    /// (4.4.1.2.3).
    func compositionPage(_ page: UInt8) -> (page: UInt8, data: [UInt8]) {
        let given = foundation.compositionPages.filter { $0.key > 0 && $0.key <= page }.max { $0.key < $1.key }
        if let given { return (given.key, given.value) }
        return (0, composition.page0Bytes ?? compositionPage0)
    }

    /// Models Metadata page 0 (4.2.50.1): for each element the numbers of SIG and vendor models, then each model with a
    /// count of zero metadata items. The octets are as in Composition Data page 0.
    fileprivate var modelsMetadata: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        for element in composition.elements {
            let sig = element.models.filter { !$0.isVendor }.prefix(255)
            let vendor = element.models.filter(\.isVendor).prefix(255)
            writer.write(UInt8(sig.count))
            writer.write(UInt8(vendor.count))
            for model in sig + vendor {
                model.write(to: &writer)
                writer.write(UInt8(0))
            }
        }
        return writer.bytes
    }
}
