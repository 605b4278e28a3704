import MeshCore

extension Diagnostic {
    /// The order in which diagnostics are shown: by location, then errors before warnings before notes, then by text.
    /// Diagnostics without a location come last.
    package static func comesBefore(_ left: Diagnostic, _ right: Diagnostic) -> Bool {
        switch (left.location, right.location) {
        case (let first?, let second?) where first != second: return first < second
        case (_?, nil): return true
        case (nil, _?): return false
        default: break
        }
        if left.severity != right.severity { return left.severity > right.severity }
        return left.message < right.message
    }
}

extension [Diagnostic] {
    /// The diagnostics in the order in which they are shown, without repetitions.
    ///
    /// A value behind an alias is read once for every alias, so its mistakes are found as often. Repetitions become one
    /// diagnostic, which has no resource if they named different ones.
    package func arranged() -> [Diagnostic] {
        var arranged: [Diagnostic] = []
        for diagnostic in sorted(by: Diagnostic.comesBefore) {
            guard let previous = arranged.last, previous.isSaidAgain(by: diagnostic) else {
                arranged.append(diagnostic)
                continue
            }
            if previous.resource != diagnostic.resource { arranged[arranged.count - 1].resource = nil }
        }
        return arranged
    }
}

extension Diagnostic {
    /// Whether both say the same about the same location.
    fileprivate func isSaidAgain(by other: Diagnostic) -> Bool {
        location != nil && location == other.location && severity == other.severity && message == other.message
    }
}
