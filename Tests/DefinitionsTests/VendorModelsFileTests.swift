import Catalogue
import DefinitionModel
import MeshCore
import TestSupport
import Testing

@testable import Definitions

/// Messages of Silvair's emergency lighting, light extended controller and network diagnostic models, and of the chat
/// client of Nordic Semiconductor.
///
/// Silvair's octets are those of the tests of its Python library (github.com/SilvairGit/python-bluetooth-mesh-messages:
/// tests/test_light_extended_controller.py, test_emergency_lighting.py, test_emergency_lighting_test.py and
/// test_network_diagnostic_server.py), the opcodes of the last three those of the library's modules of these names.
/// Nordic's opcodes and values are those of samples/bluetooth/mesh/chat of github.com/nrfconnect/sdk-nrf. The numbers of
/// Silvair's models are not in these sources: 1 to 3 stand for them.
@Suite("Files with vendor models")
struct VendorModelsFileTests {
    static let text = """
        models:
          silvair-emergency-lighting:
            company: 0x0136
            model: 1
            types:
              emergency-state: >-
                u8 0=from-inhibit-to-normal 1=from-functional-test-to-normal 2=from-duration-test-to-normal 3=normal
                4=from-rest-to-emergency 5=emergency 6=extended-emergency 7=from-emergency-to-rest 8=rest
                9=from-normal-to-inhibit 10=inhibit 11=from-normal-to-duration-test 12=duration-test
                13=from-normal-to-functional-test 14=functional-test 15=battery-discharged 16=unknown ?
            messages:
              emergency-state-get:    { opcode: 0xEA3601, fields: "sub:u8=4", answer: emergency-state-status }
              emergency-state-status: { opcode: 0x2a, fields: "sub:u8=5 state:emergency-state", direction: status }
              emergency-lightness-get: { opcode: 0x2a, fields: "sub:u8=6 id:u16=0xff80", answer: emergency-lightness-status }
              emergency-lightness-set: { opcode: 0x2a, fields: "sub:u8=7 id:u16=0xff80 lightness", answer: emergency-lightness-status }
              emergency-lightness-status: { opcode: 0x2a, fields: "sub:u8=9 id:u16=0xff80 lightness", direction: status }
              emergency-prolong-status: { opcode: 0x2a, fields: "sub:u8=9 id:u16=0xff83 time:time-second-16", direction: status }
              emergency-lamp-time-status: { opcode: 0x2a, fields: "sub:u8=13 total:time-second-32 emergency:time-second-32", direction: status }
              functional-test-status:
                opcode: 0x29
                direction: status
                fields: "sub:u8=3 tai zone tai_utc_delta:tai-utc _1 status:u8 result:test-result [ relative_time:u32 ]"
            states:
              emergency-state: { get: emergency-state-get }
              emergency-lightness: { get: emergency-lightness-get, set: emergency-lightness-set, lasting: on }
          silvair-light-extended-controller:
            company: 0x0136
            model: 2
            messages:
              auto-resume-get: { opcode: 0x36, fields: "sub:u8=0 id:u16=0xff71" }
              auto-resume-set: { opcode: 0x36, fields: "sub:u8=1 id:u16=0xff71 mode:onoff" }
              auto-resume-timer-set-unacknowledged: { opcode: 0x36, fields: "sub:u8=2 id:u16=0xff72 timer:time-millisecond-24" }
              auto-resume-timer-status: { opcode: 0x36, fields: "sub:u8=3 id:u16=0xff72 timer:time-millisecond-24", direction: status }
          silvair-network-diagnostic:
            company: 0x0136
            model: 3
            messages:
              diagnostic-subscription-status:
                opcode: 0x3C
                direction: status
                fields: "sub:u8=3 destination:address period:u16 capacity:u8 records*( source:address count:u16 min_hops:u8 max_hops:u8 )"
          nordic-chat:
            company: 0x0059
            model: 0x000A
            types:
              presence-kind: u8 0=available 1=away 2=inactive 3=do-not-disturb !
            messages:
              chat-presence: { opcode: 0x0D, fields: "presence:presence-kind", direction: status }
              chat-presence-get: { opcode: 0x0E, answer: chat-presence }
            states:
              presence: { get: chat-presence-get }
        """
        .replacing(
            "emergency-state: >-",
            with: "test-result: u8 set 0=lamp 1=battery 2=circuit 3=battery-duration\n      emergency-state: >-"
        )

