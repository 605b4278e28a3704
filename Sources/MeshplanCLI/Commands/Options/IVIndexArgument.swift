import ArgumentParser
import MeshCore

/// An IV index on the command line: `60`, or `61:updating` while its update is in progress.
struct IVIndexArgument: ExpressibleByArgument, CustomStringConvertible {
    /// The IV index and its update state.
    var ivIndex: IVIndex

    /// Parses a decimal number, and whether an update is in progress.
    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard let number = parts.first, number.allSatisfy({ $0.isASCII && $0.isNumber }), let value = UInt32(number),
            parts.count == 1 || parts.count == 2 && parts[1] == "updating" && value > 0
        else { return nil }
        ivIndex = IVIndex(value: value, isUpdateInProgress: parts.count == 2)
    }

    var description: String { "\(ivIndex.value)\(ivIndex.isUpdateInProgress ? ":updating" : "")" }
}
