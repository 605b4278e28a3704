import MeshCore

/// Joins the data of extended advertising, which comes in several reports when it is long (Core Vol 4 Part E
/// 7.7.65.13).
package struct ExtendedReportAssembler: Sendable {
    /// Identifies a packet, because reports of different packets may interleave.
    private struct Key: Hashable {
        let address: BluetoothAddress
        let set: UInt8
        let isScanResponse: Bool
    }

    private var pending: [Key: [UInt8]] = [:]

    /// The most advertisers whose data is joined at once. One more makes all of them start again.
    static let capacity = 64
    /// The longest possible advertising data (Core Vol 6 Part B 2.3.4.9).
    static let maximumSize = 1650

    /// An assembler without pending reports.
    package init() {}

    /// How many advertisers have sent only a part so far.
    var pendingCount: Int { pending.count }

    /// Processes one report.
    ///
    /// - Returns: the whole packet once all its data is there; nil for a part, for lost data, and for an anonymous
    ///   sender.
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
            // One octet too many marks the data as too long, whatever follows.
            pending[key] = Array(data.prefix(ExtendedReportAssembler.maximumSize + 1))
            return nil
        case .truncated, .reserved: return nil
        }
    }
}
