import MeshCore
import SystemLayer

/// Publications.
extension CDBImport {
    mutating func publication(
        _ object: inout CDBObject,
        _ path: String,
        _ bindings: [AppKeyIndex]
    ) throws(CDBRefusal) -> Publication? {
        guard let publish = object.take("publish") else { return nil }
        var inner = try CDBObject(publish, at: object.pointer(to: "publish"))
        let path = "\(path)/publish"
        let addressValue = try inner.required("address", inner.take("address"))
        guard let address = try publishAddress(addressValue, at: inner.pointer(to: "address")) else {
            repair(inner.pointer, "address 0000; taken as no publication")
            return nil
        }
        let publication = Publication(
            address: address,
            appKeyIndex: try publishKey(&inner, bindings),
            usesFriendshipCredentials: try integer("credentials", in: 0...1, or: 0, &inner) == 1,
            ttl: try ttl(&inner),
            period: try period(&inner, path),
            retransmit: try retransmit(&inner, path)
        )
        keep(inner, at: path)
        return publication
    }

    private mutating func publishAddress(_ value: JSONValue, at pointer: String) throws(CDBRefusal) -> PublishAddress? {
        if let label = try label(value, at: pointer) { return .virtual(label) }
        let number = try hexadecimal16(value, at: pointer)
        if number == 0 { return nil }
        if let unicast = UnicastAddress(rawValue: number) { return .unicast(unicast) }
        switch try groupAddress(number, at: pointer) {
        case .group(let group): return .group(group)
        case .virtual(let label): return .virtual(label)
        case .unknownLabel(let virtual): return .unknownLabel(virtual)
        }
    }

    private mutating func integer(
        _ name: String,
        in range: ClosedRange<Int>,
        or substitute: Int,
        _ object: inout CDBObject
    ) throws(CDBRefusal) -> Int {
        if let value = try object.integer(name, in: range) { return value }
        missing(name, in: &object, "taken as \(substitute)")
        return substitute
    }

    private mutating func ttl(_ object: inout CDBObject) throws(CDBRefusal) -> UInt8 {
        let ttl = try integer("ttl", in: 0...255, or: 255, &object)
        guard ttl <= 127 || ttl == 255 else { throw object.invalid("ttl", "0 to 127 or 255 is expected, not \(ttl)") }
        return UInt8(truncatingIfNeeded: ttl)
    }

    /// Steps and resolution, or one number of milliseconds, which older programs write.
    private mutating func period(_ object: inout CDBObject, _ path: String) throws(CDBRefusal) -> PublishPeriod {
        let pointer = object.pointer(to: "period")
        guard let value = object.take("period") else {
            missing("period", in: &object, "taken as none")
            return .none
        }
        if case .number = value {
            let milliseconds = try CDBObject.integer(value, in: 0...37_800_000, at: pointer)
            // The coarsest unit that divides the number: the programs that write it mean that one.
            let fitting = PublishPeriod.Resolution.allCases.reversed().lazy.compactMap { resolution in
                let (steps, rest) = milliseconds.quotientAndRemainder(dividingBy: resolution.milliseconds)
                return rest == 0 && steps <= 63
                    ? PublishPeriod(steps: UInt8(truncatingIfNeeded: steps), resolution: resolution) : nil
            }
            guard let period = milliseconds == 0 ? PublishPeriod.none : fitting.first else {
                throw CDBObject.invalid(pointer, "\(milliseconds) ms cannot be expressed in steps")
            }
            repair(pointer, "milliseconds instead of steps and resolution")
            return period
        }
        var inner = try CDBObject(value, at: pointer)
        let steps = try inner.required("numberOfSteps", try inner.integer("numberOfSteps", in: 0...63))
        let number = try inner.required("resolution", try inner.integer("resolution", in: 0...37_800_000))
        let resolution = try resolution(number, steps: steps, inner)
        let period = PublishPeriod(steps: UInt8(truncatingIfNeeded: steps), resolution: resolution) ?? .none
        keep(inner, at: "\(path)/period")
        return period
    }

    private mutating func retransmit(_ object: inout CDBObject, _ path: String) throws(CDBRefusal) -> PublishRetransmit
    {
        guard let value = object.take("retransmit") else {
            missing("retransmit", in: &object, "taken as none")
            return .none
        }
        var inner = try CDBObject(value, at: object.pointer(to: "retransmit"))
        let count = try inner.required("count", try inner.integer("count", in: 0...7))
        var interval = try inner.required("interval", try inner.integer("interval", in: 0...1600))
        if interval == 0 {
            repair(inner.pointer(to: "interval"), "0 taken as 50")
            interval = 50
        } else if interval < 32 {
            let milliseconds = (interval + 1) * 50
            repair(inner.pointer(to: "interval"), "\(interval) taken as steps, that is \(milliseconds) ms")
            interval = milliseconds
        }
        guard interval % 50 == 0,
            let retransmit = PublishRetransmit(
                count: UInt8(truncatingIfNeeded: count),
                steps: UInt8(truncatingIfNeeded: interval / 50 - 1)
            )
        else { throw inner.invalid("interval", "a multiple of 50 from 50 to 1600 is expected, not \(interval)") }
        keep(inner, at: "\(path)/retransmit")
        return retransmit
    }
}
