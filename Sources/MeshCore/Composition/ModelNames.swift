extension ModelIdentifier {
    /// The name in definitions and plans: that of the catalogue, else `0x1234` or `0x0059:0x0001`.
    package var name: String {
        ModelCatalogue.model(self)?.name ?? description
    }

    /// The model with a name that definitions allow: a name of the catalogue, a SIG model as `0x1000`, or a vendor
    /// model as `0x0059:0x0001`. Each number has one to four digits in either case. Nil for anything else.
    package init?(name: String) {
        if let known = ModelCatalogue.model(named: name) {
            self = known.identifier
            return
        }
        let parts = name.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        let numbers = parts.compactMap(Self.number)
        switch (parts.count, numbers.count) {
        case (1, 1): self = .sig(numbers[0])
        case (2, 2): self = .vendor(company: numbers[0], model: numbers[1])
        default: return nil
        }
    }

    private static func number(_ text: Substring) -> UInt16? {
        guard text.hasPrefix("0x") else { return nil }
        let digits = text.dropFirst(2)
        // The integer parser alone would also accept a sign.
        guard (1...4).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit) else { return nil }
        return UInt16(digits, radix: 16)
    }
}
