import Bearers
import MeshCore

extension FuzzTarget {
    /// Packets from the kernel's raw HCI socket, one in each record. Reports of extended advertising are reassembled,
    /// and advertising data are read.
    package static let controller = FuzzTarget(
        "hci",
        "packets of the controller, with what it has heard",
        shape: .records,
        maximumSize: 8192,
        seeds: [
            FuzzRecords.encode([
                octets("043e200201000106050403020114020106030328180c162818003ecaff67" + "2f673370c4"),
                octets("040e0401032000"), octets("040f0400010d20"), octets("04050400400013"),
                octets("043e1301004000000106050403020118000000f40100"), octets("010c20020100"),
            ]),
            FuzzRecords.encode([
                extendedReport(type: 0x0020, octets("020106030328180c162818")),
                extendedReport(type: 0x0000, octets("003ecaff672f673370")),
                extendedReport(type: 0x0013, octets("02010603032718")),
                extendedReport(type: 0x0060, [UInt8](repeating: 0, count: 229)),
            ]),
        ],
        dictionary: [[0x04, 0x3E], [0x0D, 0x01], [0x02, 0x01], [0x16, 0x28, 0x18], [0x20, 0x00], [0x40, 0x00]],
        run: examineController
    )

    /// An event with one report of extended advertising.
    private static func extendedReport(type: UInt16, _ data: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.write([0x04, 0x3E, UInt8(2 + 24 + data.count), 0x0D, 0x01])
        writer.writeLittleEndian(type)
        writer.write(octets("010605040302010100027fc4000000000000000000") + [UInt8(data.count)])
        writer.write(data)
        return writer.bytes
    }

    private static func examineController(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        var assembler = ExtendedReportAssembler()
        for record in FuzzRecords.decode(input) {
            let packet: HCIPacket
            do { packet = try HCIPacket(decoding: record[...]) } catch {
                trace.note(kindOf: error)
                continue
            }
            switch packet {
            case .command(let command): trace.note([1, Int(command.opcode.rawValue)])
            case .event(.advertisingReports(let reports)):
                for report in reports { try examine(report, in: record, &trace) }
            case .event(.extendedAdvertisingReports(let reports)):
                for report in reports {
                    trace.note([Int(report.completeness.rawValue), report.address == nil ? 0 : 1, 0])
                    guard let whole = assembler.receive(report) else { continue }
                    trace.note(["whole", "\(whole.data.count / 64)"])
                    try demand(whole.data.count <= 1650, "advertising data of \(whole.data.count) octets")
                    trace.note([AdvertisingData(whole.data).content != nil])
                }
            case .event(.connectionComplete(let error, let handle, _, let isCentral)):
                trace.note([Int(error.rawValue), isCentral ? 1 : 0])
                try demand(handle <= 0x0FFF, "a connection handle of more than 12 bits")
            case .event(let event): trace.note(String(describing: event).prefix(10))
            case .other: trace.note("other")
            }
        }
    }

    private static func examine(
        _ report: AdvertisingReport,
        in record: [UInt8],
        _ trace: inout FuzzTrace
    ) throws(FuzzViolation) {
        try demand(report.data.count < record.count, "a report is longer than its packet")
        let data = AdvertisingData(report.data)
        trace.note([Int(report.type), data.content == nil ? 0 : 1, report.signal == nil ? 0 : 1])
    }
}
