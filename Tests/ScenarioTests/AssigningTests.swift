import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Assigns devices at a terminal, with a person who types and a process that is killed now and then.
@Suite("Assigning devices to places", .timeLimit(.minutes(45)))
struct AssigningTests {
    private static let count = 100

    private static func uuid(_ number: Int) -> String {
        "0D5C5A0E-6F5B-4F0E-A1A5-0B1F1C1F" + String(format: "%04X", number)
    }

    /// A building with places, and a simulator with a device for each.
    private func building(_ count: Int) async throws -> (house: House, simulator: LiveProcess) {
        let house = try House.empty()
        let devices = (1...count).map { "  d\($0): { uuid: \(Self.uuid($0)), product: lamp }\n" }.joined()
        try house.write(
            "products: { lamp: { elements: [{ models: [generic-onoff-server] }] } }\ndevices:\n" + devices,
            to: "sim/devices.yaml"
        )
        let places = (1...count).map { "  lamp-\($0): {}\n" }.joined()
        try house.write(
            "version: 1\nnetwork: villa\nsubnets: { home: { index: 0 } }\nnodes:\n" + places,
            to: "villa.yaml"
        )
        _ = try await house.meshplan(["init", "--network", "villa"])
        let simulator = try LiveProcess(
            House.meshplan,
            ["sim", "--devices", "sim/devices.yaml", "--listen", "unix:s"],
            in: house.folder,
            through: .pipes
        )
        try simulator.wait(for: "listening on unix:s\n")
        return (house, simulator)
    }

    private func assign(_ house: House, _ more: String...) throws -> LiveProcess {
        try LiveProcess(
            House.meshplan,
            ["assign", "--via", "unix:s", "--time", "1s"] + more,
            in: house.folder,
            through: .terminal
        )
    }

    /// The lines of the file: the devices by place.
    private func assignments(_ house: House) throws -> [String: String] {
        let file = house.folder.appending(path: "villa.assignments")
        guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        let pairs = lines.map { $0.split(separator: " ").map(String.init) }
        #expect(pairs.allSatisfy { $0.count == 2 })
        #expect(lines.sorted() == Array(lines))
        return Dictionary(pairs.map { ($0[0], $0[1].uppercased()) }, uniquingKeysWith: { first, _ in first })
    }

