internal import MeshCore

/// What the kernel does for a ``BluetoothBearer``; tests hand in their own.
package struct BluetoothSystem {
    /// Opens a raw HCI socket of the adapter with that number, which shows commands and events.
    var openHCI: (UInt16) throws(SystemError) -> Descriptor
    /// Begins to connect from an adapter to the attribute protocol of a device. Once the socket is writable,
    /// ``failure`` tells what came of it.
    var connect: (BluetoothAddress, BluetoothAddress) throws(SystemError) -> Descriptor
    /// Takes the error of a socket: 0 if there is none.
    var failure: (Descriptor) -> Int32
    /// The controller's number of a socket's connection.
    var handle: (Descriptor) -> UInt16?

    /// A system of those calls.
    init(
        openHCI: @escaping (UInt16) throws(SystemError) -> Descriptor,
        connect: @escaping (BluetoothAddress, BluetoothAddress) throws(SystemError) -> Descriptor,
        failure: @escaping (Descriptor) -> Int32,
        handle: @escaping (Descriptor) -> UInt16?
    ) {
        self.openHCI = openHCI
        self.connect = connect
        self.failure = failure
        self.handle = handle
    }
}
