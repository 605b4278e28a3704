import MeshCore

/// The states of a model within a node's row, at least one, in the order of their forms: `form | status | mask`.
///
/// A form: `name | server | set server | Get | status opcode | instance | its mask | number in a register 2`.
/// The number is 0 for none.
///
/// A model is `vendor 1 | identifier 2 or 4`; everything but it and the name is octets with their count.
enum ModelStateCodec {
    static func encode(_ states: [KnownModelState], into writer: inout ByteWriter) {
        writer.writeList(states) { state, writer in
            write(state.form, into: &writer)
            writer.writeOctets(state.status)
            writer.writeOctets(state.mask)
        }
    }

    /// Values that are to be restored, at least one: `element 1 | model | form | status`.
    static func encode(_ held: [HeldState], into writer: inout ByteWriter) {
        writer.writeList(held) { state, writer in
            writer.write(state.model)
            write(state.form, into: &writer)
            writer.writeOctets(state.status)
        }
    }

    private static func write(_ form: ModelStateForm, into writer: inout ByteWriter) {
        writer.writeString(form.name)
        writer.write(form.server)
        writer.write(form.setServer)
        for octets in [form.getPayload, form.statusOpcode.encoded, form.instance.octets, form.instance.mask] {
            writer.writeOctets(octets)
        }
        writer.write(form.register ?? 0)
    }

    static func decodeHeld(_ reader: inout ByteReader) throws(DecodeError) -> [HeldState] {
        let held = try reader.readList(size: 14) { (reader: inout ByteReader) throws(DecodeError) in
            HeldState(model: try reader.readModelAddress(), form: try form(&reader), status: try reader.readOctets())
        }
        guard !held.isEmpty else { throw .prohibited(field: "values to restore", value: 0) }
        return held
    }

    static func decode(_ reader: inout ByteReader) throws(DecodeError) -> [KnownModelState] {
        let states = try reader.readList(size: 15) { (reader: inout ByteReader) throws(DecodeError) in
            try state(&reader)
        }
        guard !states.isEmpty, zip(states, states.dropFirst()).allSatisfy({ $0.form < $1.form }) else {
            throw .prohibited(field: "order of states", value: UInt64(states.count))
        }
        return states
    }

    private static func state(_ reader: inout ByteReader) throws(DecodeError) -> KnownModelState {
        let form = try form(&reader)
        return KnownModelState(form: form, status: try reader.readOctets(), mask: try reader.readOctets())
    }

    private static func form(_ reader: inout ByteReader) throws(DecodeError) -> ModelStateForm {
        let name = try reader.readString()
        let server = try reader.readModel()
        let setServer = try reader.readModel()
        let getPayload = try reader.readOctets()
        var opcode = ByteReader(try reader.readOctets())
        let statusOpcode = try Opcode(decoding: &opcode)
        try opcode.expectEnd()
        let instance = try reader.readOctets()
        let mask = try reader.readOctets()
        guard MaskedOctets(instance, mask: mask).mask == mask, instance.count == mask.count else {
            throw .prohibited(field: "mask of a state", value: UInt64(mask.count))
        }
        let number = try reader.readUInt16()
        return ModelStateForm(
            name: name,
            server: server,
            setServer: setServer,
            getPayload: getPayload,
            statusOpcode: statusOpcode,
            instance: MaskedOctets(instance, mask: mask),
            register: number == 0 ? nil : number
        )
    }
}
