import MeshCore
import Testing

@testable import Catalogue

@Suite("The states of models")
struct StateTests {
    private func state(_ name: String) throws -> StateDescription {
        try #require(StateCatalogue.state(named: name), "\(name)")
    }

    @Test("a state says by which messages and servers it is read and set")
    func lightness() throws {
        let lightness = try state("lightness")
        #expect(lightness.getMessage.title == "Light Lightness Get")
        #expect(lightness.setMessage?.title == "Light Lightness Set")
        #expect(lightness.unacknowledgedSetMessage?.title == "Light Lightness Set Unacknowledged")
        #expect(lightness.statusMessage.title == "Light Lightness Status")
        #expect(lightness.server == .sig(0x1300) && lightness.setServer == .sig(0x1300))
        #expect(lightness.fields.map(\.name) == ["lightness"] && lightness.fields.first?.type.unit == "%")
        #expect(lightness.hasTransaction && lightness.hasTransition && lightness.hasDelay && !lightness.isLasting)
    }

    @Test("a setup server sets what its main server reads")
    func setup() throws {
        let range = try state("lightness-range")
        #expect(range.server == .sig(0x1300) && range.setServer == .sig(0x1301) && range.isLasting)
        #expect(range.fields.map(\.name) == ["minimum", "maximum"] && !range.hasTransition)
        #expect(StateCatalogue.states(of: .sig(0x1301)).map(\.name) == ["lightness-default", "lightness-range"])
        let powerUp = try state("on-power-up")
        #expect(powerUp.server == .sig(0x1006) && powerUp.setServer == .sig(0x1007))
    }

