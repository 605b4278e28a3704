package import DefinitionModel
import MeshCore

/// Why a test cannot be played on a real mesh.
package enum TestObstacle: Hashable, Sendable {
    /// It takes power from nodes.
    case power
    /// It makes a fault appear.
    case fault
    /// It is about something that only the simulator sees: who is silent, when messages arrive, present faults.
    case invisible(String)
    /// Somebody has to do this, and nobody can be asked.
    case unattended(String)
}

extension TestObstacle: CustomStringConvertible {
    /// A clause for people, without a full stop.
    package var description: String {
        switch self {
        case .power: "it takes power from nodes"
        case .fault: "only simulated nodes can be given a fault"
        case .invisible(let key): "`\(key)` can only be seen in the simulator"
        case .unattended(let deed): "somebody has to \(deed), and nobody can be asked"
        }
    }
}

extension TestVariant {
    /// Why it cannot be played on a real mesh; nil if it can.
    ///
    /// - Parameter isAttended: whether somebody can be asked to press a switch.
    package func obstacle(isAttended: Bool) -> TestObstacle? {
        if without != nil { return .power }
        for step in steps {
            switch step.action {
            case .power: return .power
            case .fault: return .fault
            case .press, .sense:
                if !isAttended, let deed = step.action?.deed { return .unattended(deed) }
            case .set, .recall, .wait, nil: break
            }
            if step.silencesOthers { return .invisible("others: silent") }
            for expectation in step.expectations {
                if expectation.arrives != nil { return .invisible("arrives") }
                if expectation.faults != nil { return .invisible("faults") }
                if expectation.heartbeat != nil, !expectation.isAtProvisioner { return .invisible("heartbeat") }
            }
        }
        return nil
    }
}

extension TestAction {
    /// What somebody in the building has to do, as words after “to”; nil if nobody has to do anything.
    package var deed: String? {
        switch self {
        case .press(let node, let element, let isOn):
            "press \(isOn ? "on" : "off") at \(node.value)" + (element > 0 ? ", its element \(element)" : "")
        case .sense(let node, let property, let value):
            "let \(node.value) measure \(property.map { "\($0) " } ?? "")\(value)"
        case .fault, .set, .recall, .power, .wait: nil
        }
    }
}
