import MeshCore

/// The bodies and keys of journal rows, version 1.
enum JournalCodec {
    static let version: UInt8 = 1

    static func name(_ run: RunIdentifier) -> RowName {
        RowName(.run, key: key(run))
    }

    static func name(_ run: RunIdentifier, _ subject: JournalSubject) -> RowName {
        var writer = ByteWriter()
        writer.write(run.rawValue)
        write(subject, into: &writer)
        return RowName(.intent, key: writer.bytes)
    }

    static func name(_ run: RunIdentifier, detail: UInt16) -> RowName {
        var writer = ByteWriter()
        writer.write(run.rawValue)
        writer.write(detail)
        return RowName(.outcome, key: writer.bytes)
    }

    private static func key(_ run: RunIdentifier) -> [UInt8] {
        var writer = ByteWriter()
        writer.write(run.rawValue)
        return writer.bytes
    }

    static func encode(_ run: Run) -> [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.write(version)
        writer.write(run.identifier.rawValue)
        writer.write(run.plan)
        writer.writeString(run.user)
        writer.writeString(run.host)
        writer.writeTime(run.started)
        writer.write(run.ended)
        writer.write(run.outcome?.rawValue ?? 0)
        for count in [run.counts.succeeded, run.counts.failed, run.counts.unknown, run.counts.skipped] {
            writer.write(count)
        }
        writer.write(run.details)
        writer.write(run.serial)
        writer.write(run.timing != nil)
        if let timing = run.timing {
            for value in [timing.milliseconds, timing.estimatedMilliseconds, timing.messages] { writer.write(value) }
        }
        return writer.bytes
    }

    static func decodeRun(_ bytes: [UInt8]) throws(DecodeError) -> Run {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let identifier = RunIdentifier(rawValue: try reader.readUInt64())
        let plan = try reader.readOctets16()
        let user = try reader.readString()
        let host = try reader.readString()
        let started = try reader.readTime()
        let ended = try reader.readTimestamp()
        let outcome = try reader.readUInt8()
        guard outcome == 0 || RunOutcome(rawValue: outcome) != nil else {
            throw .prohibited(field: "run outcome", value: UInt64(outcome))
        }
        var counts = Run.Counts()
        counts.succeeded = try reader.readUInt32()
        counts.failed = try reader.readUInt32()
        counts.unknown = try reader.readUInt32()
        counts.skipped = try reader.readUInt32()
        let details = try reader.readUInt16()
        let serial = try reader.readUInt64()
        let timing = try decodeTiming(&reader)
        try reader.expectEnd()
        return Run(
            identifier: identifier,
            plan: plan,
            user: user,
            host: host,
            started: started,
            ended: ended,
            outcome: RunOutcome(rawValue: outcome),
            counts: counts,
            timing: timing,
            serial: serial,
            details: details
        )
    }

    private static func decodeTiming(_ reader: inout ByteReader) throws(DecodeError) -> RunTiming? {
        guard try reader.readFlag() else { return nil }
        return RunTiming(
            milliseconds: try reader.readUInt32(),
            estimatedMilliseconds: try reader.readUInt32(),
            messages: try reader.readUInt32()
        )
    }

    /// The body of a plan's row: the run that carried it out.
    static func encode(planOf run: RunIdentifier) -> [UInt8] {
        [version] + key(run)
    }

    static func decodePlan(_ bytes: [UInt8]) throws(DecodeError) -> RunIdentifier {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let run = RunIdentifier(rawValue: try reader.readUInt64())
        try reader.expectEnd()
        return run
    }

    static func encode(_ intent: JournalIntent) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.write(version)
        writer.write(intent.run.rawValue)
        write(intent.subject, into: &writer)
        writer.write(intent.node.rawValue)
        writer.write(intent.isUnknown)
        writer.write(intent.action)
        return writer.bytes
    }

    static func decodeIntent(_ bytes: [UInt8]) throws(DecodeError) -> JournalIntent {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let run = RunIdentifier(rawValue: try reader.readUInt64())
        let subject = try readSubject(&reader)
        let node = try reader.readDeviceUUID()
        let isUnknown = try reader.readFlag()
        return JournalIntent(
            run: run,
            subject: subject,
            node: node,
            action: Array(reader.readRest()),
            isUnknown: isUnknown
        )
    }

    static func encode(_ detail: JournalDetail) -> [UInt8] {
        var writer = ByteWriter(capacity: 32)
        writer.write(version)
        write(detail.subject, into: &writer)
        writer.write(detail.node != nil)
        if let node = detail.node { writer.write(node.rawValue) }
        switch detail.result {
        case .succeeded: writer.write(UInt8(0))
        case .failed(let status):
            writer.write(UInt8(1))
            writer.write(status)
        case .unknown: writer.write(UInt8(2))
        case .skipped: writer.write(UInt8(3))
        case .notKnown: writer.write(UInt8(4))
        }
        return writer.bytes
    }

    static func decodeDetail(_ bytes: [UInt8]) throws(DecodeError) -> JournalDetail {
        var reader = ByteReader(bytes)
        try reader.expectVersion(version)
        let subject = try readSubject(&reader)
        let node = try reader.readFlag() ? try reader.readDeviceUUID() : nil
        let result: JournalResult
        switch try reader.readUInt8() {
        case 0: result = .succeeded
        case 1: result = .failed(status: try reader.readUInt8())
        case 2: result = .unknown
        case 3: result = .skipped
        case 4: result = .notKnown
        case let value: throw .prohibited(field: "outcome", value: UInt64(value))
        }
        try reader.expectEnd()
        return JournalDetail(subject: subject, node: node, result: result)
    }

    private static func write(_ subject: JournalSubject, into writer: inout ByteWriter) {
        switch subject {
        case .step(let step):
            writer.write(UInt8(0))
            writer.write(step)
        case .label(let label):
            writer.write(UInt8(1))
            writer.writeString(label)
        }
    }

    private static func readSubject(_ reader: inout ByteReader) throws(DecodeError) -> JournalSubject {
        switch try reader.readUInt8() {
        case 0: .step(try reader.readUInt32())
        case 1: .label(try reader.readString())
        case let value: throw .prohibited(field: "subject", value: UInt64(value))
        }
    }
}
