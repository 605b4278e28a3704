package import Catalogue
import MeshCore

extension StateDescription {
    /// Whether a node that was asked for a value, and tells another one, has done what was asked.
    ///
    /// Some states are kept in other numbers than those in which they are set, and some go on by themselves:
    /// - A lamp keeps Light Lightness Actual; Linear is computed from it, in steps of up to 2 (Mesh Model 6.1.2.1.1).
    /// - A Generic Level can be bound to a colour temperature, of which one kelvin is up to 65535 / 3800 levels with
    ///   the usual white lamps (Mesh Model 6.1.3.1.1).
    /// - The Attention Timer counts down, and time passes.
    package func agrees(_ field: String, _ found: FieldValue, with wanted: FieldValue) -> Bool {
        guard found != wanted else { return true }
        // A company may give its states the same names.
        guard statusMessage.opcode.size < 3 else { return false }
        if name == "time", field != "tai" { return field == "subsecond" || field == "uncertainty" }
        guard case .integer(let found) = found, case .integer(let wanted) = wanted else { return false }
        switch name {
        case "lightness-linear": return abs(found - wanted) <= Self.linearSteps && (found == 0) == (wanted == 0)
        case "level": return abs(found - wanted) <= Self.levelSteps
        case "attention": return found > 0 && found < wanted
        case "time": return (0...Self.longestRound).contains(found - wanted)
        default: return false
        }
    }

    private static let linearSteps: Int64 = 2
    private static let levelSteps: Int64 = 20
    /// The seconds from making a message to an answer, with repetitions.
    private static let longestRound: Int64 = 20
}