    private func read(_ texts: String...) -> (models: [VendorModel], problems: [String]) {
        let files = sources(texts)
        let (models, diagnostics) = VendorModelsFile.read(files: files)
        return (models, diagnostics.map { compact($0, files) })
    }

    @Test(
        "real messages of vendors are read, named and written again",
        arguments: [
            ("f636010071ff", "auto-resume-get sub=0 id=65393"),
            ("f636010171ff01", "auto-resume-set sub=1 id=65393 mode=on"),
            ("f636010272ff10a400", "auto-resume-timer-set-unacknowledged sub=2 id=65394 timer=42 s"),
            ("f636010372ff90ca04", "auto-resume-timer-status sub=3 id=65394 timer=314 s"),
            ("ea360104", "emergency-state-get sub=4"), ("ea36010503", "emergency-state-status sub=5 state=normal"),
            ("ea3601050f", "emergency-state-status sub=5 state=battery-discharged"),
            ("ea36010680ff", "emergency-lightness-get sub=6 id=65408"),
            ("ea36010780ff3412", "emergency-lightness-set sub=7 id=65408 lightness=7.11 %"),
            ("ea36010983ff3412", "emergency-prolong-status sub=9 id=65411 time=4660 s"),
            ("ea36010d67452301efcdab89", "emergency-lamp-time-status sub=13 total=19088743 s emergency=2309737967 s"),
            (
                "e93601032e48d52f004824010202",
                "functional-test-status sub=3 tai=802506798 zone=120 min tai_utc_delta=37 s status=2 result=battery"
            ),
            (
                "e936010300000000007824010307" + "45000000",
                "functional-test-status sub=3 tai=not-known zone=840 min tai_utc_delta=37 s status=3 "
                    + "result=lamp+battery+circuit relative_time=69"
            ),
            (
                "fc3601031234aaaa205678bbbb00009101cccc0101",
                "diagnostic-subscription-status sub=3 destination=0x3412 period=43690 capacity=32 "
                    + "records={source=0x7856 count=48059 min_hops=0 max_hops=0} "
                    + "{source=0x0191 count=52428 min_hops=1 max_hops=1}"
            ),
            ("cd590003", "chat-presence presence=do-not-disturb"), ("ce5900", "chat-presence-get"),
        ]
    )
    func messages(payload: String, text: String) throws {
        let (models, problems) = read(Self.text)
        #expect(problems == [])
        var catalogue = MessageCatalogue.sig
        for model in models { try catalogue.add(model) }
        let octets = try #require(Hexadecimal.decode(payload))
        let decoded = try catalogue.decode(octets[...])
        #expect(decoded.text == text)
        #expect(try decoded.description.opcode.encoded + decoded.description.encode(decoded.values) == octets)
    }

    @Test("a state of a vendor model is read and set like one of the SIG's")
    func states() throws {
        let models = read(Self.text).models
        #expect(models.map(\.name).sorted().first == "nordic-chat" && models.count == 4)
        let lighting = try #require(models.first)
        #expect(lighting.identifier == .vendor(company: 0x0136, model: 1))
        let lightness = try #require(lighting.states.last)
        #expect(lightness.name == "emergency-lightness" && lightness.isLasting && lightness.keys.isEmpty)
        #expect(lightness.fields.map(\.name) == ["lightness"])
        #expect(try lightness.getParameters() == [0x06, 0x80, 0xFF])
        #expect(try lightness.setParameters(["lightness": 0x1234]) == [0x07, 0x80, 0xFF, 0x34, 0x12])
        let status = try lightness.statusMessage.decode([0x09, 0x80, 0xFF, 0x34, 0x12])
        #expect(lightness.value(in: status) == ["lightness": 0x1234])
    }

    @Test(
        "an unknown value is shown in hexadecimal, a prohibited one and an unknown sub-opcode are refused with the place"
    )
    func strange() throws {
        var catalogue = MessageCatalogue.sig
        for model in read(Self.text).models { try catalogue.add(model) }
        #expect(try catalogue.decode([0xEA, 0x36, 0x01, 5, 0x44]).text.hasSuffix("state=0x44"))
        #expect(throws: AccessPayloadError.self) { try catalogue.decode([0xCD, 0x59, 0x00, 4]) }
        #expect(throws: AccessPayloadError.self) { try catalogue.decode([0xEA, 0x36, 0x01, 0x77]) }
        #expect(throws: AccessPayloadError.unknown(0xC1_5900)) { try catalogue.decode([0xC1, 0x59, 0x00]) }
    }

