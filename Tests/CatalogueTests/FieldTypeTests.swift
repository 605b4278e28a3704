import MeshCore
import Testing

@testable import Catalogue

@Suite("Fields: numbers, words and units")
struct FieldTypeTests {
    private func type(_ notation: String) throws -> FieldType { try FieldType(notation: notation) }
    private func named(_ name: String) throws -> FieldType { try #require(TypeTable.types[name]) }

    @Test(
        "percent, kelvin, degrees and times are read and written",
        arguments: [
            ("lightness", "40%", 26214, "40 %"), ("lightness", "100 %", 65535, "100 %"),
            ("lightness", "0x6666", 26214, "40 %"),
            ("lightness", "0", 0, "0 %"), ("temperature", "3000K", 3000, "3000 K"),
            ("delta-uv", "-0.5", -16384, "-0.5"),
            ("hue", "120 deg", 21845, "120 °"), ("delay", "100ms", 20, "0.1 s"), ("delay", "0.1 s", 20, "0.1 s"),
            ("transition", "2s", 0x14, "2 s"), ("transition", "500 ms", 0x05, "0.5 s"),
            ("transition", "1 s", 0x0A, "1 s"),
            ("transition", "10 s", 0x4A - 0x00, "10 s"), ("transition", "60 s", 0x7C, "60 s"),
            ("transition", "2 min", 0x8C, "120 s"), ("transition", "10min", 0xBC, "600 s"),
            ("transition", "1h", 0xC6, "3600 s"),
            ("onoff", "on", 1, "on"), ("onoff", "false", 0, "off"), ("on-power-up", "restore", 2, "restore"),
            ("zone", "60 min", 68, "60 min"), ("zone", "-3.5h", 50, "-210 min"), ("tai-utc", "37 s", 292, "37 s"),
            ("tolerance", "unspecified", 0, "unspecified"), ("minimum-interval", "16 ms", 4, "0.02 s"),
            ("sensor-period", "10 s", 0x58, "10 s"), ("sensor-period", "1 h", 0x96, "3600 s"),
            ("schedule-months", "january+december", 0x801, "january+december"),
            ("schedule-weekdays", "none", 0, "none"),
            ("property", "present-ambient-light-level", 0x4E, "present-ambient-light-level"),
            ("company", "0x0059", 0x59, "0x0059"), ("floor-number", "3 floor", 23, "3 floor"),
            ("date", "2026-11-23", 20780, "2026-11-23"), ("latitude", "63.83 °", 1_523_043_124, "63.83 °"),
        ]
    )
    func values(name: String, text: String, raw: Int64, written: String) throws {
        let type = try named(name)
        #expect(try type.raw(reading: text) == raw)
        let back = type.text(of: raw)
        // A power is written with as few digits as tell it from its neighbours.
        if case .power = type.rule { #expect(try type.raw(reading: back) == raw) } else { #expect(back == written) }
    }

    @Test("raw numbers of every type up to 16 bits are written so that they are read back")
    func everyNumber() throws {
        for type in TypeTable.types.values {
            guard let limits = type.representable, limits.count <= 65536, type.notation != .secret else { continue }
            var wrong: [Int64] = []
            // All of an octet, every 31st of two.
            for raw in stride(from: limits.lowerBound, through: limits.upperBound, by: limits.count > 4096 ? 31 : 1)
            where type.permits(raw) {
                if (try? type.raw(reading: type.text(of: raw))) != raw { wrong.append(raw) }
            }
            #expect(wrong.isEmpty, "\(type.name): \(wrong.prefix(5)) \(wrong.prefix(5).map { type.text(of: $0) })")
        }
    }

    @Test(
        "wrong texts are refused with what would be right",
        arguments: [
            ("lightness", "40000", "out of range"), ("lightness", "40 K", "the unit is %"),
            ("temperature", "700 K", "800 K"),
            ("onoff", "maybe", "use off, on"), ("onoff", "0x02", "prohibited"), ("lightness", "0x10000", "16 bits"),
            ("lightness", "0xzz", "no number"), ("transition", "unknown", "no value"),
            ("transition", "11 h", "out of range"),
            ("property", "present-ambient-lihgt-level", "no value"), ("schedule-months", "smarch", "no value"),
            ("lightness", "", "no value"), ("lightness", "nan", "no value"), ("lightness", "1e400", "the unit is"),
            ("date", "2026-02-30", "no value"),
        ]
    )
    func refusals(name: String, text: String, part: String) throws {
        let type = try named(name)
        do {
            let raw = try type.raw(reading: text)
            Issue.record("\(text) was read as \(raw)")
        } catch {
            #expect(error.description.contains(part), "\(error)")
        }
    }

    @Test("what has no meaning is shown in hexadecimal")
    func unknown() throws {
        #expect(try named("percentage-8").text(of: 201) == "0xc9")
        #expect(try named("sampling").text(of: 9) == "0x09")
        #expect(try named("fault").text(of: 0x80) == "0x80")
        #expect(try named("fault").text(of: 2) == "battery-low-error")
        #expect(try named("schedule-months").text(of: 1) == "january")
        #expect(try named("remaining").text(of: 0x7F) == "0x7f")
        #expect(try named("remaining").meaning(of: 0x7F) == .word("unknown"))
    }

    @Test("faults come in pairs of a warning and an error; 0x33 to 0x7F are reserved and 0x80 on the vendor's")
    func faults() throws {
        let pairs = [
            "battery-low", "supply-voltage-too-low", "supply-voltage-too-high", "power-supply-interrupted", "no-load",
            "overload", "overheat", "condensation", "vibration", "configuration", "element-not-calibrated", "memory",
            "self-test", "input-too-low", "input-too-high", "input-no-change", "actuator-blocked", "housing-opened",
            "tamper", "device-moved", "device-dropped", "overflow", "empty", "internal-bus", "mechanism-jammed",
        ]
        let fault = try named("fault")
        #expect(fault.text(of: 0) == "no-fault")
        for (index, pair) in pairs.enumerated() {
            #expect(fault.text(of: Int64(2 * index + 1)) == pair + "-warning")
            #expect(fault.text(of: Int64(2 * index + 2)) == pair + "-error")
        }
        for raw in Int64(0x33)...0xFF { #expect(fault.meaning(of: raw) == .unknown(raw)) }
    }

    @Test("a key is never written")
    func secrets() throws {
        let add = try message("config-netkey-add")
        let values = try add.decode([0, 0] + [UInt8](0..<16))
        #expect(add.text(of: values) == "net_key_index=0 net_key=(secret)")
    }

    @Test(
        "notations that contradict themselves are refused",
        arguments: [
            "", "u0", "u64", "s1", "x8", "u8 /0", "u8 *a", "u8 *1/2/3", "u8 /1/2", "u8 9..3", "u8 0..256", "u8 300=a",
            "u8 1=a 1=b", "u8 quark", "u8 zero", "s8 0xfff=a", "octets0", "octets999", "text8 1=a", "u8 1.1^(m-3)",
            "u8 2^n n-3", "u8 transition /2", "u8 -..3",
        ]
    )
    func notations(text: String) {
        #expect(throws: NotationError.self) { try FieldType(notation: text) }
    }

    @Test(
        "fields that do not fit together are refused",
        arguments: [
            "a:nothing", "a:u3", "a:u4 b:u8", "[ a:u8", "a:u8 ]", "[ a:u8 ] b:u8", "a*:u4", "a*:u8 b:u8", "_x",
            "a*( b:u8",
            "a:u4 b:octets2 _4", "r*( a:u8 ) b:u8", "a:rest b:u8", "a:u8 ) b:u8", ":", "a:",
            ":u8", "A:u8", "a:u8=x", "a:u8=256", "a:u8 a:u8", "r*( )", "[ ]", "r*( [ a:u8 ] )", "a*:octets2",
            "reserved:u8", "*( a:u8 )", "a:octets2=1",
        ]
    )
    func parts(text: String) {
        #expect(throws: NotationError.self) { try PartNotation.forms(text) }
    }

    @Test("days are those of the calendar")
    func days() throws {
        #expect(CalendarDay(daysSince1970: 0).description == "1970-01-01")
        #expect(CalendarDay(daysSince1970: 19_782).description == "2024-02-29")
        for day in stride(from: 0, to: 16_777_214, by: 9973) {
            #expect(CalendarDay(CalendarDay(daysSince1970: day).description)?.daysSince1970 == day)
        }
        #expect(CalendarDay("2023-02-29") == nil)
    }
}
