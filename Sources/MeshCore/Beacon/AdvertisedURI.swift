/// A URI in advertising data (Core Specification Supplement, Part A, 1.18): the code point of the scheme in UTF-8, then
/// the rest of the URI.
package enum AdvertisedURI {
    /// The code points of the schemes that devices use (Assigned Numbers 2.7). Any other scheme is written out after
    /// U+0001.
    private static let schemes: [(prefix: String, code: UInt8)] = [("http:", 0x16), ("https:", 0x17)]
    private static let noScheme: UInt8 = 0x01

    /// The octets of a URI. Schemes are compared without regard to case, as RFC 3986, 3.1 demands.
    package static func encode(_ uri: String) -> [UInt8] {
        let octets = Array(uri.utf8)
        for (prefix, code) in schemes where octets.count >= prefix.utf8.count {
            let scheme = octets.prefix(prefix.utf8.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            if scheme.elementsEqual(prefix.utf8) { return [code] + octets.dropFirst(prefix.utf8.count) }
        }
        return [noScheme] + octets
    }
}

extension UnprovisionedDeviceBeacon {
    /// The hash of a URI that a device advertises, in the form that ``AdvertisedURI`` gives it.
    package static func hash(ofURI uri: String) -> UInt32 { hash(ofURI: AdvertisedURI.encode(uri)) }
}
