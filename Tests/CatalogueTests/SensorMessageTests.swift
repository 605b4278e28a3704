import MeshCore
import Testing

@testable import Catalogue

@Suite("Sensor messages")
struct SensorMessageTests {
    @Test("a frame from the field with values that are missing is read; other stacks read it wrongly")
    func frameWithoutValues() throws {
        let payload = try octets("52ff4d00820a1b08ff6400220d0000")
        let decoded = try MessageCatalogue.sig.decode(payload[...])
        #expect(
            decoded.values["readings"]
                == .sensorData([
                    MarshalledSensorData(property: 0x004D, value: nil),
                    MarshalledSensorData(property: 0x0054, value: [0x1B, 0x08]),
                    MarshalledSensorData(property: 0x0064, value: nil),
                    MarshalledSensorData(property: 0x0069, value: [0, 0]),
                ])
        )
        let text = decoded.text
        #expect(text.contains("presence-detected no value") && text.contains("temperature 20.75 °C"), "\(text)")
        #expect(try decoded.description.opcode.encoded + decoded.description.encode(decoded.values) == payload)
    }

    @Test("the short header is taken where it can hold property and length")
    func headers() throws {
        let write = { (data: MarshalledSensorData) in try data.encoded(field: "readings") }
        #expect(try write(MarshalledSensorData(property: 0x004D, value: [1])) == [0xA0, 0x09, 0x01])
        #expect(
            try write(MarshalledSensorData(property: 0x0A12, value: [0x12, 0x34])) == [0x03, 0x12, 0x0A, 0x12, 0x34]
        )
        let long = [UInt8](repeating: 7, count: 17)
        #expect(try write(MarshalledSensorData(property: 0x004D, value: long)).prefix(3) == [0x21, 0x4D, 0x00])
        #expect(try write(MarshalledSensorData(property: 0x004D, value: nil)) == [0xFF, 0x4D, 0x00])
        #expect(throws: MessageEncodeError.self) { try write(MarshalledSensorData(property: 1, value: [])) }
        let tooLong = [UInt8](repeating: 7, count: 128)
        #expect(throws: MessageEncodeError.self) { try write(MarshalledSensorData(property: 1, value: tooLong)) }
        // A long header that was received although the short one would do is written again as it was.
        #expect(try MarshalledSensorData.decode([0x01, 0x4D, 0x00, 0x01]).map(write) == [[0x01, 0x4D, 0x00, 0x01]])
    }

    @Test("a value that ends too early says where, counted from the first parameter")
    func truncated() throws {
        let status = try message("sensor-status")
        #expect(throws: MessageDecodeError(offset: 5, field: "readings", reason: .truncated(needed: 1))) {
            try status.decode([0xA0, 0x09, 0x01, 0xA0, 0x09])
        }
    }

    @Test("the deltas of a cadence are in the property's format or in percent, as the trigger type says")
    func cadence() throws {
        let status = try message("sensor-cadence-status")
        let value = try status.decode(try octets("4f000202020a2832"))
        #expect(
            status.text(of: value)
                == "property=present-ambient-temperature divisor=2 trigger=value delta_down=1 °C delta_up=1 °C "
                + "minimum_interval=1 s fast_low=20 °C fast_high=25 °C"
        )
        let percent = try status.decode(try octets("4f0083f401e803002832"))
        #expect(status.text(of: percent).contains("trigger=percent delta_down=5 % delta_up=10 %"))
        #expect(status.fields(of: percent).first { $0.name == "delta_up" }?.type.unit == "%")
        #expect(status.fields(of: value).first { $0.name == "delta_up" }?.type.notation == .propertyValue)
        #expect(throws: MessageDecodeError.self) { try status.decode(try octets("4f000202020a28")) }
        let texts = [
            ("property", "present-ambient-temperature"), ("divisor", "3"), ("trigger", "percent"),
            ("delta_down", "5%"), ("delta_up", "10%"), ("minimum_interval", "1 ms"), ("fast_low", "20 °C"),
            ("fast_high", "25°C"),
        ].map { MessageDescription.FieldText(name: $0, text: $1) }
        let set = try message("sensor-cadence-set")
        #expect(try Hexadecimal.encode(set.encode(set.values(reading: texts))) == "4f0083f401e803002832")
    }

    @Test("columns are as long as the property says, with the last field or the whole value as Y")
    func columns() throws {
        let status = try message("sensor-series-status")
        let fields = try status.decode(try octets("6000500ad20400"))
        #expect(fields["columns"] == .columns([SensorColumn(x: [0x50], width: [0x0A], y: [0xD2, 0x04, 0x00])]))
        let whole = try status.decode(try octets("6000500ad2040050a8"))
        #expect(
            whole["columns"] == .columns([SensorColumn(x: [0x50], width: [0x0A], y: [0xD2, 0x04, 0x00, 0x50, 0xA8])])
        )
        #expect(throws: MessageDecodeError(offset: 2, field: "columns", reason: .uneven(count: 4))) {
            try status.decode(try octets("6000500ad204"))
        }
        // How long a column of an unknown property is, nobody can tell.
        #expect(throws: MessageDecodeError(offset: 2, field: "columns", reason: .nameOnly)) {
            try status.decode(try octets("3412500ad204"))
        }
    }

    @Test("the value of a property is written in its unit and read back")
    func propertyValues() throws {
        let set = try message("light-lc-property-set")
        let values = try set.decode(try octets("2b0050c300"))
        #expect(set.text(of: values) == "property=light-control-ambient-luxlevel-on value=500 lx")
        let texts = [("value", "500 lx"), ("property", "light-control-ambient-luxlevel-on")]
            .map { MessageDescription.FieldText(name: $0, text: $1) }
        #expect(try Hexadecimal.encode(set.encode(set.values(reading: texts))) == "2b0050c300")
        let setting = try message("sensor-setting-status")
        let read = try setting.decode(try octets("4d0043000328"))
        #expect(
            setting.text(of: read) == "property=presence-detected setting=motion-threshold access=read-write value=20 %"
        )
    }
}
