import MeshCore

// These fields follow the layout of a node, in records that have them.

extension ByteWriter {
    mutating func write(_ states: FoundationStates) {
        states.sarTransmitter.write(to: &self)
        states.sarReceiver.write(to: &self)
        write(states.isPrivateBeaconEnabled)
        write(states.randomUpdateIntervalSteps)
        write(states.isPrivateGATTProxyEnabled)
        write(states.onDemandPrivateProxySeconds)
        write(states.isSubnetBridgeEnabled)
        write(list: states.bridgingTable) { $1.write(to: &$0) }
        write(list: states.solicitationReplay.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(entry.key.rawValue)
            writer.write(entry.value)
        }
        write(list: states.compositionPages.sorted { $0.key < $1.key }) { writer, page in
            writer.write(page.key)
            writer.write(list: page.value) { $0.write($1) }
        }
    }
}

extension ByteReader {
    mutating func readFoundationStates() throws(DecodeError) -> FoundationStates {
        var states = FoundationStates()
        states.sarTransmitter = try SARTransmitterState(reading: &self)
        states.sarReceiver = try SARReceiverState(reading: &self)
        states.isPrivateBeaconEnabled = try readFlag()
        states.randomUpdateIntervalSteps = try readUInt8()
        states.isPrivateGATTProxyEnabled = try readFlag()
        states.onDemandPrivateProxySeconds = try readUInt8()
        states.isSubnetBridgeEnabled = try readFlag()
        states.bridgingTable = try readList { reader throws(DecodeError) in
            try BridgingTableEntry(reading: &reader)
        }
        for _ in 0..<(try readUInt16()) {
            let source = try readUnicastAddress()
            states.solicitationReplay[source] = try readUInt32()
        }
        for _ in 0..<(try readUInt16()) {
            let page = try readUInt8()
            states.compositionPages[page] = try readList { reader throws(DecodeError) in try reader.readUInt8() }
        }
        return states
    }
}
