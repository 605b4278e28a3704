package import MeshCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Why a Bluetooth connection failed or ended, in plain words.
///
/// The controller's own reason says most. Without it there is only the kernel's error number, which the kernel derives
/// from the reason (`bt_to_errno`); several reasons share one number.
package struct ConnectFailure: Hashable, Sendable {
    /// The controller's reason, if seen.
    package var reason: HCIErrorCode?
    /// The kernel's error number, 0 for an orderly end.
    package var number: Int32 = 0

    /// Whether the controller has no room for another connection.
    package var isLimit: Bool { reason.map { $0 == .connectionLimitExceeded } ?? (number == EMLINK) }

    /// The reason in plain words and how to mend it.
    ///
    /// - Parameter isOpen: whether the connection had been established.
    package func error(with peer: BluetoothAddress, isOpen: Bool) -> BearerError {
        let what = isOpen ? "the connection to \(peer) is lost" : "cannot connect to \(peer)"
        if let reason, reason != .success { return BearerError("\(what): \(reason)", hint: reason.hint) }
        let (text, hint) = words
        return BearerError("\(what): \(text)", hint: hint)
    }

    private var words: (String, Advice?) {
        if number == 0 { return ("it was ended", "connect again") }
        let code: UInt8? =
            switch number {
            case ETIMEDOUT: 0x08
            case EMLINK: 0x09
            case EALREADY: 0x0B
            case EBUSY: 0x0C
            case EHOSTDOWN: 0x3C
            case ECONNABORTED: 0x16
            case ENOMEM: 0x07
            case EIO: 0x03
            // The kernel uses this number for every reason without a number of its own. Of those, this reason is the
            // one that occurs.
            case ENOSYS: 0x3E
            case EACCES: 0x05
            case EBADE: 0x06
            case EBADRQC: 0x01
            case ELOOP: 0x17
            case ENOTCONN: 0x02
            default: nil
            }
        if let code {
            let code = HCIErrorCode(rawValue: code)
            return ("\(code)", code.hint.map { Advice($0) })
        }
        return switch number {
        case EPROTO:
            (
                "the link layers of the adapter and the device do not agree",
                "connect again; if that does not help, look for newer firmware of either"
            )
        case ECONNRESET: ("the device has ended the connection", "connect again")
        case ECONNREFUSED:
            ("the device or the adapter has no room for the connection", "try again, or choose another proxy")
        case ENETDOWN, ENODEV, EHOSTUNREACH, EADDRNOTAVAIL:
            ("the Bluetooth adapter is gone or was switched off", "look with \(command: .examine)")
        case EOPNOTSUPP, EPROTONOSUPPORT:
            ("the adapter cannot make low energy connections", "use an adapter with Bluetooth 4.0 or later")
        default: (SystemError(number: number).text, nil)
        }
    }

    /// The error when the kernel refuses to connect before it asks the controller.
    package static func refused(_ number: Int32, adapter: String) -> BearerError {
        switch number {
        case ECONNREFUSED:
            BearerError(
                "Bluetooth low energy is switched off on \(adapter)",
                hint: "switch it on with sudo btmgmt --index \(adapter.dropFirst(3)) le on"
            )
        case EACCES, EPERM:
            BearerError("the system does not allow this process to use Bluetooth", hint: "is it in a sandbox?")
        case EADDRINUSE, EBUSY:
            BearerError("another program has a connection to the device", hint: HCIErrorCode.connectionExists.hint)
        default: BearerError("cannot connect over \(adapter): \(ConnectFailure(number: number).words.0)")
        }
    }
}
