import Catalogue
import DefinitionModel
import MeshCore
import Planning

/// Shows the contents of a mesh database, without keys.
struct ShowView {
    var network: MeshNetwork
    var serial: UInt64
    var style: Style
    /// The names for addresses and indexes.
    let names: NetworkNames
    let known: KnownModels
    var models: ModelNames { known.names }

    init(_ network: MeshNetwork, serial: UInt64, style: Style, models: KnownModels = .sig) {
        known = models
        self.network = network
        self.serial = serial
        self.style = style
        names = NetworkNames(network)
    }

    /// The network as a whole.
    func overview(nodeName name: String) -> String {
        var text = style(.bold, "Network \(name.printable)")
        let title = network.titles[.network] ?? network.name
        if title != name { text += "  \(title.printable)" }
        text += "  (serial \(serial))\n"
        let update = network.ivIndex.isUpdateInProgress ? ", update in progress" : ""
        text += "  UUID \(network.uuid.hyphenated)  IV index \(network.ivIndex.value)\(update)\n"

        var subnets = Table(["INDEX", "NAME", "KEY REFRESH"], rightAligned: [0])
        for key in network.netKeys {
            subnets.rows.append([key.index.description, key.name.printable, phase(key.phase)])
        }
        subnets.add(titles: network.netKeys.map { network.titles[.netKey($0.index)] })
        text += section("Subnets", subnets, network.netKeys.count)

        var keys = Table(["INDEX", "NAME", "SUBNET"], rightAligned: [0])
        for key in network.appKeys {
            keys.rows.append([key.index.description, key.name.printable, names.text(key.boundNetKey)])
        }
        keys.add(titles: network.appKeys.map { network.titles[.appKey($0.index)] })
        text += section("Application keys", keys, network.appKeys.count)

        var groups = Table(["ADDRESS", "NAME", "PARENT"])
        for group in network.groups {
            groups.rows.append([
                group.address.description, group.name.printable, group.parent.map(names.text) ?? "",
            ])
        }
        groups.add(titles: network.groups.map { network.titles[.group($0.address)] })
        text += section("Groups", groups, network.groups.count)

        var nodes = Table(
            ["ADDRESS", "NAME", "PRODUCT", "ELEMENTS", "MODELS", "FEATURES", "STATE"],
            rightAligned: [3, 4]
        )
        for node in network.nodes {
            nodes.rows.append([
                node.unicastAddress.description, node.name.printable, product(node),
                node.isCompositionKnown ? String(node.elements.count) : "?",
                node.isCompositionKnown ? String(node.elements.reduce(0) { $0 + $1.models.count }) : "?",
                features(node), state(node),
            ])
        }
        nodes.add(titles: network.nodes.map { network.titles[.node($0.uuid)] })
        return text + section("Nodes", nodes, network.nodes.count) + provisioningRecords()
    }

    /// Devices that may have become nodes, and former nodes; empty if there are neither.
    private func provisioningRecords() -> String {
        var text = ""
        var pending = Table(["ADDRESSES", "NAME", "UUID", "SUBNET", "ATTEMPTS", "LAST ATTEMPT"], rightAligned: [4])
        for device in network.pendingProvisionings {
            pending.rows.append([
                range(device.addresses), device.name.printable, device.uuid.description,
                names.text(device.netKeyIndex), String(device.deviceKeys.count), device.attemptedAt.minute(inZone: 0),
            ])
        }
        if !pending.rows.isEmpty { text += section("Pending provisionings", pending, pending.rows.count) }
        var refreshes = Table(["NODE", "ADDRESSES", "OR", "PROCEDURE", "LAST ATTEMPT"])
        for node in network.nodes {
            guard let pending = network.pendingReprovisions[node.uuid] else { continue }
            refreshes.rows.append([
                node.name.printable, range(node.addresses),
                pending.addresses == node.addresses ? "-" : range(pending.addresses), pending.procedure.name,
                pending.attemptedAt.minute(inZone: 0),
            ])
        }
        if !refreshes.rows.isEmpty { text += section("Pending reprovisionings", refreshes, refreshes.rows.count) }
        let taken = Set(network.nodes.map(\.unicastAddress))
        var retired = Table(["ADDRESSES", "NAME", "UUID", "REASON", "RETIRED", "ADDRESSES FREE"])
        for record in network.retiredNodes {
            let end = network.exclusionEnd(of: record.node.unicastAddress)
            retired.rows.append([
                range(record.node.addresses), record.node.name.printable, record.node.uuid.description,
                record.reason.text, record.retiredAt.minute(inZone: 0),
                end.map { "from IV index \($0) on" } ?? (taken.contains(record.node.unicastAddress) ? "in use" : "yes"),
            ])
        }
        if !retired.rows.isEmpty { text += section("Retired nodes", retired, retired.rows.count) }
        return text
    }

