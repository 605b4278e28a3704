import Catalogue
import Execution
import MeshCore
import Planning
import SystemLayer

/// Shows what is heard as soon as it is there: a line for people, or a JSON line.
struct WatchView {
    /// How many addresses are named at most.
    private static let mostNamed = 8

    private let operating: OperatingContext
    private let start: Timestamp
    private let groups: [SubscriptionAddress: String]

    /// A view of one command.
    ///
    /// - Parameter start: the calendar time at its beginning.
    init(_ operating: OperatingContext, since start: Timestamp) {
        self.operating = operating
        self.start = start
        groups = Dictionary(firstOf: operating.network.groups.map { ($0.address, $0.name.printable) })
    }

    private var context: Context { operating.conversation.context }

    // MARK: Links

    func tell(_ link: WatchLink, wanting wish: WatchWish) {
        let proxy = link.proxy.map { name(of: $0) }
        let missing = wish.subnets.filter { !link.subnets.contains($0) }.map { name(of: $0) }
        if let lines = context.json {
            return lines.event([
                "type": "listening", "proxy": proxy?.json, "filter": Self.word(link.coverage).json,
                "missing_subnets": missing.isEmpty ? nil : .array(missing.map(\.json)),
            ])
        }
        let through = proxy ?? "a proxy"
        let wanted = count(wish.addresses.count + 1, "address", plural: "addresses")
        let errors = FailureView(context)
        switch link.coverage {
        case .listed:
            context.errorOutput.line("Listening through \(through) to \(wanted). Times are in UTC.")
        case .everything(let room):
            context.errorOutput.line(
                "Listening through \(through) to everything, because its filter took \(room) of \(wanted) only. "
                    + "Times are in UTC."
            )
        case .part(let room):
            let left = wish.addresses.dropFirst(max(room - 1, 0)).map { name(of: $0, nil) }
            errors.warn(
                "the filter of \(through) took \(room) of \(wanted) only; nothing is heard to "
                    + Self.list(left),
                hint: "Another proxy may take more; --proxy NAME chooses it."
            )
        case .unconfirmed:
            errors.warn(
                "\(through) does not tell what its filter passes on; some groups may not be heard",
                hint: nil
            )
        }
        if !missing.isEmpty {
            errors.warn(
                "\(through) does not relay \(Self.list(missing)); what is sent there is not heard",
                hint: nil
            )
        }
    }

    func tell(_ failure: LinkFailure) {
        if let lines = context.json {
            return lines.event(["type": "link_lost", "reason": failure.reason.printable.json])
        }
        context.errorOutput.line("The proxy link is down (\(failure.reason.printable)); looking for another proxy.")
    }

    private static func word(_ coverage: WatchLink.Coverage) -> String {
        switch coverage {
        case .listed: "list"
        case .everything: "everything"
        case .part: "part"
        case .unconfirmed: "unconfirmed"
        }
    }

