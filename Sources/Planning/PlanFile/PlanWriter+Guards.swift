import MeshCore

extension PlanWriter {
    mutating func write(_ finding: GuardFinding) {
        write(finding.planGuard.rawValue)
        write(finding.message)
        write(finding.nodes) { $0.write($1) }
        write(finding.resources) { $0.write($1) }
        write(finding.isAllowed)
    }

    mutating func write(_ scope: PlanScope) {
        write(scope.options) { $0.write($1) }
        write(position: scope.nodesLeftOut)
        write(position: scope.changesLeftOut)
    }
}

extension PlanReader {
    mutating func finding() throws(DecodeError) -> GuardFinding {
        GuardFinding(
            try planGuard(),
            try text(),
            nodes: try list { (reader) throws(DecodeError) in try reader.text() },
            resources: try list { (reader) throws(DecodeError) in try reader.text() },
            isAllowed: try flag("allowed")
        )
    }

    mutating func planGuard() throws(DecodeError) -> PlanGuard {
        let offset = bytes.offset
        guard let planGuard = PlanGuard(rawValue: try text()) else {
            throw .prohibited(field: "guard", value: UInt64(clamping: offset))
        }
        return planGuard
    }

    mutating func scope() throws(DecodeError) -> PlanScope {
        PlanScope(
            options: try list { (reader) throws(DecodeError) in try reader.text() },
            nodesLeftOut: try position(),
            changesLeftOut: try position()
        )
    }

    mutating func purpose() throws(DecodeError) -> Plan.Purpose {
        let value = try bytes.readUInt8()
        guard let purpose = Plan.Purpose(rawValue: value) else {
            throw .prohibited(field: "purpose", value: UInt64(value))
        }
        return purpose
    }
}
