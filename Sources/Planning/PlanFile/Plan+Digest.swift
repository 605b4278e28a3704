import MeshCore

extension Plan {
    /// The SHA-256 of what the plan does, as 64 lower-case hexadecimal digits, by which people compare and approve
    /// plans. Nil only if libcrypto has no memory.
    ///
    /// It covers the encoding of everything except the identifier and the serial. So the same plan, made again or on
    /// another computer with a copy of the database, has the same digest.
    package var digest: String? {
        var plan = self
        plan.identifier = Octets16(high: 0, low: 0)
        plan.serial = 0
        return SHA256.hash(PlanFile.encode(plan)).map { Hexadecimal.encode($0) }
    }
}
