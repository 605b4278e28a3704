import MeshCore

/// The states of a model within a node's row, at least one, in the order of their forms: `name | server | set server |
/// Get | status opcode | instance | instance's mask | status | mask`.
///
/// A model is `vendor 1 | identifier 2 or 4`; everything but it and the name is octets with their count.
enum ModelStateCodec {
    static func encode(_ states: [KnownModelState], into writer: inout ByteWriter) {
        writer.writeList(states) { state, writer in
            let form = state.form
            writer.writeString(form.name)
            write(form.server, into: &writer)
            write(form.setServer, into: &writer)
            for octets in [
                form.getPayload, form.statusOpcode.encoded, form.instance.octets, form.instance.mask, state.status,
                state.mask,
            ] {
                writer.writeOctets(octets)
            }
        }
    }

    static func decode(_ reader: inout ByteReader) throws(DecodeError) -> [KnownModelState] {
        let states = try reader.readList(size: 13) { (reader: inout ByteReader) throws(DecodeError) in
            try state(&reader)
        }
        guard !states.isEmpty, zip(states, states.dropFirst()).allSatisfy({ $0.form < $1.form }) else {
            throw .prohibited(field: "order of states", value: UInt64(states.count))
        }
        return states
    }

    private static func state(_ reader: inout ByteReader) throws(DecodeError) -> KnownModelState {
        let name = try reader.readString()
        let server = try model(&reader)
        let setServer = try model(&reader)
        let getPayload = try reader.readOctets()
        var opcode = ByteReader(try reader.readOctets())
        let statusOpcode = try Opcode(decoding: &opcode)
        try opcode.expectEnd()
        let instance = try reader.readOctets()
        let mask = try reader.readOctets()
        guard MaskedOctets(instance, mask: mask).mask == mask, instance.count == mask.count else {
            throw .prohibited(field: "mask of a state", value: UInt64(mask.count))
        }
        let form = ModelStateForm(
            name: name,
            server: server,
            setServer: setServer,
            getPayload: getPayload,
            statusOpcode: statusOpcode,
            instance: MaskedOctets(instance, mask: mask)
        )
        return KnownModelState(form: form, status: try reader.readOctets(), mask: try reader.readOctets())
    }

    private static func write(_ model: ModelIdentifier, into writer: inout ByteWriter) {
        writer.write(model.isVendor)
        if let company = model.company { writer.write(company) }
        writer.write(model.model)
    }

    private static func model(_ reader: inout ByteReader) throws(DecodeError) -> ModelIdentifier {
        try reader.readBool()
            ? .vendor(company: try reader.readUInt16(), model: try reader.readUInt16()) : .sig(try reader.readUInt16())
    }
}
