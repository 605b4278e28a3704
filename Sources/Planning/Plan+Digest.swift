internal import MeshCore

extension Plan {
    /// The SHA-256 of the plan's encoding as 64 lower-case hexadecimal digits, by which people compare plans; nil only
    /// if libcrypto has no memory.
    package var digest: String? {
        SHA256.hash(PlanFile.encode(self)).map { Hexadecimal.encode($0) }
    }
}
