import Basics
import Catalogue
import Execution
import MeshCore
import SystemLayer

/// Shows what sensors tell: a table for people, or a JSON line for each property.
struct SensorView {
    private let operating: OperatingContext
    private let details: SensorInspection.Details

    init(_ operating: OperatingContext, _ details: SensorInspection.Details) {
        self.operating = operating
        self.details = details
    }

    private var context: Context { operating.conversation.context }

    /// The fields of a descriptor that are shown, with their columns.
    private static let descriptorFields = [
        ("positive_tolerance", "TOLERANCE +"), ("negative_tolerance", "TOLERANCE -"), ("sampling_function", "SAMPLING"),
        ("measurement_period", "MEASURED OVER"), ("update_interval", "UPDATED EVERY"),
    ]

    /// Shows findings, and on standard error what is missing.
    func show(_ findings: [SensorFinding], _ refusals: [StateRefusal]) {
        if let lines = context.json {
            for finding in findings {
                for reading in finding.readings {
                    let members = head("sensor", finding.node, finding.element) + members(of: reading)
                    lines.event(members)
                }
                guard let missing = finding.missing else { continue }
                tellUnread(finding.node, finding.element, OperatedNodes.reason(missing), lines)
            }
            for refusal in refusals {
                let reason = refusal.problem.clause.printable
                tellUnread(refusal.place.node, refusal.place.element, reason, lines)
            }
            return
        }
        context.output.write(table(findings))
        let silent = findings.compactMap { finding in
            finding.missing.map { (node: finding.node, outcome: $0) }
        }
        let nodes = OperatedNodes(operating)
        nodes.tellSilent(silent)
        nodes.tellProblems(
            refusals.map { (node: $0.place.node, element: $0.place.element, problem: $0.problem) }
        )
    }

    // MARK: For people

    private func table(_ findings: [SensorFinding]) -> String {
        var header = ["NODE", "ELEMENT", "PROPERTY", "VALUE"]
        if details.contains(.descriptor) { header += Self.descriptorFields.map(\.1) }
        if details.contains(.cadence) { header.append("CADENCE") }
        var table = Table(header, rightAligned: [1])
        let rows = findings.map { (order: NaturalOrder(operating.name(ofNode: $0.node)), finding: $0) }
        let sorted = rows.sorted { ($0.order, $0.finding.element) < ($1.order, $1.finding.element) }
        var titles: [String?] = []
        for finding in sorted.map(\.finding) {
            defer {
                titles += Array(
                    repeating: operating.title(ofNode: finding.node),
                    count: table.rows.count - titles.count
                )
            }
            let place = [operating.name(ofNode: finding.node), "\(finding.element)"]
            for reading in finding.readings {
                var row = place + [DeviceProperty.name(of: reading.property), Self.text(of: reading)]
                if details.contains(.descriptor) {
                    let texts = Self.descriptorTexts(reading)
                    row += Self.descriptorFields.map { texts[$0.0] ?? "" }
                }
                if details.contains(.cadence) { row.append(Self.cadence(of: reading)) }
                table.rows.append(row)
            }
            if let missing = finding.missing {
                table.rows.append(place + ["", "(\(OperatedNodes.reason(missing)))"])
            } else if finding.readings.isEmpty {
                table.rows.append(place + ["", "no property"])
            }
        }
        table.rows = table.rows.map { row in row + Array(repeating: "", count: header.count - row.count) }
        table.add(titles: titles)
        return table.render(context.style)
    }

    private static func text(of reading: SensorReading) -> String {
        reading.value.map { DeviceProperty.text(of: $0, property: reading.property).printable } ?? "no value"
    }

    private static func descriptorTexts(_ reading: SensorReading) -> [String: String] {
        guard let descriptor = reading.descriptor else { return [:] }
        let texts = StateCatalogue.state(named: "sensor-descriptor")?.statusMessage.texts(of: descriptor) ?? []
        return Dictionary(texts.map { ($0.name, $0.text) }) { first, _ in first }
    }

