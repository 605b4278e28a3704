import Bearers
import Catalogue
import MeshCore
import SystemLayer

/// Shows the packets of a capture: a line each for people, or a JSON line.
struct CaptureView {
    private let context: Context
    private let names: NetworkNames
    private let elements: ElementNames
    /// The addresses of the nodes that are meant; empty for all.
    private let chosen: [ClosedRange<UInt16>]
    private let showsAll: Bool
    private var reader: TrafficReader
    private var shown = 0
    private var hidden = 0
    private var foreign = 0
    private var unreadable = 0

    /// A view without packets.
    ///
    /// - Parameters:
    ///   - chosen: the addresses of the nodes that are meant; empty for all.
    ///   - showsAll: whether to show what carries no message.
    init(_ context: Context, _ network: MeshNetwork, only chosen: [ClosedRange<UInt16>], showsAll: Bool) {
        self.context = context
        self.chosen = chosen
        self.showsAll = showsAll
        names = NetworkNames(network)
        elements = ElementNames(network)
        reader = TrafficReader(keys: KeyRing(network), ivIndex: network.ivIndex.value)
    }

    mutating func show(_ packet: CaptureReader.Packet) {
        switch packet.kind {
        case .network: show(packet) { reader, octets throws(NetworkPDUError) in try reader.read(networkPDU: octets) }
        case .data:
            show(packet) { reader, octets throws(NetworkPDUError) in try reader.read(proxyConfiguration: octets) }
        case .beacon: showBeacon(packet)
        case .provisioning: showProvisioning(packet)
        case .other: unreadable += 1
        }
    }

    /// Shows how many packets there were.
    func finish() {
        if let lines = context.json {
            return lines.write([
                "type": "summary", "packets": .integer(shown + hidden + foreign + unreadable), "shown": .integer(shown),
                "not_decrypted": .integer(foreign), "not_understood": .integer(unreadable),
            ])
        }
        var parts = ["\(count(shown, "packet")) shown"]
        if hidden > 0 { parts.append("\(hidden) not shown (--all shows segments, acknowledgments and beacons)") }
        if foreign > 0 { parts.append("\(foreign) that no key of the database opens") }
        if unreadable > 0 { parts.append("\(unreadable) not understood") }
        context.errorOutput.line(parts.joined(separator: ", ") + ".")
    }

    private mutating func show(
        _ packet: CaptureReader.Packet,
        reading read: (inout TrafficReader, [UInt8]) throws(NetworkPDUError) -> TrafficReader.Reading
    ) {
        let reading: TrafficReader.Reading
        do throws(NetworkPDUError) {
            reading = try read(&reader, packet.octets)
        } catch {
            if case .malformed = error { unreadable += 1 } else { foreign += 1 }
            return
        }
        guard isChosen(reading.source.rawValue) || isChosen(reading.destination.rawValue) else {
            hidden += 1
            return
        }
        guard showsAll || reading.content.isMessage else {
            hidden += 1
            return
        }
        shown += 1
        let said = said(reading.content)
        if let lines = context.json { return write(packet, reading, said, lines) }
        let way = "\(elements.short(reading.source)) > \(destination(reading))"
        context.output.line("\(time(packet))  \(way)  \(said.text)")
    }

    private func isChosen(_ address: UInt16) -> Bool {
        chosen.isEmpty || chosen.contains { $0.contains(address) }
    }

    // MARK: Words

    /// What a PDU says: its kind for programs, its words for people, and the message, if it is one.
    private struct Said {
        var kind: String
        var text: String
        var message: DecodedMessage?
        var opcode: String?
        var parameters: String?
    }

    private func said(_ content: TrafficReader.Content) -> Said {
        switch content {
        case .access(let payload, _, _):
            if let message = try? MessageCatalogue.sig.decode(payload[...]) {
                return Said(kind: "message", text: message.text.printable, message: message)
            }
            var rest = ByteReader(payload)
            let opcode = (try? Opcode(decoding: &rest)).map { "\($0)" }
            // A message that is not understood may hold a key, so its parameters are only counted.
            let name = opcode.map { "opcode \($0)" } ?? "no opcode"
            return Said(kind: "message", text: "\(name), \(count(rest.remaining, "octet"))", opcode: opcode)
        case .segment(let number, let last): return Said(kind: "segment", text: "segment \(number + 1) of \(last + 1)")
        case .acknowledgment(let block):
            let text = block == 0 ? "cancels the segments" : "has \(count(block.nonzeroBitCount, "segment"))"
            return Said(kind: "acknowledgment", text: text)
        case .heartbeat(_, let hops): return Said(kind: "heartbeat", text: "heartbeat over \(count(hops, "hop"))")
        case .control(let opcode, let parameters):
            return Said(
                kind: "control",
                text: "control message 0x\(opcode.hexadecimal), \(count(parameters.count, "octet"))",
                opcode: "0x\(opcode.hexadecimal)"
            )
        case .proxyConfiguration(let message):
            return Said(kind: "proxy_configuration", text: Self.text(message, names))
        case .undecryptable(let aid):
            let key = aid.map { "an application key with AID 0x\($0.hexadecimal)" } ?? "a device key"
            return Said(kind: "undecryptable", text: "cannot be read: \(key) that the database does not have")
        case .malformed(let error): return Said(kind: "malformed", text: "malformed: \(error)")
        }
    }

