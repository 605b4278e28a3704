import MeshCore

extension ConfigurationServer {
    /// Changes an answer to what a node with these quirks sends.
    ///
    /// - Parameters:
    ///   - answer: opcode and parameters as the specification requires.
    ///   - request: the opcode of the request.
    func asQuirks(_ answer: [UInt8], to request: Opcode) -> [UInt8] {
        var reader = ByteReader(answer)
        guard !quirks.isEmpty, let opcode = try? Opcode(decoding: &reader) else { return answer }
        let head = opcode.encoded
        var parameters = Array(answer[head.count...])
        if quirks.contains(.swappedVendorIdentifiers) { Self.swapVendorIdentifier(opcode, &parameters) }
        switch opcode {
        case ConfigHeartbeatPublicationStatus.opcode where quirks.contains(.answersFFFF):
            // Without a destination (octets 1 and 2), the index at the end was never set.
            if parameters[1...2].allSatisfy({ $0 == 0 }) { parameters.replaceSubrange(8..<10, with: [0xFF, 0xFF]) }
        case ConfigModelSubscriptionStatus.opcode where quirks.contains(.zeroVirtualAddress):
            if Self.requestsWithLabel.contains(request) { parameters.replaceSubrange(3..<5, with: [0, 0]) }
        case ConfigNetKeyList.opcode where quirks.contains(.shortNetKeyList):
            // Two octets are too many for one index and too few for two.
            parameters = Array((parameters + [0, 0]).prefix(2)) + [0xFF, 0xFF]
        case ConfigAppKeyList.opcode where quirks.contains(.wrongKeyIndex):
            // Little-endian like all indexes. No simulated network has an index that high.
            parameters.replaceSubrange(1..<3, with: [0xFF, 0x0F])
        default: break
        }
        return head + parameters
    }

    private static let requestsWithLabel: Set<Opcode> = [
        ConfigModelSubscriptionVirtualAddressAdd.opcode, ConfigModelSubscriptionVirtualAddressDelete.opcode,
        ConfigModelSubscriptionVirtualAddressOverwrite.opcode,
    ]

    /// Swaps company and model, two octets each, in a status about a vendor model.
    private static func swapVendorIdentifier(_ opcode: Opcode, _ parameters: inout [UInt8]) {
        let place: Int?
        switch opcode {
        case ConfigModelAppStatus.opcode where parameters.count == 9: place = 5
        case ConfigModelSubscriptionStatus.opcode where parameters.count == 9: place = 5
        case ConfigModelPublicationStatus.opcode where parameters.count == 14: place = 10
        case ConfigVendorModelAppList.opcode, ConfigVendorModelSubscriptionList.opcode: place = 3
        default: place = nil
        }
        guard let place, parameters.count >= place + 4 else { return }
        let identifier = parameters[place..<place + 4]
        parameters.replaceSubrange(place..<place + 4, with: identifier.suffix(2) + identifier.prefix(2))
    }
}