    private static func list(_ names: [String]) -> String {
        let rest = names.count - mostNamed
        return names.prefix(mostNamed).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    // MARK: Messages

    func tell(_ message: WatchedMessage, after elapsed: Duration) {
        let destination = name(of: message.destination, message.label)
        if let lines = context.json {
            for members in members(of: message) {
                let all = members + tail(message.source, destination, elapsed)
                lines.event(all)
            }
            return
        }
        for text in texts(of: message) {
            let target = called(message.destination, message.label) ?? destination
            context.output.line(head(message.source, message.place, target, elapsed) + text)
        }
    }

    func tell(_ heartbeat: WatchedHeartbeat, after elapsed: Duration) {
        let destination = name(of: heartbeat.destination, nil)
        let features = Self.names(of: heartbeat.features)
        if let lines = context.json {
            let members =
                [JSONMember("type", "heartbeat")] + who(heartbeat.place) + [
                    JSONMember("hops", .integer(heartbeat.hops)),
                    JSONMember("features", .array(features.map(\.json))),
                ]
            let all = members + tail(heartbeat.source, destination, elapsed)
            return lines.event(all)
        }
        let list = features.isEmpty ? "" : " (\(features.joined(separator: ", ")))"
        context.output.line(
            head(heartbeat.source, heartbeat.place, called(heartbeat.destination, nil) ?? destination, elapsed)
                + "heartbeat over \(count(heartbeat.hops, "hop"))\(list)"
        )
    }

    func finish(_ tally: WatchTally, after elapsed: Duration) {
        if let lines = context.json {
            return lines.event([
                "type": "end", "messages": .integer(tally.messages), "nodes": .integer(tally.nodes),
                "duration_ms": .integer(Int(clamping: elapsed.microseconds / 1_000)),
            ])
        }
        let from = tally.messages == 0 ? "" : " from \(count(tally.nodes, "node"))"
        context.output.line(
            "\(count(tally.messages, "message"))\(from) in \(PlanEstimate.text(whole: Int(clamping: (elapsed.microseconds + 500_000) / 1_000_000)))."
        )
    }

    // MARK: For people

    /// `06:30:05  hall/1 to group.kitchen: `
    private func head(
        _ source: UnicastAddress,
        _ place: WatchedPlace?,
        _ destination: String,
        _ elapsed: Duration
    ) -> String {
        let time = timestamp(after: elapsed).text.split(separator: "T").last?.dropLast() ?? ""
        let name = name(of: source, place)
        let sender = place.flatMap { operating.title(ofNode: $0.node) }.map { "\($0) (\(name))" } ?? name
        return "\(time)  \(sender) to \(destination): "
    }

    private func texts(of message: WatchedMessage) -> [String] {
        let model = message.model.map { title(of: $0) + " " } ?? ""
        switch message.content {
        case .states(let states, let isSet):
            let verb = isSet ? "sets " : ""
            return states.map { state in
                let keys = state.state.getMessage.texts(of: state.keys).map { " \($0.name) \($0.text)" }.joined()
                let text = StateText(state: state.state, isRaw: false, message: message.decoded?.description)
                let value = text.text(of: state.reading)
                return "\(model)\(verb)\(state.state.name)\(keys.printable) \(value)\(timing(of: message))"
            }
        case .message(let decoded): return ["\(model)\(decoded.text.printable)"]
        case .unknown(let opcode, let octets):
            let rest = octets.isEmpty ? "no parameters" : "parameters 0x\(Hexadecimal.encode(octets))"
            return [opcode.map { "opcode \($0), \(rest)" } ?? "no opcode, 0x\(Hexadecimal.encode(octets))"]
        }
    }

    /// In what time, and after what delay, a set is to be carried out, if it says so.
    private func timing(of message: WatchedMessage) -> String {
        guard case .states(_, isSet: true) = message.content, let decoded = message.decoded else { return "" }
        let texts = decoded.description.texts(of: decoded.values)
        return ["transition", "delay"].compactMap { name -> String? in
            guard decoded.values.integer(name) ?? 0 > 0, let text = texts.first(where: { $0.name == name }) else {
                return nil
            }
            return ", \(name) \(text.text.printable)"
        }.joined()
    }

    // MARK: For programs

    private func members(of message: WatchedMessage) -> [[JSONMember]] {
        var who = who(message.place)
        if let model = message.model { who.append(JSONMember("model", title(of: model).json)) }
        let name = message.decoded.map { [JSONMember("message", $0.description.name.json)] } ?? []
        switch message.content {
        case .states(let states, isSet: _):
            return states.map { state in
                let text = StateText(state: state.state, isRaw: false, message: message.decoded?.description)
                let keys = state.state.getMessage.texts(of: state.keys)
                    .map { JSONMember($0.name, $0.text.printable.json) }
                return [JSONMember("type", "state")] + who + [JSONMember("state", state.state.name.json)] + keys
                    + text.members(of: state.reading) + name
            }
        case .message(let decoded):
            let texts = decoded.description.texts(of: decoded.values)
            let fields = JSONValue.object(texts.map { JSONMember($0.name, $0.text.printable.json) })
            return [[JSONMember("type", "message")] + who + name + [JSONMember("fields", fields)]]
        case .unknown(let opcode, let octets):
            var members = [JSONMember("type", "message")] + who
            if let opcode { members.append(JSONMember("opcode", "\(opcode)".json)) }
            return [members + [JSONMember("parameters", Hexadecimal.encode(octets).json)]]
        }
    }

    private func who(_ place: WatchedPlace?) -> [JSONMember] {
        guard let place else { return [] }
        return operating.members(ofNode: place.node) + [JSONMember("element", .integer(place.element))]
    }

    private func tail(_ source: UnicastAddress, _ destination: String, _ elapsed: Duration) -> [JSONMember] {
        [
            JSONMember("source", source.description.json), JSONMember("destination", destination.json),
            JSONMember("time", timestamp(after: elapsed).text.json),
            JSONMember("elapsed_ms", .integer(Int(clamping: elapsed.microseconds / 1_000))),
        ]
    }

    // MARK: Names

    private func timestamp(after elapsed: Duration) -> Timestamp {
        Timestamp(rawValue: start.rawValue &+ elapsed.components.seconds)
    }

    private func name(of source: UnicastAddress, _ place: WatchedPlace?) -> String {
        guard let place else { return source.description }
        let name = operating.name(ofNode: place.node)
        return place.element == 0 ? name : "\(name)/\(place.element)"
    }

    private func name(of node: UnicastAddress) -> String {
        let index = operating.network.nodes.firstIndex { $0.unicastAddress == node }
        return index.map { operating.name(ofNode: $0) } ?? node.description
    }

    private func name(of subnet: NetKeyIndex) -> String {
        let name = operating.network.netKeys.first { $0.index == subnet }?.name.printable
        return "subnet \(name ?? subnet.description)"
    }

    /// The destination as a target names it: a group by its name, ourselves by the name of our node.
    private func name(of destination: Address, _ label: LabelUUID?) -> String {
        if let node = UnicastAddress(rawValue: destination.rawValue) { return name(of: node) }
        let found: String?
        if let label {
            found = groups[.virtual(label)]
        } else if let group = GroupAddress(rawValue: destination.rawValue) {
            found = groups[.group(group)] ?? group.fixedName
        } else {
            found = groups.first { $0.key.address == destination }?.value
        }
        return found.map { OperatingTarget.groupPrefix + $0 } ?? destination.description
    }

    /// What people call a destination, with the name that a target has; nil if it has no title.
    private func called(_ destination: Address, _ label: LabelUUID?) -> String? {
        let name = name(of: destination, label)
        if let node = UnicastAddress(rawValue: destination.rawValue) {
            let index = operating.network.nodes.firstIndex { $0.unicastAddress == node }
            return index.flatMap { operating.title(ofNode: $0) }.map { "\($0) (\(name))" }
        }
        guard name.hasPrefix(OperatingTarget.groupPrefix) else { return nil }
        return operating.titles.group(String(name.dropFirst(OperatingTarget.groupPrefix.count)))
            .map { "\($0.printable) (\(name))" }
    }

    private func title(of model: ModelIdentifier) -> String {
        operating.models.names.name(of: model).printable
    }

    private static func names(of features: FeatureSet) -> [String] {
        let known: [(FeatureSet, String)] = [
            (.relay, "relay"), (.proxy, "proxy"), (.friend, "friend"), (.lowPower, "low power"),
        ]
        return known.filter { features.contains($0.0) }.map(\.1)
    }
}
