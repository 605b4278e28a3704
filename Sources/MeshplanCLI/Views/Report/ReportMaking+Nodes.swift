import Basics
import MeshCore
import Pictures
import Planning

extension ReportMaking {
    /// The nodes: what they are, where they are, and how they stand.
    func nodeSection() -> HandoverReport.Section {
        let records = Dictionary(source.network.nodes.map { ($0.uuid, $0) }) { first, _ in first }
        let own = source.network.nodes.first { $0.uuid == source.network.ownProvisioner }
        let overlay = readOverlay
        let nodes = source.relations.nodes.map { ($0, NaturalOrder($0.name)) }.sorted { $0.1 < $1.1 }.map(\.0)
        var blocks: [HandoverReport.Block] = []
        if let own {
            blocks.append(.text("Commissioned from address \(own.unicastAddress) (\(own.name.printable))."))
        }
        let rows = nodes.map { row(of: $0, record: records[$0.uuid], overlay.mark(of: $0)) }
        blocks.append(
            .table(
                .init(
                    count(rows.count, "node"),
                    ["Node", "Place", "Address", "Device", "Roles", "Subnets", "State", "Last heard"],
                    rows
                )
            )
        )
        blocks += pendingBlocks() + retiredBlocks()
        return HandoverReport.Section("nodes", "Nodes", blocks)
    }

    private func row(of node: RelatedNode, record: Node?, _ mark: NodeMark) -> [HandoverReport.Cell] {
        let place = source.placement.positions[node.name].map { [source.placement.text($0)] } ?? []
        let tags = place + node.tags.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)".printable }
        var device: [String] = []
        if let product = record?.product {
            let company = CompanyCatalogue.name(of: product.company) ?? "0x" + product.company.hexadecimal
            device.append("\(company) 0x\(product.product.hexadecimal) v\(product.version)".printable)
        }
        if record != nil { device.append(node.uuid.description) }
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
            .init(node.name.printable), .init(lines: tags), .init(record.map(addresses) ?? ""), .init(lines: device),
            roles.isEmpty && isUnknown ? .init("not known", .unknown) : .init(roles.joined(separator: ", ")),
            .init(node.subnets.map(\.printable).joined(separator: ", ")),
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
        let rows: [[HandoverReport.Cell]] = source.relations.groups.map { group in
            [
                .init(group.name.printable), .init(addresses[group.name] ?? ""),
                .init(group.parent?.printable ?? ""),
                .init(NameRuns.text(senders[group.name] ?? []).printable),
                .init(NameRuns.text(listeners[group.name] ?? []).printable),
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
            let own = source.relations.applicationKeys.filter { $0.subnet == name }.map(\.name.printable)
            let refresh: HandoverReport.Cell =
                switch key?.phase {
                case nil: ""
                case .normal: "no"
                case .keyDistribution: .init("phase 1: the new key is distributed", .warning)
                case .usingNewKeys: .init("phase 2: the new key is in use", .warning)
                }
            return [
                .init(name.printable), .init(key.map { "\($0.index)" } ?? ""), .init("\(members[name] ?? 0)"),
                .init(own.joined(separator: ", ")), refresh,
            ]
        }
        let keys: [[HandoverReport.Cell]] = source.relations.applicationKeys.map { key in
            let index = appKeys[key.name]?.index
            let holders = index.map { index in source.network.nodes.count { $0.knows(index) && !$0.isExcluded } }
            return [
                .init(key.name.printable), .init(index.map { "\($0)" } ?? ""), .init(key.subnet.printable),
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
