import Catalogue
import Foundation
import MeshCore
import TestSupport
import Testing

/// What an independent program reads in our captures.
@Suite("Captures, as tshark reads them", .timeLimit(.minutes(45)))
struct CaptureTests {
    /// A line of tshark's.
    private struct Row {
        /// The opcode of the access message; nil if there is none, or it is not decrypted.
        var opcode: UInt32?
        /// What tshark calls the packet.
        var info: String
        var isMalformed: Bool
    }

    @Test("tshark decrypts the apply of the office, names each message as we do, and finds none malformed")
    func office() async throws {
        let office = try House.office()
        defer { office.remove() }
        let configuration = office.folder.appending(path: "configuration")
        try FileManager.default.createDirectory(at: configuration, withIntermediateDirectories: false)
        for arguments in [
            ["init", "--network", "office"],
            [
                "apply", "--auto-approve", "--via", "simulator", "--secrets", "devices/secrets.csv", "--devices",
                "devices/devices.yaml", "--capture", "apply.pcapng",
            ],
            ["keys", "export", "--wireshark", "configuration/wireshark"],
        ] {
            let result = try await office.meshplan(arguments)
            try #require(result.status == 0, "\(arguments): \(result.output.suffix(4_000))")
        }
        let rows = try await rows(of: "apply.pcapng", office)
        #expect(rows.filter(\.isMalformed).map(\.info) == [])
        let messages = rows.filter { $0.opcode != nil }
        #expect(messages.count > 1_000, "requests and answers of 44 nodes: \(messages.count) of \(rows.count)")
        var unknown: [String: Int] = [:]
        var differing: [String: Int] = [:]
        for row in messages {
            let number = try required(row.opcode)
            let opcode = try required(Self.opcode(number))
            guard let ours = MessageCatalogue.sig.message(opcode)?.title else {
                unknown["\(opcode)", default: 0] += 1
                continue
            }
            // tshark 4.0 has no names for the models of Mesh Protocol 1.1.
            if (0x804F...0x80BC).contains(number) { continue }
            if !row.info.hasPrefix(ours) { differing["\(ours): \(row.info)", default: 0] += 1 }
        }
        #expect(unknown.isEmpty)
        #expect(differing.isEmpty)
        // Whatever belongs to no access message is named, too: nothing stays encrypted but what only proxies read.
        let others = Dictionary(grouping: rows.filter { $0.opcode == nil }, by: \.info).mapValues(\.count)
        #expect(others.keys.filter { $0.contains("encrypted") || $0.contains("Unknown") } == [], "\(others)")
    }

    /// The opcode behind a number.
    private static func opcode(_ number: UInt32) -> Opcode? {
        let octets: [UInt8] =
            switch number {
            case 0...0xFF: [UInt8(number)]
            case 0...0xFFFF: [UInt8(number >> 8), UInt8(number & 0xFF)]
            default: [UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
            }
        var reader = ByteReader(octets)
        return try? Opcode(decoding: &reader)
    }

    private func rows(of capture: String, _ office: House) async throws -> [Row] {
        let result = try await office.observe(
            URL(filePath: "/usr/bin/tshark"),
            [
                "-2", "-r", capture, "-T", "fields", "-E", "separator=|", "-e",
                "btmesh.model.opcode", "-e", "_ws.malformed", "-e", "_ws.col.Info",
            ],
            environment: ["XDG_CONFIG_HOME": office.folder.appending(path: "configuration").path]
        )
        try #require(result.status == 0, "\(result.output.suffix(2_000))")
        return result.output.split(separator: "\n").filter { $0.contains("|") }.map { line in
            let parts = line.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            let number = parts[0].split(separator: ",").last.flatMap { UInt32($0.dropFirst(2), radix: 16) }
            return Row(opcode: number, info: parts.count > 2 ? parts[2] : "", isMalformed: !parts[1].isEmpty)
        }
    }
}
