import DefinitionModel
import MeshCore

/// The names of a network's items in a definition: the names in the database if they are valid, otherwise names derived
/// from them.
///
/// A derived name does not depend on other items. Only if several items of one kind would get the same name, each gets
/// its number appended. So adding or removing an item renames only its namesakes.
struct AdoptedNames {
    private(set) var netKeys: [NetKeyIndex: String] = [:]
    private(set) var appKeys: [AppKeyIndex: String] = [:]
    private(set) var groups: [SubscriptionAddress: String] = [:]
    private(set) var nodes: [DeviceUUID: String] = [:]

    /// - Parameters:
    ///   - network: the network.
    ///   - groups: its groups, and those that must be made.
    ///   - nodes: the nodes that the definition will contain.
    init(_ network: MeshNetwork, groups: [Group], nodes: [Node]) {
        netKeys = Self.names(
            network.netKeys.map { Thing($0.index, $0.name, "subnet", suffix: $0.index.description) },
            reserved: []
        )
        appKeys = Self.names(
            network.appKeys.map { Thing($0.index, $0.name, "key", suffix: $0.index.description) },
            reserved: []
        )
        let fixed = Set(GroupAddress.fixedGroups.map(\.name) + [PublishTarget.provisionerName])
        self.groups = Self.names(
            groups.map { Thing($0.address, $0.name, "group", suffix: Self.digits($0.address.address)) },
            reserved: fixed
        )
        // A group and a node with the same name would be ambiguous as a destination.
        self.nodes = Self.names(
            nodes.map { Thing($0.uuid, $0.name, "node", suffix: Self.digits($0.unicastAddress.address)) },
            reserved: fixed.union(["all"]).union(self.groups.values)
        )
    }

    private static func digits(_ address: Address) -> String { address.rawValue.hexadecimal.lowercased() }

    private struct Thing<Identity: Hashable> {
        var identity: Identity
        var name: String
        var suffix: String

        init(_ identity: Identity, _ name: String, _ noun: String, suffix: String) {
            self.identity = identity
            self.name = name.adoptedName ?? "\(noun)-\(suffix)"
            self.suffix = suffix
        }
    }

    private static func names<Identity>(_ things: [Thing<Identity>], reserved: Set<String>) -> [Identity: String] {
        var counts: [String: Int] = [:]
        for thing in things { counts[thing.name, default: 0] += 1 }
        var names: [Identity: String] = [:]
        var taken = reserved
        var others: [Thing<Identity>] = []
        for thing in things {
            if counts[thing.name] == 1, taken.insert(thing.name).inserted {
                names[thing.identity] = thing.name
            } else {
                others.append(thing)
            }
        }
        for thing in others {
            let name = "\(thing.name)-\(thing.suffix)"
            var candidate = name
            var number = 1
            while !taken.insert(candidate).inserted {
                number += 1
                candidate = "\(name)-\(number)"
            }
            names[thing.identity] = candidate
        }
        return names
    }
}

extension String {
    /// The text as a name for a definition: the text itself if it is a valid name, otherwise its letters and digits in
    /// lower case, with hyphens between words. Nil if it has none.
    ///
    /// Accents are removed; letters of other scripts are left out.
    var adoptedName: String? {
        let limit = 64
        if Name.isValid(self), utf8.count <= limit { return self }
        var name = ""
        for scalar in unicodeScalars {
            if let letters = scalar.basicLetters {
                name += letters
            } else if !scalar.isApostrophe, !name.isEmpty, !name.hasSuffix("-") {
                name += "-"
            }
        }
        name = String(name.prefix(limit))
        while name.hasSuffix("-") { name.removeLast() }
        return name.isEmpty ? nil : name
    }
}

extension Unicode.Scalar {
    /// The ASCII letters or digit that the character is or consists of, in lower case; empty for a mark over a letter,
    /// nil if there are none.
    fileprivate var basicLetters: String? {
        switch self {
        case "a"..."z", "0"..."9": return String(self)
        case "A"..."Z": return properties.lowercaseMapping
        case "ß", "ẞ": return "ss"
        default: break
        }
        if isASCII { return nil }
        if properties.generalCategory == .nonspacingMark { return "" }
        // LATIN SMALL LETTER E WITH ACUTE, LATIN CAPITAL LETTER AE
        guard let words = properties.name?.split(separator: " "), words.count > 3, words[0] == "LATIN",
            words[2] == "LETTER", words[3].utf8.count <= 2
        else { return nil }
        return words[3].lowercased()
    }

    /// Whether the character can stand within a word: `Brian's`.
    fileprivate var isApostrophe: Bool { self == "'" || self == "\u{2019}" || self == "\u{02BC}" }
}
