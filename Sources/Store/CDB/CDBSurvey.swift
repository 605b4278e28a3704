import MeshCore
import SystemLayer

/// A look over a whole document before it is read. It finds out who wrote it and in what units, since a value alone may
/// not tell.
///
/// A dialect is established by two marks. A mark may be so peculiar that it counts twice.
struct CDBSurvey {
    /// Weights and marks of each dialect that has any.
    private(set) var weights: [CDBDialect: Int] = [:]
    private var found: [CDBDialect: [CDBDialect.Mark]] = [:]
    /// The dialect of a document without marks.
    private var plain = CDBDialect.version100

    /// Whether some intervals of network transmissions can only be steps, and whether some can only be milliseconds.
    private(set) var hasStepIntervals = false
    private(set) var hasMillisecondIntervals = false
    /// Whether some resolutions of publish periods can only be products with the steps, and whether some can only be
    /// themselves.
    private(set) var hasMultipliedResolutions = false
    private(set) var hasPlainResolutions = false
    /// Whether some addresses are numbers that are no spelling of hexadecimal digits.
    private(set) var hasDecimalAddresses = false
    /// The companies that nodes name as their own.
    private(set) var companies: Set<UInt16> = []

    /// The established dialects that give values a meaning of their own. The others contradict nobody.
    private var rivals: Set<CDBDialect> = []
    private var hasUpperCase = false
    private var hasLowerCase = false
    private var hasNumericAddresses = false
    private var everyNodeIsSecure = true
    /// How many elements have their address as location, and how many do not.
    private var locatedAtAddress = 0
    private var locatedElsewhere = 0

    /// Surveys the network at `root` of a document.
    init(_ network: JSONValue, at root: String, isWrapped: Bool) {
        // An export keeps the marks of the program that an import came from, but its values are those of the format.
        if CDBWriter.isOwn(network) {
            mark(.meshplan, root, "head and order of meshplan's exports", weight: 2)
            return
        }
        if isWrapped { mark(.olderIOS, root, "the database is wrapped in an object") }
        surveyHead(network, root)
        surveyKeys(network, root)
        for (index, provisioner) in network.items("provisioners").enumerated() {
            note(provisioner["UUID"])
            if provisioner["provisionerName"] == nil, provisioner["name"] != nil {
                mark(.pyACI, "\(root)/provisioners/\(index)/name", "\"name\" of a provisioner")
            }
        }
        for (index, node) in network.items("nodes").enumerated() { surveyNode(node, "\(root)/nodes/\(index)") }
        for group in network.items("groups") { note(address: group["address"]) }
        for (index, scene) in network.items("scenes").enumerated()
        where scene["number"] == nil && scene["scene"] == nil {
            mark(.siliconLabs, "\(root)/scenes/\(index)", "a scene without a number")
        }
        concludeSurvey(network, root)
    }

    /// What there is to survey of a file that has been taken apart already: who wrote it.
    init(of file: BlueZFile) {
        for mark in file.marks { self.mark(file.dialect, mark.pointer, mark.text, weight: 2) }
        rivals = [file.dialect]
    }

    /// The dialect to name: the one with the most weight, and the earlier one of two with the same.
    var dialect: CDBDialect {
        let candidates = CDBDialect.allCases.filter { weights[$0, default: 0] >= 2 }
        return candidates.max { weights[$0, default: 0] < weights[$1, default: 0] } ?? plain
    }

    /// The marks of that dialect.
    var marks: [CDBDialect.Mark] { found[dialect] ?? [] }

    /// Whether one of `dialects` wrote the document. Nil if another one is just as likely.
    func isWritten(by dialects: Set<CDBDialect>) -> Bool? {
        if rivals.isDisjoint(with: dialects) { return false }
        return rivals.isSubset(of: dialects) ? true : nil
    }

    private mutating func mark(_ dialect: CDBDialect, _ pointer: String, _ text: String, weight: Int = 1) {
        // A quirk counts once, however many nodes show it.
        guard found[dialect]?.contains(where: { $0.text == text }) != true else { return }
        weights[dialect, default: 0] += weight
        found[dialect, default: []].append(CDBDialect.Mark(pointer: pointer, text: text))
    }

