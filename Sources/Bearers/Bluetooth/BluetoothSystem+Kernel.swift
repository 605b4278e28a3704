#if canImport(CBluetooth)
import CBluetooth
import Glibc
import MeshCore
#else
import Darwin
#endif

#if canImport(CBluetooth)

extension BluetoothSystem {
    /// The real system calls.
    package static var kernel: BluetoothSystem {
        BluetoothSystem(
            openHCI: { number throws(SystemError) in
                let descriptor = meshplan_hci_open(number)
                guard descriptor >= 0 else { throw .last }
                return Descriptor(adopting: descriptor)
            },
            connect: { own, peer throws(SystemError) in
                var isInProgress: Int32 = 0
                // The kernel numbers LE address types from 1; 0 is BR/EDR.
                let descriptor = meshplan_l2cap_connect(
                    own.littleEndian,
                    own.kind.rawValue + 1,
                    peer.littleEndian,
                    peer.kind.rawValue + 1,
                    &isInProgress
                )
                guard descriptor >= 0 else { throw .last }
                return Descriptor(adopting: descriptor)
            },
            failure: { descriptor in
                var code: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                return getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno
            },
            handle: { descriptor in UInt16(exactly: meshplan_l2cap_handle(descriptor.number)) }
        )
    }
}
#else
// Linux error numbers that this system does not have. The values match no real error number.
let EBADE: Int32 = -1
let EBADRQC: Int32 = -2
let EBADFD: Int32 = -3

extension BluetoothSystem {
    /// A system without Bluetooth that this program can use.
    package static var kernel: BluetoothSystem {
        BluetoothSystem(
            openHCI: { _ throws(SystemError) in throw SystemError(number: EAFNOSUPPORT) },
            connect: { _, _ throws(SystemError) in throw SystemError(number: EAFNOSUPPORT) },
            failure: { _ in 0 },
            handle: { _ in nil }
        )
    }
}
#endif
