import Basics
import DefinitionModel
import MeshCore
import Pictures
import Planning

extension ReportMaking {
    /// The nodes: what they are, where they are, and how they stand.
    func nodeSection() -> HandoverReport.Section {
        let records = Dictionary(source.network.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        let own = source.network.nodes.first { $0.uuid == source.network.ownProvisioner }
        let overlay = readOverlay
        var blocks: [HandoverReport.Block] = []
        if let own {
            blocks.append(.text("Commissioned from address \(own.unicastAddress) (\(own.name.printable))."))
        }
        let floors = nodesByFloor
        let products = declaredProducts(without: records)
        for (floor, nodes) in floors {
            let rows = nodes.map { row(of: $0, records[$0.uuid], overlay.mark(of: $0), products[$0.uuid]) }
            let number = count(rows.count, "node")
            let caption =
                floor.map { "\($0.printable): \(number)" } ?? (floors.count > 1 ? "On no floor: \(number)" : number)
            blocks.append(
                .table(
                    .init(
                        caption,
                        ["Node", "Place", "Address", "Device", "Roles", "Subnets", "State", "Last heard"],
                        rows
                    )
                )
            )
        }
        blocks += pendingBlocks() + retiredBlocks()
        return HandoverReport.Section("nodes", "Nodes", blocks)
    }

    /// The nodes by floor, in the order of the definition, those of a floor by room and then by name. A floor is where
    /// a node's position is, or else what its tag `floor` says; nil for nodes on none.
    private var nodesByFloor: [(floor: String?, nodes: [RelatedNode])] {
        let titles = Dictionary(firstOf: source.placement.floors.map { ($0.name, $0.title) })
        let groups = Dictionary(grouping: source.relations.nodes) { node in
            source.placement.positions[node.name]?.floor.value ?? node.tags["floor"]
        }
        let declared = source.placement.floors.map(\.name)
        let others = Set(groups.keys.compactMap(\.self)).subtracting(declared)
            .map { ($0, NaturalOrder($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
        func sorted(_ nodes: [RelatedNode]) -> [RelatedNode] {
            nodes.map { ($0, NaturalOrder($0.tags["room"] ?? ""), NaturalOrder($0.name)) }
                .sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
        }
        var result: [(floor: String?, nodes: [RelatedNode])] = (declared + others).compactMap { name in
            groups[name].map { (titles[name] ?? "Floor \(name)", sorted($0)) }
        }
        if let rest = groups[nil] { result.append((nil, sorted(rest))) }
        return result
    }

    /// What the definition says of what nodes are made as that have not told it yet.
    private func declaredProducts(without records: [DeviceUUID: Node]) -> [DeviceUUID: ProductIdentifier] {
        guard let definition = source.planning?.definition else { return [:] }
        let profiles = definition.profilePlaces
        var products: [DeviceUUID: ProductIdentifier] = [:]
        // By index, because a loop over the nodes would copy each of them.
        for index in definition.nodes.indices {
            let uuid = definition.nodes[index].uuid.value
            guard records[uuid]?.product == nil else { continue }
            products[uuid] = definition.product(ofNodeAt: index, profiles: profiles)
        }
        return products
    }

    /// What a node is made as: the name that the definition's files give its product, and its maker.
    private func device(of node: RelatedNode, _ record: Node?, _ declared: ProductIdentifier?) -> [String] {
        let definition = source.planning?.definition
        var lines: [String] = []
        if let product = record?.product {
            let identifier = ProductIdentifier(company: product.company, product: product.product)
            let company = CompanyCatalogue.name(of: product.company) ?? "0x" + product.company.hexadecimal
            if let name = definition?.products[identifier]?.name.value { lines.append(name.printable) }
            lines.append("\(company) 0x\(product.product.hexadecimal) v\(product.version)".printable)
        } else if let declared {
            lines.append((definition?.products[declared]?.name.value ?? declared.description).printable)
        }
        if record != nil { lines.append(node.uuid.description) }
        return lines
    }

    private func row(
        of node: RelatedNode,
        _ record: Node?,
        _ mark: NodeMark,
        _ declared: ProductIdentifier?
    ) -> [HandoverReport.Cell] {
        let place = source.placement.positions[node.name].map { [source.placement.text($0)] } ?? []
        let tags = place + node.tags.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)".printable }
        let roles =
            (node.isRelay ? ["relay"] : []) + (node.isProxy ? ["proxy"] : [])
            + (record?.features.friend == .enabled ? ["friend"] : [])
            + (record?.features.lowPower == .enabled ? ["low power"] : [])
        let isUnknown = record.map { $0.features.relay == nil && $0.features.proxy == nil } ?? false
        var state = [mark.sign.isEmpty ? mark.meaning : "\(mark.sign) \(mark.meaning)"]
        if mark == .unread, let time = record?.readBackAt { state.append("last read back at \(moment(time))") }
        if record?.unprovisionedSeenAt != nil { state.append("was reset") }
        if record?.isProtected == true { state.append("protected") }
        switch record?.authentication?.assurance {
        case .claimed: state.append("claimed only")
        case .nothing: state.append("not authenticated")
        case .authenticated, nil: break
        }
        let tone: HandoverReport.Tone =
            switch mark {
            case .settled: .good
            case .unread: .unknown
            case .unmanaged: .plain
            case .missing, .added, .changed, .replaced, .removed, .drifted: .warning
            case .pending: .bad
            }
        return [
            cell(node.name, title: node.title), .init(lines: tags), .init(record.map(addresses) ?? ""),
            .init(lines: device(of: node, record, declared)),
            roles.isEmpty && isUnknown ? .init("not known", .unknown) : .init(roles.joined(separator: ", ")),
            .init(node.subnets.map { (source.relations.subnetTitles[$0] ?? $0).printable }.joined(separator: ", ")),
            .init(lines: state, record?.unprovisionedSeenAt == nil ? tone : .bad),
            .init(record?.observedAt.map(moment) ?? ""),
        ]
    }

    private func addresses(_ node: Node) -> String {
        let (first, last) = (node.addresses.lowerBound, node.addresses.upperBound)
        let start = Address(rawValue: first).description
        return first == last ? start : "\(start) to \(Address(rawValue: last))"
    }

    /// Devices of which nobody knows whether they are nodes.
    private func pendingBlocks() -> [HandoverReport.Block] {
        let rows: [[HandoverReport.Cell]] = source.network.pendingProvisionings.map { device in
            [
                .init(device.name.printable), .init(device.uuid.description), .init("\(device.deviceKeys.count)"),
                .init(moment(device.attemptedAt), .bad),
            ]
        }
        guard !rows.isEmpty else { return [] }
        return [
            .heading("Perhaps nodes"),
            .table(
                .init(
                    "Devices that may or may not have become nodes",
                    ["Device", "UUID", "Attempts", "Last attempt"],
                    rows
                )
            ),
        ]
    }

    private func retiredBlocks() -> [HandoverReport.Block] {
        let rows: [[HandoverReport.Cell]] = source.network.retiredNodes.map { retired in
            [
                .init(retired.node.name.printable), .init(addresses(retired.node)),
                .init(retired.node.uuid.description), .init(retired.reason.text), .init(moment(retired.retiredAt)),
            ]
        }
        guard !rows.isEmpty else { return [] }
        return [
            .heading("Former nodes"),
            .table(.init(count(rows.count, "former node"), ["Node", "Address", "UUID", "Reason", "Since"], rows)),
        ]
    }

    /// The groups: who sends to them, and who listens.
    func groupSection() -> HandoverReport.Section {
        var senders: [String: Set<String>] = [:]
        var listeners: [String: Set<String>] = [:]
        for node in source.relations.nodes {
            for publication in node.publications {
                if case .group(let name) = publication.target { senders[name, default: []].insert(node.name) }
            }
            for subscription in node.subscriptions { listeners[subscription.group, default: []].insert(node.name) }
        }
        let addresses = Dictionary(source.network.groups.map { ($0.name, $0.address.description) }) { first, _ in first
        }
        let titles = Dictionary(
            firstOf: source.relations.groups.compactMap { group in group.title.map { (group.name, $0) } }
        )
        let rows: [[HandoverReport.Cell]] = source.relations.groups.map { group in
            [
                cell(group.name, title: group.title), .init(addresses[group.name] ?? ""),
                .init(group.parent.map { (titles[$0] ?? $0).printable } ?? ""),
                .init(called(senders[group.name] ?? []).printable),
                .init(called(listeners[group.name] ?? []).printable),
            ]
        }
        guard !rows.isEmpty else { return HandoverReport.Section("groups", "Groups") }
        let table = HandoverReport.Table(
            count(rows.count, "group"),
            ["Group", "Address", "Part of", "Who sends to it", "Who listens"],
            rows
        )
        return HandoverReport.Section("groups", "Groups", [.table(table)])
    }

    /// Subnets and application keys by name; never their octets.
    func keySection() -> HandoverReport.Section {
        var members: [String: Int] = [:]
        for subnet in source.relations.nodes.flatMap(\.subnets) { members[subnet, default: 0] += 1 }
        let netKeys = Dictionary(source.network.netKeys.map { ($0.name, $0) }) { first, _ in first }
        let appKeys = Dictionary(source.network.appKeys.map { ($0.name, $0) }) { first, _ in first }
        let subnets: [[HandoverReport.Cell]] = source.relations.subnets.map { name in
            let key = netKeys[name]
            let own = source.relations.applicationKeys.filter { $0.subnet == name }
                .map { ($0.title ?? $0.name).printable }
            let refresh: HandoverReport.Cell =
                switch key?.phase {
                case nil: ""
                case .normal: "no"
                case .keyDistribution: .init("phase 1: the new key is distributed", .warning)
                case .usingNewKeys: .init("phase 2: the new key is in use", .warning)
                }
            return [
                cell(name, title: source.relations.subnetTitles[name]), .init(key.map { "\($0.index)" } ?? ""),
                .init("\(members[name] ?? 0)"),
                .init(own.joined(separator: ", ")), refresh,
            ]
        }
        let keys: [[HandoverReport.Cell]] = source.relations.applicationKeys.map { key in
            let index = appKeys[key.name]?.index
            let holders = index.map { index in source.network.nodes.count { $0.knows(index) && !$0.isExcluded } }
            return [
                cell(key.name, title: key.title), .init(index.map { "\($0)" } ?? ""),
                .init((source.relations.subnetTitles[key.subnet] ?? key.subnet).printable),
                .init(holders.map { "\($0)" } ?? ""),
            ]
        }
        return HandoverReport.Section(
            "keys",
            "Subnets and keys",
            [
                .text("The keys themselves are secrets. They are in the mesh database and not in this report."),
                .table(
                    .init(
                        count(subnets.count, "subnet"),
                        ["Subnet", "Index", "Nodes", "Application keys", "Being replaced"],
                        subnets
                    )
                ),
                .table(
                    .init(
                        count(keys.count, "application key"),
                        ["Application key", "Index", "Subnet", "Devices that have it"],
                        keys
                    )
                ),
            ]
        )
    }
}
