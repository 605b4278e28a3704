import MeshCore

extension Plan {
    /// The SHA-256 of what the plan does and depends on, as 64 lower-case hexadecimal digits, by which people compare
    /// and approve plans. Nil only if libcrypto has no memory.
    ///
    /// It covers the encoding of everything except the identifier: also lineage and serial of the database, the way,
    /// and all keys and secrets by their fingerprints. So the same plan, made again or on another computer with a copy
    /// of the database, has the same digest until the database changes; and an apply changes the database, so no
    /// approval counts twice.
    package var digest: String? { digest { $0.identifier = Octets16(high: 0, low: 0) } }

    /// What is the same in a plan that was made before, and again after the outcome of earlier requests became known.
    package var digestOfContent: String? {
        digest { plan in
            plan.identifier = Octets16(high: 0, low: 0)
            plan.serial = 0
        }
    }

    private func digest(_ change: (inout Plan) -> Void) -> String? {
        var plan = self
        change(&plan)
        return SHA256.hash(PlanFile.encode(plan)).map { Hexadecimal.encode($0) }
    }
}