    @Test("a set is written with transaction, transition and delay, and its status is read")
    func ctl() throws {
        let ctl = try state("ctl")
        let value: FieldValues = ["lightness": 65535, "temperature": 4000, "delta_uv": 0]
        #expect(try Hexadecimal.encode(ctl.setParameters(value, transaction: 9)) == "ffffa00f000009")
        let slow = try ctl.setParameters(value, transaction: 9, transition: 0x14, delay: 20)
        #expect(Hexadecimal.encode(slow) == "ffffa00f0000091414")
        let status = try ctl.statusMessage.decode(try octets("ffffa00f00808c0a45"))
        #expect(ctl.value(in: status) == ["lightness": 65535, "temperature": 4000])
        #expect(ctl.target(in: status) == ["lightness": 32768, "temperature": 2700])
        #expect(throws: MessageEncodeError.missing("delta_uv")) {
            try ctl.setParameters(["lightness": 1, "temperature": 800])
        }
    }

    @Test("a state without a transaction takes no transition, and one without a set cannot be set")
    func withoutTransition() throws {
        let mode = try state("lc-mode")
        #expect(!mode.hasTransaction && mode.isLasting)
        #expect(try mode.setParameters(["mode": 1]) == [1])
        #expect(throws: MessageEncodeError.self) { try mode.setParameters(["mode": 1], transition: 0) }
        #expect(throws: MessageEncodeError.noForm) { try state("battery").setParameters(["level": 1]) }
        // The transition of a schedule is part of its value.
        let schedule = try state("schedule")
        #expect(!schedule.hasTransition && schedule.fields.contains { $0.name == "transition" })
        #expect(schedule.keys.map(\.name) == ["index"] && !schedule.fields.contains { $0.name == "index" })
    }

    @Test("each property of the Light LC Setup Server is a state with its own name")
    func lightControl() throws {
        let run = try state("light-control-time-run-on")
        #expect(run.keys.isEmpty && run.isLasting && run.server == .sig(0x1310))
        #expect(try run.getParameters() == [0x3C, 0x00])
        #expect(try Hexadecimal.encode(run.setParameters(["value": .octets([0xC0, 0x27, 0x09])])) == "3c00c02709")
        let status = try run.statusMessage.decode(try octets("3c00c02709"))
        #expect(run.value(in: status) == ["value": .octets([0xC0, 0x27, 0x09])])
        #expect(try run.value(in: run.statusMessage.decode(try octets("3b00c02709"))) == nil)
        #expect(StateCatalogue.states(reportedBy: run.statusMessage.opcode).count == 19)
    }

    @Test("what selects an instance is asked for")
    func keys() throws {
        #expect(try state("faults").keys.map(\.name) == ["company"])
        #expect(try state("faults").getParameters(keys: ["company": 0x0059]) == [0x59, 0x00])
        #expect(throws: MessageEncodeError.missing("company")) { try state("faults").getParameters() }
        #expect(try state("sensor").getParameters() == [])
        #expect(try state("sensor").getParameters(keys: ["property": 0x4F]) == [0x4F, 0x00])
        #expect(try state("schedule").getParameters(keys: ["index": 3]) == [3])
    }

    @Test(
        "words go to the field with their unit, else to the next field",
        arguments: [
            ("onoff", "on", "0100"), ("lightness", "40%", "666600"), ("lightness", "0x8000", "008000"),
            ("ctl", "3000K 80%", "ccccb80b000000"), ("ctl", "80% 3000K delta_uv=0.5", "ccccb80b004000"),
            ("ctl-temperature", "2700 K", "8c0a000000"), ("hsl", "50% 120° saturation=100%", "00805555ffff00"),
            ("lightness-range", "10% 100%", "9a19ffff"), ("power-range", "maximum=100% minimum=1%", "8f02ffff"),
            ("default-transition-time", "2s", "14"), ("on-power-up", "restore", "02"),
            ("light-control-time-run-on", "10min", "3c00c02709"), ("light-control-lightness-on", "65535", "2e00ffff"),
            ("user-property", "motion-threshold 20%", "430028"), ("lc-mode", "on", "01"), ("scene", "4660", "341200"),
            (
                "schedule", "3 35 april 12 5 every-15 once-a-minute saturday scene 0x45 10",
                "33420056fa1f24450a00"
            ),
        ]
    )
    func words(name: String, words: String, parameters: String) throws {
        let state = try state(name)
        let value = try state.value(reading: words.split(separator: " ").map(String.init).joiningUnits)
        #expect(try Hexadecimal.encode(state.setParameters(value)) == parameters)
    }

    @Test("words that go with no field, and fields without a word, are named")
    func wrongWords() throws {
        #expect(throws: MessageEncodeError.missing("temperature")) { try state("ctl").value(reading: ["80%"]) }
        #expect(throws: MessageEncodeError.unknownField("off", known: ["onoff"])) {
            try state("onoff").value(reading: ["on", "off"])
        }
        #expect(throws: MessageEncodeError.value("lightness", "the field is given twice")) {
            try state("lightness").value(reading: ["lightness=1%", "lightness=2%"])
        }
        #expect(throws: MessageEncodeError.self) { try state("lightness").value(reading: ["3000K"]) }
        #expect(throws: MessageEncodeError.noForm) { try state("battery").value(reading: ["1%"]) }
        #expect(throws: MessageEncodeError.self) { try state("light-control-time-run-on").value(reading: ["10 lx"]) }
    }

    @Test("a status is told in units, its target apart")
    func statusTexts() throws {
        let lightness = try state("lightness")
        let status = try lightness.statusMessage.decode(try octets("0080ffff45"))
        #expect(lightness.texts(in: status)?.map(\.text) == ["50 %"])
        let run = try state("light-control-time-run-on")
        let told = run.texts(in: try run.statusMessage.decode(try octets("3c00c02709")))
        #expect(told == [MessageDescription.FieldText(name: "value", text: "600 s")])
    }

    @Test("every state can be read from its status, and set where it says so")
    func everyState() {
        #expect(Set(StateCatalogue.states.map(\.name)).count == StateCatalogue.states.count)
        for state in StateCatalogue.states {
            #expect(state.getMessage.answer == state.statusMessage.opcode, "\(state.name)")
            #expect(!state.fields.isEmpty, "\(state.name)")
            let reported = Set(state.statusMessage.fields.map(\.name))
            #expect(state.fields.contains { reported.contains($0.name) }, "\(state.name)")
            guard let set = state.setMessage else { continue }
            #expect(set.answer == state.statusMessage.opcode, "\(state.name)")
            #expect(
                state.unacknowledgedSetMessage != nil
                    || ["time", "time-zone", "tai-utc-delta", "time-role"].contains(state.name)
            )
            #expect(state.hasTransition == state.hasDelay, "\(state.name)")
        }
    }

    @Test("every get of an application model reads a state")
    func complete() {
        let read = Set(StateCatalogue.states.map(\.getMessage.opcode))
        for message in MessageCatalogue.sig.messages where message.title.hasSuffix(" Get") && message.forms != nil {
            let isApplication = message.servers.contains { $0.model >= 0x1000 || $0.model == 2 }
            #expect(read.contains(message.opcode) == isApplication, "\(message.title)")
        }
    }
}

extension [String] {
    /// A number and a unit that stand apart are one word: `2700 K`.
    fileprivate var joiningUnits: [String] {
        reduce(into: []) { words, word in
            if word == "K" { words[words.count - 1] += " K" } else { words.append(word) }
        }
    }
}
