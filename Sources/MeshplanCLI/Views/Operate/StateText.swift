import Catalogue
import Execution
import MeshCore
import SystemLayer

/// Writes values of states for people and for programs.
struct StateText {
    let state: StateDescription
    /// Whether values are written as the raw numbers of the messages.
    let isRaw: Bool
    /// The message that has the values; nil for the status of the state.
    var message: MessageDescription?

    // MARK: For people

    /// What a status says: `40 %`, `on`, `lightness 80 %, temperature 3000 K`, `20 %, becomes 40 % in 1.5 s`.
    func text(of reading: StateReading) -> String {
        switch reading {
        case .value(let value, let target, let remaining):
            guard let target else { return text(of: value) }
            let time = remaining.map { " in \(text(ofRemaining: $0))" } ?? ""
            return "\(text(of: value)), becomes \(text(of: target))\(time)"
        case .noValue: return "no value"
        case .unreadable(let octets): return "not understood: 0x" + Hexadecimal.encode(octets)
        }
    }

    /// The values of the fields of the state, each with its name if there are several.
    func text(of value: FieldValues) -> String {
        let texts = value.items.map { item in (name: item.name, text: self.text(of: item, in: value)) }
        guard texts.count != 1, let first = texts.first else { return texts.first?.text ?? "nothing" }
        let rest = texts.dropFirst().map { ", \($0.name) \($0.text)" }.joined()
        return "\(first.name) \(first.text)" + rest
    }

    private func text(of item: FieldValues.Item, in value: FieldValues) -> String {
        if isRaw, let type = type(of: item.name), case .integer(let raw) = item.value {
            return type.notation == .secret ? type.text(of: raw) : "\(raw)"
        }
        let texts = described.texts(of: state.fixedKeys.merging(value))
        return texts.first { $0.name == item.name }?.text.printable ?? ""
    }

    private func text(ofRemaining raw: Int64) -> String {
        type(of: "remaining")?.text(of: raw) ?? "0x" + String(raw, radix: 16)
    }

    private func type(of field: String) -> FieldType? { described.field(named: field)?.type }

    private var described: MessageDescription { message ?? state.statusMessage }

    // MARK: For programs

    /// The members of a reading: its value, unit, target and remaining time.
    func members(of reading: StateReading) -> [JSONMember] {
        switch reading {
        case .value(let value, let target, let remaining):
            var members = [JSONMember("value", json(of: value))]
            if !isRaw, let only = value.items.onlyElement, let unit = type(of: only.name)?.unit, !unit.isEmpty {
                members.append(JSONMember("unit", unit.json))
            }
            if let target { members.append(JSONMember("target", json(of: target))) }
            if target != nil, let remaining { members.append(JSONMember("remaining", time(remaining))) }
            return members
        case .noValue: return [JSONMember("value", .null)]
        case .unreadable(let octets): return [JSONMember("octets", Hexadecimal.encode(octets).json)]
        }
    }

    /// The values of the fields: the value alone if there is one field, else an object.
    private func json(of value: FieldValues) -> JSONValue {
        if let only = value.items.onlyElement { return json(of: only, in: value) }
        return .object(value.items.map { JSONMember($0.name, json(of: $0, in: value)) })
    }

    private func json(of item: FieldValues.Item, in value: FieldValues) -> JSONValue {
        guard case .integer(let raw) = item.value, let type = type(of: item.name), type.notation != .secret else {
            if case .sensorData(let data) = item.value { return .array(data.map { json(of: $0) }) }
            return text(of: item, in: value).json
        }
        if isRaw { return .integer(raw) }
        switch type.meaning(of: raw) {
        case .truth(let isTrue): return .bool(isTrue)
        case .number(_, let unit):
            let text = type.text(of: raw)
            let digits = unit.isEmpty || !text.hasSuffix(" \(unit)") ? text : String(text.dropLast(unit.count + 1))
            return Double(digits) == nil ? text.json : .number(digits)
        case .word, .words, .unknown: return type.text(of: raw).json
        }
    }

    private func json(of data: MarshalledSensorData) -> JSONValue {
        let text = data.value.map { octets in
            isRaw ? Hexadecimal.encode(octets) : DeviceProperty.text(of: octets, property: data.property)
        }
        return .object([
            "property": DeviceProperty.name(of: data.property).json, "value": text?.json ?? .null,
        ])
    }

    private func time(_ raw: Int64) -> JSONValue {
        isRaw ? .integer(raw) : text(ofRemaining: raw).json
    }
}

extension Array {
    /// The element, if there is exactly one.
    fileprivate var onlyElement: Element? { count == 1 ? first : nil }
}
