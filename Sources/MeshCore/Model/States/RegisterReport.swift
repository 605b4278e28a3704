/// What the status of a register of numbers says, such as that of the scenes of an element (Mesh Model 5.2.2.7).
package struct RegisterReport: Hashable, Sendable {
    /// How the request went; 0 is success.
    package let status: UInt8
    /// The number that is current; 0 for none.
    package let current: UInt16
    /// The numbers in the register, in the order of the message.
    package let numbers: [UInt16]

    /// Reads the parameters of a status; nil if they are none.
    package init?(_ parameters: [UInt8]) {
        var reader = ByteReader(parameters)
        guard parameters.count >= 3, parameters.count % 2 == 1, let status = try? reader.readUInt8(),
            let current = try? reader.readUInt16LittleEndian()
        else { return nil }
        var numbers: [UInt16] = []
        while !reader.isAtEnd, let number = try? reader.readUInt16LittleEndian() { numbers.append(number) }
        self.status = status
        self.current = current
        self.numbers = numbers
    }
}

/// The values that a record of a state in a register says were stored.
package struct StoredContents: Hashable, Sendable {
    /// One value: the message that sets it, on an element.
    package struct Part: Hashable, Sendable {
        /// The element, counted from the primary one.
        package let element: UInt8
        /// Opcode and parameters.
        package let setPayload: [UInt8]
    }

    /// The values in the order in which they were set.
    package let parts: [Part]

    /// Reads ``Swift/Array/storedOctets``.
    package init(_ octets: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(octets)
        let count = try reader.readUInt8()
        var parts: [Part] = []
        for _ in 0..<count {
            let element = try reader.readUInt8()
            let length = try reader.readUInt8()
            parts.append(Part(element: element, setPayload: Array(try reader.read(Int(length)))))
        }
        try reader.expectEnd()
        self.parts = parts
    }
}