    private func range(_ addresses: ClosedRange<UInt16>) -> String {
        let first = Address(rawValue: addresses.lowerBound).description
        return addresses.count == 1 ? first : "\(first) to \(Address(rawValue: addresses.upperBound))"
    }

    func node(_ node: Node) -> String {
        var text = style(.bold, "Node \(node.name.printable)") + "\n"
        var facts = Table()
        facts.rows = [
            ["address", range(node.addresses)],
            ["UUID", node.uuid.description],
            ["product", product(node)],
            ["device key", node.deviceKey == nil ? "missing: the node cannot be configured" : "known"],
            ["provisioned", node.authentication?.text ?? "by others, or before that was recorded"],
            ["state", state(node)],
            ["observed", node.observedAt.map { $0.minute(inZone: 0) } ?? "never: as imported"],
            ["read back", node.readBackAt.map { $0.minute(inZone: 0) } ?? "never in full"],
            ["drift", drift(node)],
        ]
        if let title = network.titles[.node(node.uuid)] { facts.rows.insert(["title", title.printable], at: 0) }
        let unread = node.unread.filter { $0.doubt == nil }
        if !unread.isEmpty { facts.rows.append(["not read", list(unread.map { UnreadText.text($0).printable })]) }
        let doubtful = node.doubtfulEntries
        if !doubtful.isEmpty {
            facts.rows.append(["not known to be there", list(doubtful.map { $0.path(in: network, models).printable })])
        }
        facts.rows += [
            ["subnets", list(node.netKeys.map { names.text($0.index) + ($0.isUpdated ? " (new key)" : "") })],
            ["application keys", list(node.appKeys.map { names.text($0.index) + ($0.isUpdated ? " (new key)" : "") })],
            ["features", features(node)],
            ["default TTL", node.defaultTTL.map { String($0) } ?? "unknown"],
            ["secure network beacon", node.secureNetworkBeacon.map { $0 ? "on" : "off" } ?? "unknown"],
            ["network transmit", transmit(node.networkTransmit)],
            ["relay retransmit", transmit(node.relayRetransmit)],
        ]
        facts.rows += stateRows(of: node)
        text += facts.render(style, indent: "  ") + bridgingTable(of: node)
        for (index, element) in node.elements.enumerated() {
            let address = node.unicastAddress.element(UInt8(truncatingIfNeeded: index))?.description ?? "?"
            let name = element.name.map { " \($0.printable)" } ?? ""
            text += "\n" + style(.bold, "Element \(index)\(name)") + "  \(address)\n"
            for model in element.models {
                text += "  \(models.name(of: model.identifier).printable)\n"
                if !model.bindings.isEmpty { text += "    keys        \(list(model.bindings.map(names.text)))\n" }
                for (position, address) in model.subscriptions.enumerated() {
                    text += "    \(position == 0 ? "subscribed" : "          ")  \(names.text(address))\n"
                }
                if let publication = model.publication { text += "    publishes   \(self.text(publication))\n" }
                for (position, state) in model.states.enumerated() {
                    let value = state.form.text(of: state.status, in: known)
                    text += "    \(position == 0 ? "states" : "      ")      \(state.form.name) \(value)\n"
                }
            }
        }
        return text
    }

