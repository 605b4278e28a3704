import DefinitionModel
package import MeshCore

/// What a person names to operate: nodes, one element, a group, or the nodes with a tag.
package enum OperatingTarget: Hashable, Sendable {
    /// The node with a name, UUID or address, or all nodes whose names match a pattern with `*`; of each only this
    /// element, or all elements if it is nil.
    case nodes(String, element: Int?)
    /// The group with a name or an address.
    case group(String)
    /// The nodes with this tag, whose value may hold `*`.
    case tag(name: String, value: String)

    /// What stands before the name of a group.
    package static let groupPrefix = "group."

    /// Reads `NODE`, `NODE/ELEMENT`, `group.NAME`, `tag=value`, and patterns with `*`.
    ///
    /// - Throws: ``TargetError/malformed(_:)`` for an empty text, and for an element that is no number to 254.
    package init(_ text: String) throws(TargetError) {
        if text.hasPrefix(Self.groupPrefix) {
            let name = String(text.dropFirst(Self.groupPrefix.count))
            guard !name.isEmpty else { throw .malformed(text) }
            self = .group(name)
            return
        }
        if let equals = text.firstIndex(of: "=") {
            let name = String(text[..<equals])
            let value = String(text[text.index(after: equals)...])
            guard !name.isEmpty, !value.isEmpty else { throw .malformed(text) }
            self = .tag(name: name, value: value)
            return
        }
        guard let slash = text.lastIndex(of: "/") else {
            guard !text.isEmpty else { throw .malformed(text) }
            self = .nodes(text, element: nil)
            return
        }
        let name = String(text[..<slash])
        let digits = text[text.index(after: slash)...]
        guard !name.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let element = Int(digits), element < 255
        else { throw .malformed(text) }
        self = .nodes(name, element: element)
    }

    /// Whether it can stand for several nodes without being one of the network's groups.
    package var isSelector: Bool {
        switch self {
        case .nodes(let name, element: _): !Glob(name).isLiteral
        case .group: false
        case .tag: true
        }
    }
}

/// Why a target is nothing of the network.
package enum TargetError: Error, Hashable, Sendable {
    /// The text has no form of a target.
    case malformed(String)
    /// No node has the name; the second text is what is probably meant.
    case noNode(String, suggestion: String?)
    /// A definition names the node, but the network does not have it.
    case onlyDefined(String)
    /// A definition gives nodes this tag, but the network has none of them.
    case onlyDefinedTag(String)
    /// Several nodes have the name; these texts tell them apart.
    case severalNodes(String, [String])
    /// No node matches the pattern.
    case noMatch(String)
    case noElement(Int, node: String, count: Int)
    /// No group has the name; the second text is what is probably meant.
    case noGroup(String, suggestion: String?)
    /// No element of a node that the database knows subscribes to the group.
    case emptyGroup(String)
    /// No node has the tag; the second text is what is probably meant.
    case noTag(String, suggestion: String?)
    /// Nobody has said which tags nodes have.
    case tagsUnknown(String)
}

extension TargetError {
    /// What is wrong, without a full stop.
    package var message: String {
        switch self {
        case .malformed(let text): "`\(text)` is no target"
        case .noNode(let name, suggestion: _): "there is no node `\(name)`"
        case .onlyDefined(let name): "`\(name)` is in the definition, but not yet in the network"
        case .onlyDefinedTag(let tag):
            "the definition has nodes with the tag `\(tag)`, but none of them is in the network yet"
        case .severalNodes(let name, _): "several nodes are called `\(name)`"
        case .noMatch(let pattern): "no node matches `\(pattern)`"
        case .noElement(let element, let node, let count):
            "\(node) has no element \(element): it has \(count == 1 ? "element 0 only" : "the elements 0 to \(count - 1)")"
        case .noGroup(let name, suggestion: _): "there is no group `\(name)`"
        case .emptyGroup(let name): "no model of a node subscribes to the group \(name), as far as the database knows"
        case .noTag(let tag, suggestion: _): "no node of the database has the tag `\(tag)`"
        case .tagsUnknown(let tag): "`\(tag)` needs a definition, because only that has tags"
        }
    }

    package var advice: Advice? {
        switch self {
        case .malformed:
            "A target is NODE, NODE/ELEMENT, group.NAME or tag=value; `*` stands for any characters."
        case .noNode(_, let suggestion), .noGroup(_, let suggestion), .noTag(_, let suggestion):
            if let suggestion {
                "Did you mean `\(suggestion)`? To list what there is: \(command: .showNetwork)"
            } else {
                "To list what there is: \(command: .showNetwork)"
            }
        case .onlyDefined, .onlyDefinedTag: "Provision and configure it first: \(command: .apply)"
        case .severalNodes(_, let texts): Advice("Use its address or UUID: \(texts.joined(separator: ", ")).")
        case .noMatch: "To list the nodes of the database: \(command: .showNetwork)"
        case .noElement: nil
        case .emptyGroup: "Subscribe models to it in the definition, then: \(command: .apply)"
        case .tagsUnknown: "Name its path, or name nodes by a pattern with `*`."
        }
    }
}
