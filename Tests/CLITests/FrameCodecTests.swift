import Bearers
import Testing

@Suite("Frames on a byte stream")
struct FrameCodecTests {
    @Test("packets come out as they went in, whatever the pieces", arguments: [1, 2, 3, 7, 64, 4096])
    func pieces(size: Int) throws {
        let packets = [1, 2, 20, 66, 255, 256, 512].map { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        }
        let stream = try packets.flatMap { try Frame.encode($0) }
        var decoder = FrameDecoder()
        var decoded: [[UInt8]] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            decoder.append(stream[start..<min(start + size, stream.count)])
            while let packet = try decoder.next() { decoded.append(packet) }
        }
        #expect(decoded == packets)
        #expect(decoder.pending == 0)
    }

    @Test("the length stands in front, most significant octet first")
    func layout() throws {
        #expect(try Frame.encode([0xAA, 0xBB]) == [0x00, 0x02, 0xAA, 0xBB])
        #expect(try Frame.encode([UInt8](repeating: 1, count: 0x101)).prefix(2) == [0x01, 0x01])
    }

    @Test("empty and oversize frames are refused on both sides")
    func refused() {
        #expect(throws: FrameError.empty) { try Frame.encode([]) }
        #expect(throws: FrameError.tooLong(513)) { try Frame.encode([UInt8](repeating: 0, count: 513)) }
        var decoder = FrameDecoder()
        decoder.append([0, 0, 1])
        #expect(throws: FrameError.empty) { try decoder.next() }
        #expect(throws: FrameError.empty) { try decoder.next() }
        var other = FrameDecoder()
        other.append([0xFF, 0xFF])
        #expect(throws: FrameError.tooLong(65_535)) { try other.next() }
    }

    @Test("random octets never hold more than one frame back")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var decoder = FrameDecoder()
            stream: for _ in 0..<20 {
                decoder.append(
                    (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                        // Mostly small octets, so that lengths are often plausible.
                        UInt8.random(in: 0...(Bool.random(using: &generator) ? 3 : 255), using: &generator)
                    }
                )
                while true {
                    do {
                        guard let packet = try decoder.next() else { break }
                        #expect((1...Frame.maximumPacketSize).contains(packet.count))
                    } catch {
                        break stream
                    }
                }
                #expect(decoder.pending < Frame.maximumPacketSize + 2)
            }
        }
    }

    @Test(
        "addresses are read and written back",
        arguments: [
            "unix:/tmp/mesh.sock", "unix:mesh.sock", "tcp:localhost:7000", "tcp:[::1]:7000", "tcp:10.0.0.1:0",
        ]
    )
    func addresses(text: String) throws {
        #expect(try SocketAddress(text).description == text)
    }

    @Test(
        "what is no address says why",
        arguments: [
            ("", "begins neither"), ("unix:", "path is missing"), ("tcp:host", "port is missing"),
            ("tcp::1", "host is missing"),
            ("tcp:host:65536", "not a number"), ("tcp:host:", "not a number"), ("tcp:::1:80", "brackets"),
            ("udp:x:1", "begins neither"),
        ]
    )
    func wrongAddresses(text: String, problem: String) {
        do {
            _ = try SocketAddress(text)
            Issue.record("\(text) was taken for an address")
        } catch {
            #expect(error.description.contains(problem))
        }
    }
}