    /// One group with its subscribers and publishers.
    func group(_ group: Group) -> String {
        var text = style(.bold, "Group \(group.name.printable)") + "  \(group.address)\n"
        if let parent = group.parent { text += "  in \(names.text(parent))\n" }
        let children = network.groups.filter { $0.parent == group.address }.map(\.name.printable)
        if !children.isEmpty { text += "  holds \(list(children))\n" }
        var subscribers = Table()
        var publishers = Table()
        for node in network.nodes {
            for (index, element) in node.elements.enumerated() {
                for model in element.models {
                    let name = models.name(of: model.identifier).printable
                    let row = [node.name.printable, "element \(index)", name] + remark(on: node)
                    if model.subscriptions.contains(group.address) {
                        let place = UInt8(exactly: index).map { ModelAddress(element: $0, model: model.identifier) }
                        let isDoubtful =
                            !node.unread.isEmpty
                            && place.map { node.doubtfulEntries.contains(.subscription($0, group.address)) } ?? false
                        subscribers.rows.append(isDoubtful ? row + ["not known"] : row)
                    }
                    if let publication = model.publication, publication.address == PublishAddress(group.address) {
                        publishers.rows.append(row)
                    }
                }
            }
        }
        text += section("Subscribed", subscribers, subscribers.rows.count)
        return text + section("Publishing", publishers, publishers.rows.count)
    }

    /// Remarks on nodes that are listed because of records, although they no longer take part here, or are not managed.
    private func remark(on node: Node) -> [String] {
        if node.isExcluded { return ["excluded"] }
        if node.unprovisionedSeenAt != nil { return ["was reset"] }
        return node.isManaged || node.uuid == network.ownProvisioner ? [] : ["not managed"]
    }

    /// One subnet with its application keys and nodes.
    func subnet(_ key: NetKey) -> String {
        var text = style(.bold, "Subnet \(key.name.printable)") + "  NetKey index \(key.index)\n"
        text += "  key refresh: \(phase(key.phase))\n"
        if key.isProtected { text += "  protected\n" }
        var keys = Table()
        for appKey in network.appKeys where appKey.boundNetKey == key.index {
            keys.rows.append([appKey.name.printable, "index \(appKey.index)"])
        }
        text += section("Application keys", keys, keys.rows.count)
        return text + members(network.nodes.filter { $0.knows(key.index) })
    }

    func applicationKey(_ key: AppKey) -> String {
        var text = style(.bold, "Application key \(key.name.printable)") + "  AppKey index \(key.index)\n"
        text += "  in subnet \(names.text(key.boundNetKey))\n"
        if key.isProtected { text += "  protected\n" }
        return text + members(network.nodes.filter { $0.knows(key.index) })
    }

    private func members(_ nodes: [Node]) -> String {
        var table = Table()
        for node in nodes {
            let own = node.uuid == network.ownProvisioner ? ["this provisioner"] : remark(on: node)
            table.rows.append([node.unicastAddress.description, node.name.printable] + own)
        }
        return section("Nodes", table, nodes.count)
    }

    func section(_ title: String, _ table: Table, _ count: Int) -> String {
        "\n" + style(.bold, title) + " (\(count))\n" + (count == 0 ? "" : table.render(style, indent: "  "))
    }

    private func list(_ items: [String]) -> String { items.isEmpty ? "none" : items.joined(separator: ", ") }

    private func phase(_ phase: KeyRefreshPhase) -> String {
        switch phase {
        case .normal: "no"
        case .keyDistribution: "phase 1: new key is distributed"
        case .usingNewKeys: "phase 2: new key is in use"
        }
    }

    private func product(_ node: Node) -> String {
        guard let product = node.product else { return "unknown" }
        let company = CompanyCatalogue.name(of: product.company) ?? "0x" + product.company.hexadecimal
        return "\(company) 0x\(product.product.hexadecimal) v\(product.version)"
    }

    private func features(_ node: Node) -> String {
        let states: [(String, FeatureState?)] = [
            ("relay", node.features.relay), ("proxy", node.features.proxy), ("friend", node.features.friend),
            ("low-power", node.features.lowPower),
        ]
        let on = states.filter { $0.1 == .enabled }.map(\.0)
        if states.allSatisfy({ $0.1 == nil }) { return "unknown" }
        return on.isEmpty ? "-" : on.joined(separator: " ")
    }

    private func state(_ node: Node) -> String {
        var words: [String] = []
        if node.uuid == network.ownProvisioner { words.append("this provisioner") }
        words.append(node.isManaged ? "managed" : "not managed")
        if node.isProtected { words.append("protected") }
        if node.removalPolicy == .reset { words.append("reset on removal") }
        if node.isExcluded { words.append("excluded") }
        if let seen = node.unprovisionedSeenAt { words.append("seen unprovisioned \(seen.minute(inZone: 0))") }
        if node.deviceKey == nil { words.append("no device key") }
        return words.joined(separator: ", ")
    }