    @Test("100 devices come to 100 places, though the command is killed ten times: none is lost, and none twice")
    func killed() async throws {
        let (house, simulator) = try await building(Self.count)
        defer { house.remove() }
        var generator = SplitMix64(seed: 17)
        var seen: [String: String] = [:]
        var kills = 0
        var process = try assign(house)
        while try assignments(house).count < Self.count {
            let shown = try process.wait(for: "Place? ")
            #expect(shown.contains(" blinks now.") || shown.contains("It cannot blink"), "\(shown)")
            process.type(["", "1", ""][Int.random(in: 0..<3, using: &generator)])
            if kills < 10, try assignments(house).count >= (kills + 1) * 9 {
                // Somewhere between the key and the next device.
                usleep(useconds_t.random(in: 0..<60_000, using: &generator))
                process.signal(SIGKILL)
                _ = try process.finish()
                kills += 1
                process = try assign(house)
            } else {
                let line = try process.wait(for: " now (")
                let words = line.split(whereSeparator: \.isWhitespace).suffix(5).map(String.init)
                #expect(words.count == 5 && words[1] == "has", "\(line)")
                seen[words[0]] = words[2]
            }
        }
        #expect(kills == 10)
        #expect(try process.finish() == 0, "\(process.transcript)")
        #expect(process.transcript.contains("no place is left"))
        let file = try assignments(house)
        #expect(file.count == Self.count && Set(file.values).count == Self.count)
        for (place, device) in seen { #expect(file[place] == device, "\(place)") }
        #expect(try await house.meshplan(["validate"]).status == 0)
        simulator.interrupt()
        _ = try simulator.finish()
    }

    @Test("Two people who assign at once lose no assignment, and give no place and no device away twice")
    func atOnce() async throws {
        let house = try House.empty()
        defer { house.remove() }
        let count = 16
        let places = (1...2 * count).map { "  lamp-\($0): {}\n" }.joined()
        try house.write(
            "version: 1\nnetwork: villa\nsubnets: { home: { index: 0 } }\nnodes:\n" + places,
            to: "villa.yaml"
        )
        // Each person has places of their own; for the first place, both have a device.
        async let first = assignAll(house, 1...count, contesting: 101)
        async let second = assignAll(house, (count + 1)...(2 * count), contesting: 102)
        let contested = try await [first, second]
        #expect(contested.count { $0 == 0 } == 1, "\(contested)")
        let file = try assignments(house)
        #expect(file.count == 2 * count && Set(file.values).count == 2 * count)
        let winner = contested[0] == 0 ? 101 : 102
        #expect(file["lamp-1"] == Self.uuid(winner))
        for number in 2...2 * count { #expect(file["lamp-\(number)"] == Self.uuid(number)) }
        #expect(try await house.meshplan(["validate"]).status == 0)
    }

    /// Assigns devices to places with a process for each.
    ///
    /// - Returns: the status of the process that assigned a device to the first place of all, which others want, too.
    private func assignAll(_ house: House, _ numbers: ClosedRange<Int>, contesting device: Int) async throws -> Int32 {
        let contested = try await house.meshplan(["assign", "lamp-1", Self.uuid(device)]).status
        for number in numbers where number > 1 {
            let (status, output) = try await house.meshplan(["assign", "lamp-\(number)", Self.uuid(number)])
            #expect(status == 0, "\(output)")
        }
        return contested
    }

    @Test("A place is taken by letters; a device is left out or postponed; the last assignment is taken back")
    func answers() async throws {
        let (house, simulator) = try await building(3)
        defer { house.remove() }
        let process = try assign(house)
        func device() throws -> String {
            let shown = try process.wait(for: "Place? ")
            // A terminal ends lines with a carriage return and a line feed, which are one character.
            let line = try #require(shown.split(whereSeparator: \.isNewline).last { $0.contains(" blinks now.") })
            return String(line.prefix(36))
        }
        let first = try device()
        process.type("?")
        try process.wait(for: "Place? ")
        process.type("garage")
        try process.wait(for: "No place is called `garage`")
        try process.wait(for: "Place? ")
        process.type("l2")
        try process.wait(for: "lamp-2 has \(first) now")
        let second = try device()
        process.type("-")
        try process.wait(for: "lamp-2 has no device again")
        #expect(try assignments(house).isEmpty)
        // Whoever was assigned is heard still.
        #expect(try device() == first)
        process.type(">")
        #expect(try device() == second)
        process.type(".")
        let third = try device()
        #expect(![first, second].contains(third))
        process.type("lamp")
        try process.wait(for: "1 lamp-")
        try process.wait(for: "Place? ")
        // The list goes on behind the last place that was taken.
        process.type("2")
        try process.wait(for: "lamp-3 has \(third) now")
        #expect(try device() == first)
        process.type("q")
        #expect(try process.finish() == 0, "\(process.transcript)")
        #expect(try assignments(house) == ["lamp-3": third])
        simulator.interrupt()
        _ = try simulator.finish()
    }

    @Test("An adapter that dies ends the command, and what was assigned stays")
    func deadAdapter() async throws {
        let (house, simulator) = try await building(3)
        defer { house.remove() }
        let process = try assign(house)
        try process.wait(for: "Place? ")
        process.type("")
        try process.wait(for: " now (2 places left)")
        try process.wait(for: "Place? ")
        simulator.signal(SIGKILL)
        _ = try simulator.finish()
        process.type("")
        let status = try process.finish()
        #expect(status == 1, "\(process.transcript)")
        // A key pressed for a device that was shown counts, too.
        #expect([1, 2].contains(try assignments(house).count))
    }
}
