/// How a model publishes, apart from the address: the five octets that publication messages share (Mesh Protocol
/// 4.3.2.16).
package struct PublicationSettings: Hashable, Sendable {
    package var appKeyIndex: AppKeyIndex
    package var usesFriendshipCredentials: Bool
    /// The TTL, 0...127, or 255 for the node's default TTL; receivers refuse other values.
    package var ttl: UInt8
    package var period: PublishPeriod
    package var retransmit: PublishRetransmit

    package init(
        appKeyIndex: AppKeyIndex,
        usesFriendshipCredentials: Bool = false,
        ttl: UInt8 = Publication.defaultTTL,
        period: PublishPeriod = .none,
        retransmit: PublishRetransmit = .none
    ) {
        self.appKeyIndex = appKeyIndex
        self.usesFriendshipCredentials = usesFriendshipCredentials
        self.ttl = ttl
        self.period = period
        self.retransmit = retransmit
    }

    package init(_ publication: Publication) {
        self.init(
            appKeyIndex: publication.appKeyIndex,
            usesFriendshipCredentials: publication.usesFriendshipCredentials,
            ttl: publication.ttl,
            period: publication.period,
            retransmit: publication.retransmit
        )
    }

    /// All zero, as the unassigned address requires.
    package static let disabled = PublicationSettings(appKeyIndex: .first, ttl: 0)

    package func publication(to address: PublishAddress) -> Publication {
        Publication(
            address: address,
            appKeyIndex: appKeyIndex,
            usesFriendshipCredentials: usesFriendshipCredentials,
            ttl: ttl,
            period: period,
            retransmit: retransmit
        )
    }
}

extension PublicationSettings: AccessField {
    package static let notation = """
        app_key_index:packed-key-index credential_flag:u1 _3 $_ttl:publish-ttl $_period_steps:u6 \
        $_period_resolution:period-resolution $_retransmit_count:u3 $_retransmit_interval:publish-interval
        """

    /// Reads AppKeyIndex in bits 0–11 and CredentialFlag in bit 12. Bits 13–15 are reserved and ignored, as section
    /// 1.3.1.1 demands. PublishTTL, PublishPeriod and PublishRetransmit follow, one octet each.
    package init(reading reader: inout ByteReader) throws(DecodeError) {
        let bits = try reader.readUInt16LittleEndian()
        appKeyIndex = try AppKeyIndex(bits: bits & 0x0FFF)
        usesFriendshipCredentials = bits & 0x1000 != 0
        ttl = try reader.readUInt8()
        guard ttl <= 0x7F || ttl == Publication.defaultTTL else {
            throw .prohibited(field: "publish TTL", value: UInt64(ttl))
        }
        period = PublishPeriod(octet: try reader.readUInt8())
        retransmit = PublishRetransmit(octet: try reader.readUInt8())
    }

    /// Appends five octets, with the reserved bits zero.
    package func write(to writer: inout ByteWriter) {
        writer.writeLittleEndian(appKeyIndex.rawValue | (usesFriendshipCredentials ? 0x1000 : 0))
        writer.write(ttl)
        writer.write(period.octet)
        writer.write(retransmit.octet)
    }
}
