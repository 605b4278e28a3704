#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
#if canImport(CBluetooth)
// See Sockets.swift: in whole-module builds these types may count as this module's own.
import CBluetooth
#endif

/// Where a connection comes from, as far as the network tells: an address, and the networks around it. Whoever has one
/// address of IPv6 usually has a whole /64 of them, and a provider or a cloud has more.
struct Origin: Hashable {
    /// The octets of the address: 4, 16, or none for a local process.
    let octets: [UInt8]

    /// The address with these octets. One of IPv4 inside IPv6 is one of IPv4.
    init(octets: [UInt8]) {
        let isMapped = octets.count == 16 && octets[..<10].allSatisfy { $0 == 0 } && octets[10..<12] == [0xFF, 0xFF]
        self.octets = isMapped ? Array(octets[12...]) : octets
    }

    /// The networks that hold the address, the largest first, and the address itself.
    var networks: [Origin] {
        switch octets.count {
        case 4: [2, 3, 4].map { Origin(prefix: octets, $0) }
        case 16: [6, 8, 16].map { Origin(prefix: octets, $0) }
        default: [self]
        }
    }

    private init(prefix octets: [UInt8], _ count: Int) {
        // Networks of different sizes and families differ in the number of octets.
        self.octets = Array(octets.prefix(count)) + [UInt8](repeating: 0, count: octets.count == 16 ? 1 : 0)
    }

    /// Where the other end of a socket is.
    init(of descriptor: Descriptor) {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let octets = withUnsafeMutablePointer(to: &storage) { pointer -> [UInt8] in
            let result = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor.number, $0, &size)
            }
            guard result == 0 else { return [] }
            let bytes = UnsafeRawBufferPointer(start: pointer, count: MemoryLayout<sockaddr_storage>.size)
            // Behind family and port, and in IPv6 the flow label.
            return switch Int32(pointer.pointee.ss_family) {
            case AF_INET: Array(bytes[4..<8])
            case AF_INET6: Array(bytes[8..<24])
            default: []
            }
        }
        self.init(octets: octets)
    }
}
