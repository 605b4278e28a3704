import Catalogue
import MeshCore

// Faults of the Health Server (Mesh Protocol 4.2.15). The world keeps the attention timer.

extension ModelMachine {
    /// The faults that an element has at present.
    func currentFaults(_ element: Int) -> [UInt8] { models.stored.octets[StateKey(element, .currentFaults)] ?? [] }

    /// The faults that an element has had since they were cleared.
    private func registeredFaults(_ element: Int) -> [UInt8] {
        models.stored.octets[StateKey(element, .registeredFaults)] ?? []
    }

    /// A fault appears at an element or, if it is there, goes away. What appeared stays registered.
    mutating func toggleFault(_ fault: UInt8, _ element: Int) {
        var current = currentFaults(element)
        if current.contains(fault) {
            current.removeAll { $0 == fault }
        } else {
            current.append(fault)
            register([fault], element)
        }
        models.stored.octets[StateKey(element, .currentFaults)] = current.isEmpty ? nil : current
    }

    private mutating func register(_ faults: [UInt8], _ element: Int) {
        let known = registeredFaults(element)
        let all = known + faults.filter { !known.contains($0) }
        // More do not fit into a status.
        models.stored.octets[StateKey(element, .registeredFaults)] = all.isEmpty ? nil : Array(all.prefix(255))
    }

    /// Whether a request is for the company of the node; no other company's faults are known.
    private func check(_ request: ModelRequest) throws(Ignored) {
        guard request.values.integer("company") == Int64(company) else { throw Ignored() }
    }

    private func faultStatus(_ element: Int, _ faults: [UInt8]) -> FieldValues {
        [
            "test": .integer(self[.healthTest, element]), "company": .integer(Int64(company)),
            "faults": .integers(faults.map(Int64.init)),
        ]
    }

    static let healthActions: [(String, Action)] = [
        ("health-fault-get", Action { (machine, request) throws(Ignored) in try machine.check(request) }),
        (
            "health-fault-clear",
            Action { (machine, request) throws(Ignored) in
                try machine.check(request)
                machine.models.stored.octets[StateKey(request.element, .registeredFaults)] = nil
            }
        ),
        (
            "health-fault-test",
            Action { (machine, request) throws(Ignored) in
                try machine.check(request)
                machine[.healthTest, request.element] = request.values.integer("test") ?? 0
                machine.register(machine.currentFaults(request.element), request.element)
            }
        ),
        ("health-period-set", keep(["divisor": .healthDivisor])),
    ]

    static let healthStatuses: [(String, Status)] = [
        (
            "health-fault-status",
            { machine, element, _ in machine.faultStatus(element, machine.registeredFaults(element)) }
        ),
        (
            "health-current-status",
            { machine, element, _ in machine.faultStatus(element, machine.currentFaults(element)) }
        ),
        ("health-period-status", report([("divisor", .healthDivisor)])),
    ]
}
