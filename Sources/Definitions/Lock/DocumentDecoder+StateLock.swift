import MeshCore

extension DocumentDecoder {
    /// A lock file: `version` and `networks`, a mapping by name.
    mutating func decodeStateLock(into lock: inout StateLock) {
        guard !tree.nodes.isEmpty, let fields = entries(0, "a mapping with `version` and `networks`") else { return }
        var version: Located<UInt64>?
        for field in fields {
            switch symbols.text(field.symbol) {
            case "version": version = scalar(field.value, "a version", Self.serial)
            case "networks": decodeLockedNetworks(field.value, into: &lock)
            default: reportUnknownLockKey(field)
            }
        }
        guard let version, version.value != 1 else {
            if version == nil, !fields.contains(where: { symbols.text($0.symbol) == "version" }) {
                report("`version` is missing", at: 0, hint: Self.restore)
            }
            return
        }
        report("version \(version.value) of the lock file is not known", at: 0, hint: "use a later version of meshplan")
    }

    private mutating func decodeLockedNetworks(_ node: Int, into lock: inout StateLock) {
        for network in entries(node, "a mapping of networks by name") ?? [] {
            let name = symbols.text(network.symbol)
            guard Name.isValid(name) else {
                report("\(quoted(name)) is not the name of a network", at: network.key, hint: Self.restore)
                continue
            }
            guard let fields = entries(network.value, "a mapping with `lineage`, `serial` and `digest`") else {
                continue
            }
            var lineage: Octets16?
            var serial: UInt64?
            var digest: [UInt8]?
            var isWhole = true
            for field in fields {
                switch symbols.text(field.symbol) {
                case "lineage":
                    lineage = scalar(field.value, "a lineage", Self.lineage)?.value
                    isWhole = isWhole && lineage != nil
                case "serial":
                    serial = scalar(field.value, "a serial", Self.serial)?.value
                    isWhole = isWhole && serial != nil
                case "digest":
                    digest = scalar(field.value, "a digest", Self.digest)?.value
                    isWhole = isWhole && digest != nil
                default: reportUnknownLockKey(field)
                }
            }
            if let lineage, let serial, let digest {
                lock.networks[name] = StateLock.Entry(lineage: lineage, serial: serial, digest: digest)
            } else if isWhole {
                let missing = [
                    lineage == nil ? "lineage" : nil, serial == nil ? "serial" : nil, digest == nil ? "digest" : nil,
                ].compactMap { $0 }
                report("`\(missing.joined(separator: "` and `"))` is missing", at: network.key, hint: Self.restore)
            }
        }
    }

    private mutating func reportUnknownLockKey(_ entry: MappingEntry) {
        guard diagnostics.wants(.error) else { return diagnostics.drop(.error) }
        let name = quoted(symbols.text(entry.symbol))
        report("a lock file has no key \(name)", at: entry.key, hint: Self.restore)
    }

    private static let restore = "nobody needs to write this file; restore it with git"

    private static func lineage(_ text: String) throws(ScalarProblem) -> Octets16 {
        guard let octets = Hexadecimal.decode(text), let lineage = Octets16(octets) else {
            throw ScalarProblem("a lineage is 32 hexadecimal digits", hint: restore)
        }
        return lineage
    }

    private static func digest(_ text: String) throws(ScalarProblem) -> [UInt8] {
        guard let octets = Hexadecimal.decode(text), octets.count == 32 else {
            throw ScalarProblem("a digest is 64 hexadecimal digits", hint: restore)
        }
        return octets
    }

    private static func serial(_ text: String) throws(ScalarProblem) -> UInt64 {
        // Far higher than any database counts, and far below the point where counting on would overflow.
        guard text.utf8.count <= 15, text.utf8.allSatisfy(Numbers.isDigit), let number = UInt64(text) else {
            throw ScalarProblem("a whole number of at most 15 digits is expected here", hint: restore)
        }
        return number
    }
}
