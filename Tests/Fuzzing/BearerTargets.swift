import Bearers
import MeshCore

extension FuzzTarget {
    /// Advertising data. Each record is a packet; its first octet stands for the address.
    package static let advertising = FuzzTarget(
        "advertising",
        "advertising data, put together over several packets",
        shape: .records,
        seeds: [
            FuzzRecords.encode([
                [1] + octets("020106030327181516271870cf7c9732a345b691494810d2e9cbf42040"),
                [1] + octets("1b24172f2f7777772e6578616d706c652e636f6d2f6d657368757269"),
                [2] + octets("0201060c162818003ecaff672f673370"),
            ]),
            FuzzRecords.encode([
                [3] + octets("141628180100861765aefcc57b34ae608fbbc1f2c6"),
                [4] + octets("1416281802d30f7229ef04543534ae608fbbc1f2c6"),
                [5] + octets("14162818032c64a8cbca65bfe134ae608fbbc1f2c6"),
                [6] + octets("1516591800743abfe811ce29352563afe281ff9497ef"),
            ]),
            // Solicitations whose lengths are less than their headers, or more than there is (CVE-2026-5589).
            FuzzRecords.encode([
                [7] + octets("0316591801160216590416591800"), [8] + octets("ff16591800743abfe811"),
                [9] + octets("00000216"),
                [7] + octets("15165918"),
            ]),
            // PB-ADV with lengths and numbers of segments that do not fit (CVE-2025-9557, CVE-2025-9558).
            FuzzRecords.encode([
                [1] + octets("0a290102030400fcffff00"), [1] + octets("0829010203040006000000"),
                [1] + octets("18290102030400fe0102030405060708090a0b0c0d0e0f1011"), [1] + octets("0229010203"),
            ]),
        ],
        dictionary: [
            [0x16, 0x27, 0x18], [0x16, 0x28, 0x18], [0x16, 0x59, 0x18], [0x24, 0x17], [0x02, 0x01, 0x06], [0x29],
            [0x03, 0x16, 0x59, 0x18],
        ],
        run: examineAdvertising
    )

    private static func examineAdvertising(
        _ input: [UInt8],
        _ trace: inout FuzzTrace
    ) throws(FuzzViolation) {
        var assembler = AdvertisementAssembler(capacity: 8, lifetime: .seconds(20))
        for (number, record) in FuzzRecords.decode(input).enumerated() {
            let data = AdvertisingData(Array(record.dropFirst()))
            try demand(data.malformed <= record.count, "more structures are malformed than there are octets")
            trace.note([data.malformed > 0, data.uriHash != nil, data.isSolicitation])
            if let service = data.service {
                let octets: [UInt8]
                switch service {
                case .provisioning(let advertisement):
                    octets = advertisement.encoded
                    trace.note("provisioning")
                case .proxy(let advertisement):
                    octets = advertisement.encoded
                    trace.note([octets.first, 0])
                }
                try demand(contains(record, octets), "the packet does not contain the service data")
            }
            let heard = assembler.receive(
                data,
                from: AdvertiserIdentifier(rawValue: [record.first ?? 0]),
                signal: nil,
                at: Instant(microseconds: Int64(number) * 1_000_000)
            )
            try demand(assembler.count <= 8, "more advertisers are remembered than there is room for")
            try demand(data.service == nil || heard != nil, "service data is not told")
            if let heard {
                trace.note("heard")
                let frame = ServerFrame.heard(heard)
                let read = try demandSuccess("what was heard cannot be framed") {
                    try ServerFrame(decoding: frame.encoded)
                }
                try demand(read == frame, "what was heard changes when it is framed")
            }
        }
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }

    /// Frames from clients of a gateway or a simulator process.
    package static let clientFrame = FuzzTarget(
        "client-frame",
        "contents of frames that a client sends",
        seeds: [
            octets("016d6573680001"), octets("016d657368000207d0"),
            ClientFrame.hello(silence: 15).encoded,
            ClientFrame.connect(link, .anyProxy).encoded,
            ClientFrame.connect(link, .proxy(AdvertiserIdentifier(rawValue: [1, 2, 3]))).encoded,
            ClientFrame.connect(link, .provisioning(AdvertiserIdentifier(rawValue: [9]))).encoded,
            ClientFrame.packet(link, [0, 1, 2]).encoded, ClientFrame.close(link).encoded,
            ClientFrame.scan(true).encoded,
        ],
        run: { (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            let frame: ClientFrame
            do { frame = try ClientFrame(decoding: input) } catch {
                trace.note(kindOf: error)
                return
            }
            trace.note([input[0], UInt8(clamping: input.count / 16)])
            if input[0] == 0x01 {
                // A hello may have additional octets at its end.
                try demand(input.starts(with: frame.encoded), "a hello changes when it is read")
            } else {
                try demand(frame.encoded == input, "a frame changes when it is read")
            }
        }
    )

    /// Frames from a gateway or a simulator process.
    package static let serverFrame = FuzzTarget(
        "server-frame",
        "contents of frames that a server sends",
        seeds: [
            octets("816d65736800010401"), octets("816d657368000207d00401"),
            ServerFrame.hello(silence: 15, maximumLinks: 4, canScan: true).encoded,
            ServerFrame.opened(link, maximumPacketSize: 66).encoded, ServerFrame.packet(link, [0, 1, 2]).encoded,
            octets("82010203040042000100780004012c0040"),
            ServerFrame.closed(link, BearerError("the device has ended the connection", hint: "again")).encoded,
            ServerFrame.refused(version: 2).encoded, ServerFrame.end(BearerError("bye")).encoded,
            ServerFrame.heard(
                Advertisement(
                    advertiser: AdvertiserIdentifier(rawValue: [1, 2]),
                    content: .proxy(.networkID(7)),
                    signal: -60
                )
            ).encoded,
            ServerFrame.heard(
                Advertisement(
                    advertiser: AdvertiserIdentifier(rawValue: [3]),
                    content: .unprovisioned(
                        ProvisioningAdvertisement(
                            uuid: DeviceUUID(rawValue: Octets16(high: 1, low: 2)),
                            oobInformation: 1
                        ),
                        uriHash: 5
                    )
                )
            ).encoded,
        ],
        run: { (input: [UInt8], trace: inout FuzzTrace) throws(FuzzViolation) in
            let frame: ServerFrame
            do { frame = try ServerFrame(decoding: input) } catch {
                trace.note(kindOf: error)
                return
            }
            trace.note([input[0], UInt8(clamping: input.count / 16)])
            let again = frame.encoded
            try demand(again.count <= Frame.maximumContentSize, "a frame has become too long")
            let read = try demandSuccess("a frame that was read cannot be read again") {
                try ServerFrame(decoding: again)
            }
            // A text with invalid octets is repaired. That may make it longer than the limit, so that it is cut.
            switch (frame, read) {
            case (.closed, .closed), (.end, .end): break
            default: try demand(read == frame, "a frame changes when it is written")
            }
        }
    )

    /// A stream of frames. Each record is a piece that arrives.
    package static let frameStream = FuzzTarget(
        "frame-stream",
        "streams of frames in pieces",
        shape: .records,
        maximumSize: 8192,
        seeds: [
            FuzzRecords.encode([[0, 3, 1, 2, 3, 0], [1, 9, 0, 2], [7, 7]]),
            FuzzRecords.encode([[4, 0] + [UInt8](repeating: 1, count: 1_024), [0, 1, 5]]),
        ],
        dictionary: [[0, 1], [4, 0], [4, 1], [0, 0]],
        run: examineStream
    )

    private static func examineStream(_ input: [UInt8], _ trace: inout FuzzTrace) throws(FuzzViolation) {
        let pieces = FuzzRecords.decode(input)
        let (contents, error) = try read(pieces, &trace)
        let (whole, wholeError) = try read([Array(pieces.joined())], &trace)
        try demand(contents == whole && error == wholeError, "the pieces of a stream matter")
        var again: [UInt8] = []
        for content in contents {
            again += try demandSuccess("a content that was read cannot be framed") { try Frame.encode(content) }
        }
        try demand(pieces.joined().starts(with: again), "the contents are not those of the stream")
        trace.note([contents.count, error == nil ? 0 : 1])
    }

    private static func read(
        _ pieces: [[UInt8]],
        _ trace: inout FuzzTrace
    ) throws(FuzzViolation) -> ([[UInt8]], FrameError?) {
        var decoder = FrameDecoder()
        var contents: [[UInt8]] = []
        for piece in pieces {
            decoder.append(piece)
            do {
                while let content = try decoder.next() {
                    contents.append(content)
                    trace.note(content.count.bitWidth - content.count.leadingZeroBitCount)
                }
            } catch {
                trace.note(kindOf: error)
                return (contents, error)
            }
            try demand(decoder.pending < Frame.maximumContentSize + 2, "a decoder holds more than a frame")
        }
        return (contents, nil)
    }

    private static let link = LinkIdentifier(rawValue: 7)

    /// The octets of hexadecimal digits.
    static func octets(_ digits: String) -> [UInt8] { Hexadecimal.decode(digits) ?? [] }
}
