internal import MeshCore

/// Puts the data of extended advertising together again, which comes in several reports when it is long (Core Vol 4
/// Part E 7.7.65.13).
package struct ExtendedReportAssembler: Sendable {
    /// Reports of different packets may come between each other.
    private struct Key: Hashable {
        let address: BluetoothAddress
        let set: UInt8
        let isScanResponse: Bool
    }

    private var pending: [Key: [UInt8]] = [:]

    /// The most advertisers whose data is put together at once; more of them have all begin anew.
    static let capacity = 64
    /// The longest advertising data there is (Core Vol 6 Part B 2.3.4.9).
    static let maximumSize = 1650

    /// An assembler that waits for nothing.
    package init() {}

    /// How many advertisers have said a part.
    var pendingCount: Int { pending.count }

    /// Takes in one report.
    ///
    /// - Returns: what was heard, once all of it is there; nil for a part, for what was lost, and without an address.
    package mutating func receive(_ report: ExtendedAdvertisingReport) -> AdvertisingReport? {
        guard let address = report.address else { return nil }
        let key = Key(address: address, set: report.set, isScanResponse: report.isScanResponse)
        let data = (pending.removeValue(forKey: key) ?? []) + report.data
        switch report.completeness {
        case .complete:
            guard data.count <= ExtendedReportAssembler.maximumSize else { return nil }
            return AdvertisingReport(
                type: report.isScanResponse ? 4 : 0,
                address: address,
                data: data,
                signal: report.signal
            )
        case .incomplete:
            if pending.count >= ExtendedReportAssembler.capacity { pending = [:] }
            // One octet too many tells that it was too long, whatever else comes of it.
            pending[key] = Array(data.prefix(ExtendedReportAssembler.maximumSize + 1))
            return nil
        case .truncated, .reserved: return nil
        }
    }
}
