import MeshCore

/// Repetitions of network messages. The format has 1 to 8 transmissions and milliseconds. Some programs count from 0,
/// write steps instead of milliseconds, or write 0 for unknown.
extension CDBImport {
    mutating func transmit(
        _ name: String,
        _ object: inout CDBObject,
        _ path: String
    ) throws(CDBRefusal) -> TransmitParameters? {
        guard let value = object.take(name) else { return nil }
        var inner = try CDBObject(value, at: object.pointer(to: name))
        let count = try inner.required("count", try inner.integer("count", in: 0...8))
        let interval = try inner.required("interval", try inner.integer("interval", in: 0...320))
        let countsFromZero = survey.isWritten(by: CDBDialect.countingFromZero)
        guard interval > 0, count > 0 || countsFromZero != false else {
            repair(inner.pointer, "count \(count), interval \(interval); taken as unknown")
            return nil
        }
        let steps = try transmitSteps(interval, inner)
        let retransmissions = try retransmissions(count, countsFromZero, inner)
        keep(inner, at: "\(path)/\(name)")
        return TransmitParameters(
            count: UInt8(truncatingIfNeeded: retransmissions),
            steps: UInt8(truncatingIfNeeded: steps)
        )
    }

    /// The field of the message: one less than the transmissions.
    private mutating func retransmissions(
        _ count: Int,
        _ countsFromZero: Bool?,
        _ object: CDBObject
    ) throws(CDBRefusal) -> Int {
        switch countsFromZero {
        case false?: return count - 1
        case true?:
            guard count <= 7 else {
                throw object.invalid("count", "\(survey.dialect.title) counts from 0 to 7, so \(count) means nothing")
            }
            let transmissions = CDBImport.counted(count + 1)
            repair(object.pointer(to: "count"), "\(survey.dialect.title) counts from 0; taken as \(transmissions)")
            return count
        case nil:
            guard count > 0 else { return 0 }
            throw object.invalid("count", "\(count) is either \(CDBImport.counted(count)) or one more")
        }
    }

    private static func counted(_ count: Int) -> String { "\(count) transmission\(count == 1 ? "" : "s")" }

    /// Steps of 10 ms, less one. A number that is no multiple of 10 means steps. A multiple of 10 may mean steps, too,
    /// if others in the document do.
    private mutating func transmitSteps(_ interval: Int, _ object: CDBObject) throws(CDBRefusal) -> Int {
        let pointer = object.pointer(to: "interval")
        let reading = "\(interval) taken as steps, that is \((interval + 1) * 10) ms"
        guard interval % 10 == 0 else {
            guard interval < 32 else {
                throw CDBObject.invalid(pointer, "a multiple of 10 from 10 to 320 is expected, not \(interval)")
            }
            repair(pointer, reading)
            return interval
        }
        let isOlderAndroid = survey.isWritten(by: [.olderAndroid])
        guard interval < 32, survey.hasStepIntervals || isOlderAndroid != false && !survey.hasMillisecondIntervals
        else {
            return interval / 10 - 1
        }
        guard isOlderAndroid == true, survey.hasStepIntervals, !survey.hasMillisecondIntervals else {
            throw CDBObject.invalid(
                pointer,
                "\(interval) is either \(interval) ms or, in steps, \((interval + 1) * 10) ms"
            )
        }
        repair(pointer, reading)
        return interval
    }
}