    private static func cadence(of reading: SensorReading) -> String {
        switch reading.cadence {
        case .value: cadenceTexts(reading).map { "\($0.name)=\($0.text)" }.joined(separator: " ").printable
        case .noValue: "none"
        case .unreadable(let octets): "not understood: 0x" + Hexadecimal.encode(octets)
        case nil: ""
        }
    }

    /// The fields of a cadence. Its parts are values of the property.
    private static func cadenceTexts(_ reading: SensorReading) -> [MessageDescription.FieldText] {
        guard case .value(let fields, target: _, remaining: _)? = reading.cadence,
            let message = StateCatalogue.state(named: "sensor-cadence")?.statusMessage
        else { return [] }
        let values: FieldValues = ["property": .integer(Int64(reading.property))]
        return message.texts(of: values.merging(fields)).filter { $0.name != "property" }
    }

    // MARK: For programs

    private func head(_ type: String, _ node: Int, _ element: Int) -> [JSONMember] {
        [JSONMember("type", type.json)] + operating.members(ofNode: node) + [JSONMember("element", .integer(element))]
    }

    private func tellUnread(_ node: Int, _ element: Int, _ reason: String, _ lines: JSONLines) {
        let members = head("no_sensor", node, element) + [JSONMember("reason", reason.json)]
        lines.event(members)
    }

    private func members(of reading: SensorReading) -> [JSONMember] {
        var members = [JSONMember("property", DeviceProperty.name(of: reading.property).json)]
        members += Self.valueMembers(of: reading)
        if reading.descriptor != nil {
            let texts = Self.descriptorTexts(reading)
            let fields = Self.descriptorFields.compactMap { name, _ in texts[name].map { JSONMember(name, $0.json) } }
            members.append(JSONMember("descriptor", .object(fields)))
        }
        switch reading.cadence {
        case .value:
            let fields = Self.cadenceTexts(reading).map { JSONMember($0.name, $0.text.printable.json) }
            members.append(JSONMember("cadence", .object(fields)))
        case .noValue: members.append(JSONMember("cadence", .null))
        case .unreadable(let octets):
            members.append(JSONMember("cadence_octets", Hexadecimal.encode(octets).json))
        case nil: break
        }
        return members
    }

    /// The value with its unit if it has one field, else an object; octets if nobody knows the property.
    private static func valueMembers(of reading: SensorReading) -> [JSONMember] {
        guard let octets = reading.value else { return [JSONMember("value", .null)] }
        guard let property = DeviceProperty.property(reading.property),
            let fields = property.layout(length: octets.count), let values = try? property.decode(octets)
        else { return [JSONMember("octets", Hexadecimal.encode(octets).json)] }
        let items = fields.compactMap { field in values[field.name].map { (field: field, value: $0) } }
        guard items.count == 1, let only = items.first else {
            return [JSONMember("value", .object(items.map { JSONMember($0.field.name, json(of: $0.value, $0.field)) }))]
        }
        var members = [JSONMember("value", json(of: only.value, only.field))]
        if !only.field.type.unit.isEmpty { members.append(JSONMember("unit", only.field.type.unit.json)) }
        return members
    }

    private static func json(of value: FieldValue, _ field: MessageDescription.Field) -> JSONValue {
        guard case .integer(let raw) = value else { return field.type.text(ofValue: value).printable.json }
        switch field.type.meaning(of: raw) {
        case .truth(let isTrue): return .bool(isTrue)
        case .number(_, let unit):
            let text = field.type.text(of: raw)
            let digits = unit.isEmpty || !text.hasSuffix(" \(unit)") ? text : String(text.dropLast(unit.count + 1))
            return Double(digits) == nil ? text.json : .number(digits)
        case .word, .words, .unknown: return field.type.text(of: raw).json
        }
    }
}
