import MeshCore

/// The system calls of a ``BluetoothBearer``; tests pass their own.
package struct BluetoothSystem {
    /// Opens a raw HCI socket of the adapter with that number; it shows commands and events.
    var openHCI: (UInt16) throws(SystemError) -> Descriptor
    /// Begins to connect from an adapter to the attribute protocol of a device. Once the socket is writable,
    /// ``failure`` says whether that worked.
    var connect: (BluetoothAddress, BluetoothAddress) throws(SystemError) -> Descriptor
    /// Takes the pending error of a socket; 0 if there is none.
    var failure: (Descriptor) -> Int32
    /// The controller's handle for a socket's connection.
    var handle: (Descriptor) -> UInt16?

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
