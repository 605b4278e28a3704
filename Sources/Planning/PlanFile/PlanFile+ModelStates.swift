import MeshCore

extension PlanWriter {
    mutating func write(_ state: ModelState) {
        write(state.form)
        write(octets: state.setPayload)
        write(state.expected)
    }

    mutating func write(_ form: ModelStateForm) {
        write(form.name)
        write(form.server)
        write(form.setServer)
        write(octets: form.getPayload)
        write(octets: form.statusOpcode.encoded)
        write(form.instance)
    }

    mutating func write(_ state: DesiredModelState) {
        write(state.text)
        write(state.state)
    }

    private mutating func write(_ octets: MaskedOctets) {
        write(octets: octets.octets)
        write(octets: octets.mask)
    }

    private mutating func write(octets: [UInt8]) {
        write(position: octets.count)
        bytes.write(octets)
    }
}

extension PlanReader {
    mutating func modelState() throws(DecodeError) -> ModelState {
        let form = try modelStateForm()
        return ModelState(form: form, setPayload: try octets(), expected: try maskedOctets())
    }

    mutating func modelStateForm() throws(DecodeError) -> ModelStateForm {
        let name = try text()
        let server = try modelIdentifier()
        let setServer = try modelIdentifier()
        let getPayload = try octets()
        var opcode = ByteReader(try octets())
        let statusOpcode = try Opcode(decoding: &opcode)
        try opcode.expectEnd()
        return ModelStateForm(
            name: name,
            server: server,
            setServer: setServer,
            getPayload: getPayload,
            statusOpcode: statusOpcode,
            instance: try maskedOctets()
        )
    }

    mutating func desiredModelState() throws(DecodeError) -> DesiredModelState {
        DesiredModelState(text: try text(), state: try modelState())
    }

    private mutating func maskedOctets() throws(DecodeError) -> MaskedOctets {
        let octets = try octets()
        let mask = try self.octets()
        let masked = MaskedOctets(octets, mask: mask)
        guard masked.octets == octets, masked.mask == mask else {
            throw .prohibited(field: "mask of a state", value: UInt64(mask.count))
        }
        return masked
    }

    private mutating func octets() throws(DecodeError) -> [UInt8] {
        Array(try bytes.read(try position()))
    }
}
