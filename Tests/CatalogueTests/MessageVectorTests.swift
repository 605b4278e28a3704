import Foundation
import MeshCore
import Testing

@testable import Catalogue

/// `message-vectors.json` was made by a Python program that knows nothing of these tables: it read the parameter
/// descriptions of the messages as text ("Lightness 2, TID 1, [TransitionTime 1, Delay 1]"), took random values that the
/// descriptions allow, and packed them by arithmetic on one large integer. Silvair's bluetooth_mesh_messages 0.9.13
/// read 1,194 of the payloads as well: in 815 of them, of 142 messages, it found every raw number of the vector. What is
/// left it turns into times, dates and octets, or does not read (cadences, columns).
@Suite("Encodings against an independent implementation")
struct MessageVectorTests {
    private static let vectors: [MessageVector] = (try? resource("message-vectors")) ?? []

    @Test("every payload is read into the values of the vector and written again")
    func vectors() throws {
        #expect(Self.vectors.count >= 2000)
        for vector in Self.vectors {
            let decoded = try MessageCatalogue.sig.decode(vector.payload[...])
            #expect(decoded.values.flattened == vector.values, "\(decoded.text)")
            let parameters = try decoded.description.encode(decoded.values)
            #expect(decoded.description.opcode.encoded + parameters == vector.payload, "\(decoded.text)")
        }
    }

    @Test("the vectors cover every message whose fields are known")
    func coverage() throws {
        let covered = Set(try Self.vectors.map { try MessageCatalogue.sig.decode($0.payload[...]).description.opcode })
        let known = MessageCatalogue.sig.messages.filter { $0.forms != nil }
        for message in known { #expect(covered.contains(message.opcode), "\(message.title)") }
    }

    @Test("the examples of other stacks are read and written again")
    func examples() throws {
        let facts: [MessageFact] = try resource("messages")
        let payloads = try facts.flatMap { try ($0.examples ?? []).map(octets) }
        #expect(payloads.count > 200)
        for payload in payloads {
            let decoded = try MessageCatalogue.sig.decode(payload[...])
            #expect(try decoded.description.opcode.encoded + decoded.description.encode(decoded.values) == payload)
        }
    }

    /// Vectors tell the order of values, not which field is which where several have one size. These payloads were
    /// encrypted by a program of its own and named field by field by Wireshark 4.0.17.
    @Test(
        "fields of one size have the names that another program gives them",
        arguments: [
            ("82760080aaaaffff06", "lightness=32768 hue=43690 saturation=65535 tid=6"),
            ("82780080aaaaffff45", "lightness=32768 hue=43690 saturation=65535 remaining=69"),
            ("827fffff0000ffff", "lightness=65535 hue=0 saturation=65535"),
            ("828c000020ff9f001000a0", "status=0 x_minimum=8192 x_maximum=40959 y_minimum=4096 y_maximum=40960"),
            ("828f0020ff9f001000a0", "x_minimum=8192 x_maximum=40959 y_minimum=4096 y_maximum=40960"),
            ("8284ffff1450e35407", "lightness=65535 x=20500 y=21731 tid=7"),
            ("41a2a27b46c4c7c313d200", "latitude=1182507682 longitude=331597764 altitude=210"),
            (
                "82280a00f6ff1e00170034",
                "north=10 east=-10 altitude=30 floor=23 mobile=0 update_time=4 precision=3"
            ),
            (
                "82668c0a6400a00f000041",
                "temperature=2700 delta_uv=100 target_temperature=4000 target_delta_uv=0 remaining=65"
            ),
            (
                "8260ffffa00f00808c0a45",
                "lightness=65535 temperature=4000 target_lightness=32768 target_temperature=2700 remaining=69"
            ),
            ("825effffa00f000009", "lightness=65535 temperature=4000 delta_uv=0 tid=9"),
            ("8263008c0a6419", "status=0 minimum=2700 maximum=6500"), ("822100100ff0", "minimum=4096 maximum=61455"),
            ("824024012501002d7d3100", "tai_utc_delta=292 new_tai_utc_delta=293 change=830287104"),
            ("823d4448002d7d3100", "zone=68 new_zone=72 change=830287104"),
            (
                "5d65e79632000005480244",
                "tai=848750437 subsecond=0 uncertainty=5 authority=0 tai_utc_delta=292 zone=68"
            ),
            (
                "5c65e79632004002490244",
                "tai=848750437 subsecond=64 uncertainty=2 authority=1 tai_utc_delta=292 zone=68"
            ),
            (
                "822464a00500ffffff5a",
                "level=100 time_to_discharge=1440 time_to_charge=16777215 presence=2 indicator=2 charging=1 serviceability=1"
            ),
            ("5e00000034124a", "status=0 scene=0 target_scene=4660 remaining=74"),
            ("594d00430028", "property=77 setting=67 value=28"), ("82364d004300", "property=77 setting=67"),
            ("8204000145", "onoff=0 target_onoff=1 remaining=69"),
            ("820201074a0a", "onoff=1 tid=7 transition=74 delay=10"),
            (
                "6033420056fa1f24450a00",
                "index=3 year=35 months=8 day=12 hour=5 minute=61 second=63 weekdays=32 action=2 transition=69 scene=10"
            ),
            (
                "554f000202020a2832",
                "property=79 divisor=2 trigger=0 delta_down=02 delta_up=02 minimum_interval=10 fast_low=28 fast_high=32"
            ),
            ("050059000102", "test=0 company=89 faults=1,2"),
        ]
    )
    func names(payload: String, named: String) throws {
        let values = try MessageCatalogue.sig.decode(octets(payload)[...]).values
        let told = values.items.map { item in
            switch item.value {
            case .integer(let raw): "\(item.name)=\(raw)"
            case .octets(let octets): "\(item.name)=\(Hexadecimal.encode(octets))"
            case .integers(let numbers): "\(item.name)=\(numbers.map(String.init).joined(separator: ","))"
            default: item.name
            }
        }
        #expect(told.joined(separator: " ") == named)
    }

    @Test("what is written for people is read into the same values")
    func texts() throws {
        var read = 0
        for vector in Self.vectors {
            let decoded = try MessageCatalogue.sig.decode(vector.payload[...])
            guard decoded.values.items.allSatisfy(\.value.hasText) else { continue }
            let texts = decoded.description.texts(of: decoded.values)
            // A key is never written, so it cannot be read back.
            guard !texts.contains(where: { $0.text == "(secret)" }) else { continue }
            let values = try decoded.description.values(reading: texts)
            #expect(values.flattened.sortedText == vector.values.sortedText, "\(decoded.text)")
            read += 1
        }
        #expect(read > 2000)
    }
}

extension FieldValue {
    /// Whether a person can write the value field by field.
    var hasText: Bool {
        switch self {
        case .records, .sensorData, .columns: false
        default: true
        }
    }
}

extension [VectorValue] {
    /// The values without their order: properties are read first.
    var sortedText: [String] { map { "\($0)" }.sorted() }
}