    private func drift(_ node: Node) -> String {
        guard let drift = network.drifts[node.uuid] else {
            guard let time = node.readBackAt else { return "not known: never read back in full" }
            return "none when it was read back at \(time.minute(inZone: 0))"
        }
        return "\(count(drift.since.count, "value")) not as recorded; meshplan drift shows which"
    }

    private func transmit(_ parameters: TransmitParameters?) -> String {
        guard let parameters else { return "unknown" }
        if parameters.transmissions == 1 { return "once" }
        return
            "\(parameters.transmissions) times, \(DurationText.text(milliseconds: parameters.intervalMilliseconds)) apart"
    }

    private func text(_ publication: Publication) -> String {
        var parts = ["to \(names.text(publication.address))", "key \(names.text(publication.appKeyIndex))"]
        parts.append(publication.ttl == Publication.defaultTTL ? "default TTL" : "TTL \(publication.ttl)")
        if publication.period.milliseconds > 0 {
            parts.append("every \(DurationText.text(milliseconds: publication.period.milliseconds))")
        }
        if publication.retransmit.count > 0 {
            let interval = DurationText.text(milliseconds: publication.retransmit.intervalMilliseconds)
            parts.append("repeated \(publication.retransmit.count) times \(interval) apart")
        }
        if publication.usesFriendshipCredentials { parts.append("friendship credentials") }
        return parts.joined(separator: ", ")
    }
}

extension RetiredNode.Reason {
    var text: String {
        switch self {
        case .reset: "reset"
        case .replaced: "replaced"
        case .excluded: "excluded"
        case .reprovisioned: "refreshed"
        }
    }
}

extension PublishAddress {
    /// The group address or label as an address to publish to.
    fileprivate init(_ address: SubscriptionAddress) {
        switch address {
        case .group(let group): self = .group(group)
        case .virtual(let label): self = .virtual(label)
        case .unknownLabel(let virtual): self = .unknownLabel(virtual)
        }
    }
}

extension Table {
    /// Adds a column with titles, if there are any.
    mutating func add(titles: [String?]) {
        guard titles.contains(where: { $0 != nil }) else { return }
        header?.append("TITLE")
        for (row, title) in titles.enumerated() { rows[row].append(title?.printable ?? "") }
    }
}

extension ShowView {
    /// Rows with the pages of a node and its known states, apart from those that nearly every node has.
    func stateRows(of node: Node) -> [[String]] {
        var rows = node.states.map { state in
            let subnet = state.kind.subnet.map { " in \(names.text($0))" } ?? ""
            return [state.kind.phrase + subnet, state.text(address: names.text, subnet: names.text)]
        }
        if let pages = node.compositionPages {
            rows.append(["composition pages", pages.isEmpty ? "0" : "0, \(PageText.pages(pages))"])
        }
        if let pages = node.modelsMetadata {
            rows.append(["models metadata", pages.isEmpty ? "none" : PageText.pages(pages)])
        }
        return rows
    }

    /// The bridging table of a node; empty if none is known.
    func bridgingTable(of node: Node) -> String {
        guard let entries = node.bridgingTable else { return "" }
        var table = Table(["SUBNET", "ADDRESS", "", "SUBNET", "ADDRESS"])
        for entry in entries {
            table.rows.append([
                names.text(entry.subnets.first), names.text(entry.addresses.first.address),
                entry.addresses.directions == .bothWays ? "<->" : "->", names.text(entry.subnets.second),
                names.text(entry.addresses.second),
            ])
        }
        return section("Bridging table", table, entries.count)
    }
}

/// Describes pages.
enum PageText {
    /// `1 (16 octets), 128 (300 octets)`; empty if there are none.
    static func pages(_ pages: [UInt8: [UInt8]]) -> String {
        pages.sorted { $0.key < $1.key }.map { "\($0) (\(count($1.count, "octet")))" }.joined(separator: ", ")
    }
}

extension FoundationState.Kind {
    /// The name in a table: `SAR transmitter`, `on demand private proxy`.
    fileprivate var phrase: String {
        word.split(separator: "_").map { ["sar", "gatt"].contains($0) ? $0.uppercased() : String($0) }
            .joined(separator: " ")
    }
}
