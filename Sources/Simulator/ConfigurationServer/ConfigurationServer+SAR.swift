import MeshCore

extension ConfigurationServer {
    /// The SAR Transmitter and SAR Receiver states.
    static let sarHandlers: [(Opcode, Handler)] = [
        on(SARTransmitterGet.self) { _, _, state in SARTransmitterStatus(state: state.foundation.sarTransmitter) },
        on(SARTransmitterSet.self) { message, _, state in
            state.foundation.sarTransmitter = message.state
            return SARTransmitterStatus(state: message.state)
        },
        on(SARReceiverGet.self) { _, _, state in SARReceiverStatus(state: state.foundation.sarReceiver) },
        on(SARReceiverSet.self) { message, _, state in
            state.foundation.sarReceiver = message.state
            return SARReceiverStatus(state: message.state)
        },
    ]
}
