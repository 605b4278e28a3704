import MeshCore
import SystemLayer

/// The names that definitions and commands have for what a document calls by its title.
///
/// The format has one name for each thing, and people read it on their phones, so an export writes titles there. Ours
/// follow in a member of their own, which other programs leave alone.
struct CDBNames {
    /// The member of the document.
    static let member = "meshplan"
    private static let inner = "names"

    private var network: String?
    private var lists: [String: [String: String]] = [:]

    /// Takes the member out of a document; nothing if it is not there, or has another form.
    init(takingFrom object: inout CDBObject) {
        guard case .object(let members)? = object.peek(Self.member),
            case .object(let names)? = members.first(where: { $0.name == Self.inner })?.value
        else { return }
        _ = object.take(Self.member)
        for entry in names {
            if entry.name == "network" { network = entry.value.text.flatMap(Self.name) }
            for item in entry.value.members {
                lists[entry.name, default: [:]][item.name] = item.value.text.flatMap(Self.name)
            }
        }
    }

    /// A name as definitions may have them; nil for any other text.
    private static func name(_ text: String) -> String? {
        let isName =
            (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains($0))
            }
        return isName ? text : nil
    }

    /// Gives a network its names back. What stood in their place is what people call these things.
    func apply(to network: inout MeshNetwork) {
        var titles = network.titles
        func rename(_ name: inout String, _ ours: String?, _ resource: TitledResource) {
            guard let ours, ours != name else { return }
            titles[resource] = name
            name = ours
        }
        rename(&network.name, self.network, .network)
        for index in network.netKeys.indices {
            let key = network.netKeys[index].index
            rename(&network.netKeys[index].name, lists["netKeys"]?[key.description], .netKey(key))
        }
        for index in network.appKeys.indices {
            let key = network.appKeys[index].index
            rename(&network.appKeys[index].name, lists["appKeys"]?[key.description], .appKey(key))
        }
        for index in network.groups.indices {
            let address = network.groups[index].address
            rename(&network.groups[index].name, lists["groups"]?[CDBExport.text(address)], .group(address))
        }
        for index in network.nodes.indices {
            let uuid = network.nodes[index].uuid
            rename(&network.nodes[index].name, lists["nodes"]?[uuid.description], .node(uuid))
        }
        network.titles = titles
    }

    /// The member for a network; nil if every name is what people call the thing.
    static func value(of network: MeshNetwork) -> JSONMember? {
        func list<Item>(
            _ name: String,
            _ items: [Item],
            _ key: (Item) -> String,
            _ itemName: (Item) -> String,
            _ resource: (Item) -> TitledResource
        ) -> JSONMember? {
            let members = items.compactMap { item -> JSONMember? in
                let title = network.titles[resource(item)]
                guard let title, title != itemName(item), !itemName(item).isEmpty else { return nil }
                return JSONMember(key(item), .string(itemName(item)))
            }
            return members.isEmpty ? nil : JSONMember(name, .object(members))
        }
        var members: [JSONMember] = []
        if let title = network.titles[.network], title != network.name {
            members.append(JSONMember("network", .string(network.name)))
        }
        members += [
            list("netKeys", network.netKeys, { $0.index.description }, \.name, { .netKey($0.index) }),
            list("appKeys", network.appKeys, { $0.index.description }, \.name, { .appKey($0.index) }),
            list("groups", network.groups, { CDBExport.text($0.address) }, \.name, { .group($0.address) }),
            list("nodes", network.nodes, { $0.uuid.description }, \.name, { .node($0.uuid) }),
        ].compactMap(\.self)
        return members.isEmpty ? nil : JSONMember(member, .object([JSONMember(inner, .object(members))]))
    }
}
