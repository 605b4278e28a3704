import MeshCore

extension PlanWriter {
    mutating func write(_ state: ModelState) {
        write(state.form)
        write(octets: state.setPayload)
        write(state.isRemoval)
        guard state.contents.isEmpty else {
            write(position: state.contents.count)
            for part in state.contents {
                bytes.write(part.element)
                write(part.state)
            }
            return
        }
        write(position: 0)
        write(state.expected)
    }

    mutating func write(_ request: HeldStateRequest) {
        write(request.state.model)
        write(request.state.form)
        write(octets: request.state.status)
        bytes.write(request.key.rawValue)
        bytes.write(request.readingKey.rawValue)
        bytes.write(request.transaction)
    }

    mutating func write(_ form: ModelStateForm) {
        write(form.name)
        write(form.server)
        write(form.setServer)
        write(octets: form.getPayload)
        write(octets: form.statusOpcode.encoded)
        write(form.instance)
        bytes.write(form.register ?? 0)
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
        try modelState(depth: 0)
    }

    /// A state, whose contents have none themselves.
    private mutating func modelState(depth: Int) throws(DecodeError) -> ModelState {
        let form = try modelStateForm()
        let payload = try octets()
        let isRemoval = try flag("removal")
        let count = try position()
        guard count > 0 else {
            return ModelState(form: form, setPayload: payload, expected: try maskedOctets(), isRemoval: isRemoval)
        }
        guard depth == 0, count <= 255, !isRemoval else {
            throw .prohibited(field: "contents of a state", value: UInt64(count))
        }
        var contents: [ElementState] = []
        for _ in 0..<count {
            let element = try bytes.readUInt8()
            contents.append(ElementState(element: element, state: try modelState(depth: 1)))
        }
        return ModelState(form: form, setPayload: payload, storing: contents)
    }

    mutating func heldStateRequest() throws(DecodeError) -> HeldStateRequest {
        let model = try model()
        let form = try modelStateForm()
        let state = HeldState(model: model, form: form, status: try octets())
        return HeldStateRequest(
            state,
            key: try keyIndex(),
            readingKey: try keyIndex(),
            transaction: try bytes.readUInt8()
        )
    }

    mutating func modelStateForm() throws(DecodeError) -> ModelStateForm {
        let name = try text()
        let server = try modelIdentifier()
        let setServer = try modelIdentifier()
        let getPayload = try octets()
        var opcode = ByteReader(try octets())
        let statusOpcode = try Opcode(decoding: &opcode)
        try opcode.expectEnd()
        let instance = try maskedOctets()
        let number = try bytes.readUInt16()
        return ModelStateForm(
            name: name,
            server: server,
            setServer: setServer,
            getPayload: getPayload,
            statusOpcode: statusOpcode,
            instance: instance,
            register: number == 0 ? nil : number
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
