import MeshCore

/// Encodes a dependency: its kind (an octet), its name, and an optional fingerprint of 32 octets.
extension PlanWriter {
    mutating func write(_ dependency: PlanDependency) {
        bytes.write(dependency.kind.rawValue)
        write(dependency.name)
        write(dependency.fingerprint) { $0.bytes.write($1) }
    }
}

extension PlanReader {
    mutating func dependency() throws(DecodeError) -> PlanDependency {
        let number = try bytes.readUInt8()
        guard let kind = PlanDependency.Kind(rawValue: number) else {
            throw .prohibited(field: "dependency", value: UInt64(number))
        }
        return PlanDependency(
            kind,
            try text(),
            fingerprint: try optional("fingerprint") { (reader) throws(DecodeError) in Array(try reader.bytes.read(32))
            }
        )
    }
}
