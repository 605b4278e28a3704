import MeshCore

/// Values of publications that some exporters write in their own ways.
extension CDBImport {
    /// The unit of a publish period. Older exports from Android multiply it by the steps. BlueZ writes 10000 for one
    /// second and 10 for ten.
    mutating func resolution(
        _ number: Int,
        steps: Int,
        _ object: CDBObject
    ) throws(CDBRefusal) -> PublishPeriod.Resolution {
        let pointer = object.pointer(to: "resolution")
        let plain = PublishPeriod.Resolution.allCases.first { $0.milliseconds == number }
        if steps == 0 {
            if plain == nil { repair(pointer, "\(number) means nothing without steps; taken as 100") }
            return plain ?? .hundredMilliseconds
        }
        let product = PublishPeriod.Resolution.allCases.first { $0.milliseconds * steps == number && steps > 1 }
        let swapped: PublishPeriod.Resolution? = [10_000: .seconds, 10: .tenSeconds][number]
        var readings: [PublishPeriod.Resolution] = []
        switch survey.isWritten(by: [.bluez]) {
        case true?: readings = [swapped ?? plain].compactMap { $0 }
        case nil: readings = [plain, swapped].compactMap { $0 }
        case false?: readings = [plain].compactMap { $0 }
        }
        let isMultiplied = survey.hasMultipliedResolutions && !survey.hasPlainResolutions
        let isPlain = survey.hasPlainResolutions && !survey.hasMultipliedResolutions
        switch survey.isWritten(by: [.olderAndroid]) {
        case true? where isMultiplied && product != nil: readings = [product].compactMap { $0 }
        case true? where isPlain: break
        case false? where !readings.isEmpty: break
        default: readings += [product].compactMap { $0 }
        }
        guard let first = readings.first else {
            throw CDBObject.invalid(pointer, "100, 1000, 10000 or 600000 is expected, not \(number)")
        }
        if let other = readings.first(where: { $0 != first }) {
            throw CDBObject.invalid(
                pointer,
                "\(number) means either \(first.milliseconds) or \(other.milliseconds) ms; nothing else in the file decides it"
            )
        }
        if first != plain { repair(pointer, "\(number) taken as \(first.milliseconds)") }
        return first
    }

    /// The key that a model publishes with. BlueZ writes only the lower 10 of its 12 bits; the model's bindings tell
    /// the rest.
    mutating func publishKey(_ object: inout CDBObject, _ bindings: [AppKeyIndex]) throws(CDBRefusal) -> AppKeyIndex {
        let index: AppKeyIndex = try keyIndex("index", in: &object)
        let isMasked = survey.isWritten(by: [.bluez])
        guard isMasked != false, index.rawValue <= 0x3FF else { return index }
        let bound = bindings.filter { $0.rawValue & 0x3FF == index.rawValue }
        let known = appKeys.keys.filter { $0.rawValue & 0x3FF == index.rawValue }.sorted()
        let candidates = bound.isEmpty ? known : bound
        guard let first = candidates.first, candidates != [index] else { return index }
        guard isMasked == true, candidates.count == 1 else {
            let other = candidates.first { $0 != index } ?? first
            let one = candidates.count == 1 ? index : candidates.first { $0 != other } ?? index
            throw object.invalid("index", "\(index) is either application key \(one) or, cut off, \(other)")
        }
        repair(
            object.pointer(to: "index"),
            "\(index) taken as application key \(first), of which it is the lower 10 bits"
        )
        return first
    }
}