    private static let model = "models: { a: { company: 0x0059, model: 1, "

    @Test(
        "what is wrong is said at its place",
        arguments: [
            ("messages: { m: { opcode: 0x40 } }", "0x40 is an opcode of the Bluetooth SIG"),
            ("messages: { m: { opcode: 0xC13601 } }", "is an opcode of the company 0x0136, not 0x0059"),
            ("messages: { m: { opcode: 12 } }", "is not an opcode of a company"),
            ("messages: { m: { fields: \"a:u8\" } }", "`opcode` is missing"),
            ("messages: { m: { opcode: 0x01, fields: \"a:u9\" } }", "the fields do not end at an octet"),
            ("messages: { m: { opcode: 0x01, fields: \"a:lux\" } }", "no type lux"),
            ("messages: { m: { opcode: 0x01, fields: \"a:u8 a:u8\" } }", "a occurs twice"),
            ("messages: { m: { opcode: 0x01, fields: \"[ [ a:u8 ] ]\" } }", "a group stands in a group"),
            ("messages: { m: { opcode: 0x01 }, n: { opcode: 0x01 } }", "n cannot be told from m"),
            (
                "messages: { m: { opcode: 0x01, fields: \"s:u8=1\" }, n: { opcode: 0x01, fields: \"s:u8=1 a:u8\" } }",
                "n cannot be told from m"
            ),
            ("messages: { generic-onoff-get: { opcode: 0x01 } }", "another message is called generic-onoff-get"),
            ("messages: { m: { opcode: 0x01, answer: n } }", "`n` is no status of this model"),
            ("messages: { m: { opcode: 0x01, direction: up } }", "`up` is no direction"),
            ("messages: { M: { opcode: 0x01 } }", "`M` is not a name"),
            ("types: { t: u99 }, messages: {}", "u99 is no layout such as u8"),
            (
                "types: { t: u8 quark }, messages: { m: { opcode: 0x01, fields: \"a:t\" } }",
                "quark is no part of a type"
            ),
            ("messages: {}, states: { s: { get: m } }", "`m` is no message of this model"),
            ("messages: { m: { opcode: 0x01 } }, states: { s: { get: m } }", "m has no answer, so it reads nothing"),
            ("messages: {}, states: { onoff: { get: m } }", "onoff is a state of the Bluetooth SIG's models"),
            ("messages: {}, modes: {}", "unknown key `modes`"),
        ]
    )
    func wrong(parts: String, message: String) throws {
        let problems = read(Self.model + parts + " } }\n").problems
        let problem = try #require(problems.first { $0.contains(message) }, "\(problems)")
        #expect(problem.hasPrefix("a.yaml:1:"), "\(problem)")
        // A broken type is reported where it stands, and not once more where it is used.
        #expect(problems.count <= (message.contains("state of the") ? 2 : 1), "\(problems)")
    }

    @Test("names and numbers that are given twice, also in two files, are reported with the first place")
    func twice() {
        let one = "models: { a: { company: 1, model: 1, messages: { m: { opcode: 0x01 } } } }\n"
        let two = "models: { b: { company: 1, model: 1, messages: { m: { opcode: 0x02 } } } }\n"
        let problems = read(one, two).problems
        #expect(problems.contains { $0.hasPrefix("b.yaml:1:11") && $0.contains("[a.yaml:1:11: first here]") })
        #expect(
            problems.contains { $0.contains("another message is called m") && $0.contains("a.yaml:1:50: first here") },
            "\(problems)"
        )
        #expect(read("models: { time-server: { company: 1, model: 1, messages: {} } }\n").problems.count == 1)
    }

    @Test("random damage to a file is told or harmless, and never stops the reader")
    func damage() {
        var generator = SplitMix64(seed: 16)
        let octets = Array(Self.text.utf8)
        let signs = Array(":=[]{}()*/|_\"'-,0u9 \n".utf8)
        for _ in 0..<300 {
            var damaged = octets
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<damaged.count, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: damaged[place] = signs[Int.random(in: 0..<signs.count, using: &generator)]
                case 1: damaged.insert(signs[Int.random(in: 0..<signs.count, using: &generator)], at: place)
                default: damaged.remove(at: place)
                }
            }
            let files = SourceFiles(files: [SourceFiles.File(path: "a.yaml", bytes: damaged)])
            let (models, diagnostics) = VendorModelsFile.read(files: files)
            #expect(models.count <= 4)
            #expect(diagnostics.allSatisfy { !$0.message.isEmpty })
        }
    }
}