    private static func text(_ message: ProxyConfigurationMessage, _ names: NetworkNames) -> String {
        func list(_ addresses: [Address]) -> String { addresses.map { names.text($0) }.joined(separator: ", ") }
        func word(_ type: ProxyFilterType) -> String { type == .acceptList ? "accept" : "reject" }
        return switch message {
        case .setFilterType(let type): "proxy filter: \(word(type)) list, empty"
        case .addAddresses(let addresses): "proxy filter: add \(list(addresses))"
        case .removeAddresses(let addresses): "proxy filter: remove \(list(addresses))"
        case .filterStatus(let type, let size): "proxy filter: \(word(type)) list of \(size)"
        case .directedProxyCapabilitiesStatus: "directed proxy capabilities"
        case .directedProxyControl: "directed proxy control"
        }
    }

    private func destination(_ reading: TrafficReader.Reading) -> String {
        if reading.destination == .unassigned { return "proxy" }
        if let unicast = UnicastAddress(rawValue: reading.destination.rawValue) { return elements.short(unicast) }
        if case .access(_, _, let label?) = reading.content { return names.text(SubscriptionAddress.virtual(label)) }
        return names.text(reading.destination)
    }

    /// `06:30:05.250 >` for what was sent, `<` for what was received.
    private func time(_ packet: CaptureReader.Packet) -> String {
        let text = Timestamp.text(milliseconds: Int64(clamping: packet.time / 1_000))
        let arrow = packet.isSent.map { $0 ? " >" : " <" } ?? "  "
        return text.split(separator: "T").last.map { $0.dropLast() + arrow } ?? arrow
    }

    // MARK: Beacons and provisioning

    private mutating func showBeacon(_ packet: CaptureReader.Packet) {
        let beacon: AuthenticBeacon?
        do throws(DecodeError) {
            beacon = try reader.read(beacon: packet.octets)
        } catch {
            unreadable += 1
            return
        }
        guard let beacon else {
            foreign += 1
            return
        }
        guard showsAll, chosen.isEmpty else {
            hidden += 1
            return
        }
        shown += 1
        let subnet = names.text(beacon.netKeyIndex)
        if let lines = context.json {
            return lines.write([
                "type": "packet", "time": stamp(packet), "kind": "beacon", "subnet": subnet.json,
                "iv_index": .integer(Int(beacon.ivIndex.value)),
                "iv_update_in_progress": .bool(beacon.ivIndex.isUpdateInProgress),
            ])
        }
        let update = beacon.ivIndex.isUpdateInProgress ? ", updating" : ""
        context.output.line("\(time(packet))  beacon of \(subnet): IV index \(beacon.ivIndex.value)\(update)")
    }

    private mutating func showProvisioning(_ packet: CaptureReader.Packet) {
        guard showsAll, chosen.isEmpty else {
            hidden += 1
            return
        }
        shown += 1
        if let lines = context.json {
            return lines.write(["type": "packet", "time": stamp(packet), "kind": "provisioning", "sent": sent(packet)])
        }
        context.output.line("\(time(packet))  provisioning, \(count(packet.octets.count, "octet"))")
    }

    // MARK: For programs

    private func write(
        _ packet: CaptureReader.Packet,
        _ reading: TrafficReader.Reading,
        _ said: Said,
        _ lines: JSONLines
    ) {
        let fields = said.message.map { message in
            JSONValue.object(
                message.description.texts(of: message.values).map { JSONMember($0.name, $0.text.printable.json) }
            )
        }
        lines.write([
            "type": "packet", "time": stamp(packet), "kind": said.kind.json, "sent": sent(packet),
            "source": reading.source.description.json,
            "source_name": name(of: Address(rawValue: reading.source.rawValue))?.json,
            "destination": reading.destination.description.json,
            "destination_name": name(of: reading.destination)?.json,
            "subnet": names.text(reading.netKeyIndex).json, "sequence": .integer(Int(reading.sequence)),
            "ttl": .integer(Int(reading.ttl)), "iv_index": .integer(Int(reading.ivIndex)),
            "message": said.message?.description.name.json, "fields": fields, "opcode": said.opcode?.json,
            "text": said.text.json, "offset": .integer(packet.offset),
        ])
    }

    private func name(of destination: Address) -> String? {
        guard destination != .unassigned else { return nil }
        return UnicastAddress(rawValue: destination.rawValue).flatMap { elements.name(of: $0) }
            ?? names.text(destination)
    }

    private func stamp(_ packet: CaptureReader.Packet) -> JSONValue {
        Timestamp.text(milliseconds: Int64(clamping: packet.time / 1_000)).json
    }

    private func sent(_ packet: CaptureReader.Packet) -> JSONValue? { packet.isSent.map { .bool($0) } }
}

extension TrafficReader.Content {
    /// Whether people want to see it without asking for everything.
    fileprivate var isMessage: Bool {
        switch self {
        case .access, .heartbeat, .undecryptable, .malformed: true
        case .segment, .acknowledgment, .control, .proxyConfiguration: false
        }
    }
}

extension ElementNames {
    /// The name of an element, or its address.
    fileprivate func short(_ address: UnicastAddress) -> String { name(of: address) ?? "\(address)" }
}
