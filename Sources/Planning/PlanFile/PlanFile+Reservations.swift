import MeshCore

/// Encodes reservations, in their order: the device, its kind, how many elements it has, and its fixed address if any.
/// They end a plan.
extension PlanWriter {
    mutating func write(_ reservations: [AddressReservation]) {
        write(reservations) { writer, reservation in
            writer.bytes.write(reservation.device.rawValue.bytes)
            writer.write(reservation.kind)
            writer.bytes.write(reservation.elementCount)
            writer.write(reservation.address) { $0.bytes.write($1.rawValue) }
        }
    }
}

extension PlanReader {
    mutating func reservations() throws(DecodeError) -> [AddressReservation] {
        try list { (reader) throws(DecodeError) in
            AddressReservation(
                device: try reader.uuid(),
                kind: try reader.text(),
                elementCount: try reader.bytes.readUInt8(),
                address: try reader.optional("address") { (reader) throws(DecodeError) in
                    try reader.unicastAddress()
                }
            )
        }
    }
}