    private mutating func surveyHead(_ network: JSONValue, _ root: String) {
        note(network["meshUUID"])
        if network["schema"] != nil { mark(.olderIOS, "\(root)/schema", "\"schema\" without a dollar sign") }
        if network["$schema"]?.text == "" { mark(.pyACI, "\(root)/$schema", "an empty schema") }
        let id = network["id"]?.text ?? ""
        if id == "TBD" { mark(.olderAndroid, "\(root)/id", "the identifier \"TBD\"") }
        if id.contains("/meshprofile/") { mark(.kotlin, "\(root)/id", "the identifier of the example", weight: 2) }
        let version = network["version"]?.text ?? ""
        if version == "1.0.1" { plain = .version101 }
        if version == "1.0" { mark(.olderAndroid, "\(root)/version", "the version \"1.0\"") }
        if version.wholeMatch(of: #/\d+\.\d+\.\d+\.\d+/#) != nil {
            mark(.siliconLabs, "\(root)/version", "a version of four parts")
        }
        if network["meshName"]?.text == "Mesh Test" { mark(.siliconLabs, "\(root)/meshName", "the name \"Mesh Test\"") }
        survey(date: network["timestamp"], "\(root)/timestamp")
        switch network["ivIndex"] {
        case .string(let text)? where text.wholeMatch(of: #/[0-9A-Fa-f]{8}/#) != nil:
            mark(.telink, "\(root)/ivIndex", "an IV index of 8 digits")
        case .number?: mark(.pyACI, "\(root)/ivIndex", "an IV index as a number")
        default: break
        }
        for member in network.members {
            if member.name == "schedulers" { mark(.telink, "\(root)/schedulers", "\"schedulers\"") }
            if member.name.hasPrefix("tos_") {
                mark(.thingOS, "\(root)/\(member.name)", "members named \"tos_…\"", weight: 2)
            }
        }
    }

    private mutating func survey(date: JSONValue?, _ pointer: String) {
        guard let text = date?.text else { return }
        if text.wholeMatch(of: #/.*T.*[+-]\d{4}/#) != nil {
            mark(.olderAndroid, pointer, "a time zone without a colon")
        }
        if text.wholeMatch(of: #/\d{4}-\d\d-\d\d \d\d:\d\d.*/#) != nil {
            mark(.pyACI, pointer, "a date and a time with a space between")
        }
    }

    private mutating func surveyKeys(_ network: JSONValue, _ root: String) {
        for name in ["netKeys", "appKeys"] {
            for (index, key) in network.items(name).enumerated() {
                let pointer = "\(root)/\(name)/\(index)"
                note(key["key"])
                survey(date: key["timestamp"], "\(pointer)/timestamp")
                if let old = key["oldKey"]?.text, old.utf8.count == 32, old.utf8.allSatisfy({ $0 == 0x30 }) {
                    mark(.telink, "\(pointer)/oldKey", "an old key of zeros")
                }
                surveySecurity(key["minSecurity"], "\(pointer)/minSecurity")
            }
        }
    }

    private mutating func surveySecurity(_ value: JSONValue?, _ pointer: String) {
        if value?.text == "high" || value?.text == "low" {
            mark(.olderIOS, pointer, "security \"high\" or \"low\"")
        }
    }

    private mutating func surveyNode(_ node: JSONValue, _ pointer: String) {
        for name in ["UUID", "deviceKey", "cid"] { note(node[name]) }
        note(address: node["unicastAddress"])
        if node["security"]?.text != "secure" { everyNodeIsSecure = false }
        surveySecurity(node["security"], "\(pointer)/security")
        if let company = node["cid"]?.text.flatMap({ UInt16($0, radix: 16) }) { companies.insert(company) }
        if node["knownAddresses"] != nil { mark(.siliconLabs, "\(pointer)/knownAddresses", "\"knownAddresses\"") }
        for member in node.members {
            if member.name == "schedulers" { mark(.telink, "\(pointer)/schedulers", "\"schedulers\"") }
            if member.name.hasPrefix("tos_") {
                mark(.thingOS, "\(pointer)/\(member.name)", "members named \"tos_…\"", weight: 2)
            }
        }
        switch node["heartbeatSub"] {
        case .array?: mark(.telink, "\(pointer)/heartbeatSub", "a list of heartbeat subscriptions")
        case .object?:
            if node["heartbeatSub"]?["period"] != nil {
                mark(.android, "\(pointer)/heartbeatSub/period", "the period of a heartbeat subscription", weight: 2)
            }
        default: break
        }
        for name in ["networkTransmit", "relayRetransmit"] {
            guard let interval = node[name]?["interval"]?.wholeNumber else { continue }
            if (1...31).contains(interval), interval % 10 != 0 {
                hasStepIntervals = true
                mark(.olderAndroid, "\(pointer)/\(name)/interval", "an interval in steps")
            } else if interval > 31 {
                hasMillisecondIntervals = true
            }
        }
        let address = node["unicastAddress"]?.text.flatMap { UInt16($0, radix: 16) }
        for (index, element) in node.items("elements").enumerated() {
            surveyElement(element, "\(pointer)/elements/\(index)", node: address)
        }
    }

    private mutating func surveyElement(_ element: JSONValue, _ pointer: String, node: UInt16?) {
        if let node, let index = element["index"]?.wholeNumber, (0...255).contains(index),
            let location = element["location"]?.text.flatMap({ UInt16($0, radix: 16) })
        {
            if Int(location) == Int(node) + index { locatedAtAddress += 1 } else { locatedElsewhere += 1 }
        }
        for (index, model) in element.items("models").enumerated() {
            note(model["modelId"])
            for item in model.items("subscribe") { note(address: item) }
            guard let publish = model["publish"] else { continue }
            note(address: publish["address"])
            guard let steps = publish["period"]?["numberOfSteps"]?.wholeNumber,
                let resolution = publish["period"]?["resolution"]?.wholeNumber
            else { continue }
            let pointer = "\(pointer)/models/\(index)/publish/period/resolution"
            if resolution == 10, steps > 0 { mark(.bluez, pointer, "a resolution of 10", weight: 2) }
            guard steps > 1 else { continue }
            let isPlain = CDBSurvey.resolutions.contains(resolution)
            let isProduct = CDBSurvey.resolutions.contains { steps <= 63 && $0 * steps == resolution }
            if isPlain && !isProduct { hasPlainResolutions = true }
            if isProduct && !isPlain {
                hasMultipliedResolutions = true
                mark(.olderAndroid, pointer, "a resolution multiplied by the steps")
            }
        }
    }

    /// Milliseconds of the units of publish periods.
    static let resolutions = PublishPeriod.Resolution.allCases.map(\.milliseconds)

    private mutating func concludeSurvey(_ network: JSONValue, _ root: String) {
        if hasLowerCase, !hasUpperCase { mark(.bluez, "\(root)/netKeys", "all digits in lower case") }
        let nodes = network.items("nodes")
        if everyNodeIsSecure, !nodes.isEmpty, network["scenes"] == .array([]), network["version"]?.text == "1.0.0",
            network["id"]?.text?.contains("/mesh-profile/") == true
        {
            mark(.bluez, "\(root)/scenes", "version 1.0.0, all nodes secure and no scenes")
        }
        if locatedAtAddress > 0, locatedElsewhere == 0 {
            mark(.siliconLabs, "\(root)/nodes", "the address of each element as its location")
        }
        if hasNumericAddresses { mark(.pyACI, "\(root)/nodes", "addresses as numbers") }
        rivals = Set(weights.filter { $0.value >= 2 }.keys).subtracting([.olderIOS, .android, .kotlin, .thingOS])
    }

    /// Notes the case of hexadecimal digits.
    private mutating func note(_ value: JSONValue?) {
        guard let text = value?.text else { return }
        for byte in text.utf8 {
            if (0x41...0x46).contains(byte) { hasUpperCase = true }
            if (0x61...0x66).contains(byte) { hasLowerCase = true }
        }
    }

    private mutating func note(address: JSONValue?) {
        note(address)
        guard let number = address?.wholeNumber else { return }
        hasNumericAddresses = true
        if number > 9_999 { hasDecimalAddresses = true }
    }
}

extension JSONValue {
    /// A member of an object; nil for null and for anything that is no object.
    subscript(name: String) -> JSONValue? {
        members.first { $0.name == name && $0.value != .null }?.value
    }

    /// The members of an object; none of anything else.
    var members: [JSONMember] {
        guard case .object(let members) = self else { return [] }
        return members
    }

    /// The items of a list that is a member; none if it is none.
    func items(_ name: String) -> [JSONValue] {
        guard case .array(let items)? = self[name] else { return [] }
        return items
    }

    /// The text of a string.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The value of a whole number.
    var wholeNumber: Int? { if case .number(let spelling) = self { Int(spelling) } else { nil } }
}
