import MeshCore
import TestSupport
import Testing

@testable import Bearers

@Suite("AdvertisingData")
struct AdvertisingDataTests {
    // 8.4.2, 8.5, 8.6 and 8.15 of the sample data in the Mesh Protocol specification.
    private static let uri = "1B 24 172f2f7777772e6578616d706c652e636f6d2f6d657368757269"
    private static let provisioning = "15 16 2718 70cf7c9732a345b691494810d2e9cbf4 2040"
    private static let solicitation = "15 16 5918 00743abfe811ce29352563afe281ff9497ef"

    private static let device = ProvisioningAdvertisement(
        uuid: DeviceUUID(rawValue: Octets16(high: 0x70cf_7c97_32a3_45b6, low: 0x9149_4810_d2e9_cbf4)),
        oobInformation: 0x4020
    )

    @Test(
        "proxies advertise in four ways",
        arguments: [
            ("0c 16 2818 003ecaff672f673370", .networkID(0x3eca_ff67_2f67_3370)),
            (
                "14 16 2818 0100861765aefcc57b34ae608fbbc1f2c6",
                .nodeIdentity(hash: 0x0086_1765_aefc_c57b, random: 0x34ae_608f_bbc1_f2c6)
            ),
            (
                "14 16 2818 02d30f7229ef04543534ae608fbbc1f2c6",
                .privateNetworkIdentity(hash: 0xd30f_7229_ef04_5435, random: 0x34ae_608f_bbc1_f2c6)
            ),
            (
                "14 16 2818 032c64a8cbca65bfe134ae608fbbc1f2c6",
                .privateNodeIdentity(hash: 0x2c64_a8cb_ca65_bfe1, random: 0x34ae_608f_bbc1_f2c6)
            ),
        ] as [(String, ProxyAdvertisement)]
    )
    func proxies(structure: String, advertisement: ProxyAdvertisement) {
        // Flags and the list of services stand in front, as in 7.2.2.2.
        let data = AdvertisingData(hex("02 01 06 03 03 2818" + structure))
        #expect(data.content == .proxy(advertisement))
        #expect(data.malformed == 0)
        #expect(!data.isSolicitation)
    }

    @Test("devices without a network advertise who they are, and perhaps a URI")
    func devices() {
        #expect(
            AdvertisingData(hex("02 01 06 03 03 2718" + Self.provisioning)).content
                == .unprovisioned(Self.device, uriHash: nil)
        )
        for text in [Self.provisioning + Self.uri, Self.uri + "02 0A 04" + Self.provisioning] {
            #expect(AdvertisingData(hex(text)).content == .unprovisioned(Self.device, uriHash: 0xd36b_25b8))
        }
        let alone = AdvertisingData(hex(Self.uri))
        #expect(alone.content == nil)
        #expect(alone.uriHash == 0xd36b_25b8)
    }

    @Test("who asks proxies to advertise is nobody to connect to")
    func solicitation() {
        let data = AdvertisingData(hex("02 01 06 03 03 5918" + Self.solicitation))
        #expect(data.isSolicitation)
        #expect(data.content == nil)
        #expect(data.malformed == 0)
    }

    @Test("a length of 0 ends the data, a length beyond the end too, which is counted")
    func ends() {
        #expect(AdvertisingData(hex("00" + Self.provisioning)).content == nil)
        #expect(
            AdvertisingData(hex(Self.provisioning + "000000000000")).content
                == .unprovisioned(Self.device, uriHash: nil)
        )
        for tail in ["01", "1B 24 17", "FF", "02 01"] {
            let data = AdvertisingData(hex(Self.provisioning + tail))
            #expect(data.content == .unprovisioned(Self.device, uriHash: nil))
            #expect(data.malformed == 1)
        }
        #expect(AdvertisingData([]).malformed == 0)
        #expect(AdvertisingData([1, 9]).malformed == 0, "a structure without data")
    }

    @Test("what breaks its form is counted, and what is good besides is taken")
    func malformed() {
        let broken = [
            // Too short, too long, an unknown identification type, no room for a UUID, an empty URI.
            "14 16 2718 70cf7c9732a345b691494810d2e9cbf4 20", "16 16 2718 70cf7c9732a345b691494810d2e9cbf4 2040 00",
            "0c 16 2818 043ecaff672f673370", "0d 16 2818 003ecaff672f67337000", "03 16 2818", "02 16 28", "01 16",
            "01 24",
        ]
        for text in broken {
            let data = AdvertisingData(hex(text))
            #expect(data.content == nil, "\(text)")
            #expect(data.malformed == 1, "\(text)")
            let together = AdvertisingData(hex(text + Self.provisioning))
            #expect(together.content == .unprovisioned(Self.device, uriHash: nil))
        }
        // The service of somebody else.
        #expect(AdvertisingData(hex("0c 16 2918 003ecaff672f673370")) == AdvertisingData([]))
    }

    @Test("of several the first counts")
    func several() {
        let data = AdvertisingData(hex(Self.provisioning + "0c 16 2818 003ecaff672f673370" + "02 24 01" + Self.uri))
        #expect(
            data.content
                == .unprovisioned(
                    Self.device,
                    uriHash: UnprovisionedDeviceBeacon.hash(ofURI: [1] as [UInt8])
                )
        )
    }

    @Test("any octets can be read", arguments: propertySeeds(20))
    func random(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let sample = hex("02 01 06" + Self.provisioning + Self.uri + "0c 16 2818 003ecaff672f673370")
        var found = 0
        for _ in 0..<2_000 {
            var octets = sample
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let place = Int.random(in: 0..<octets.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: octets[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: octets.remove(at: place)
                default: octets.insert(UInt8.random(in: 0...32, using: &generator), at: place)
                }
            }
            let data = AdvertisingData(octets)
            #expect(data.malformed <= octets.count)
            if data.content != nil { found += 1 }
        }
        #expect(found > 200)
    }
}

@Suite("AdvertisementAssembler")
struct AdvertisementAssemblerTests {
    private static let hash: UInt32 = 0xd36b_25b8
    private static let uri = AdvertisingData(hex("1B 24 172f2f7777772e6578616d706c652e636f6d2f6d657368757269"))
    private static let device = AdvertisingData(hex("15 16 2718 70cf7c9732a345b691494810d2e9cbf4 2040"))
    private static let proxy = AdvertisingData(hex("0c 16 2818 003ecaff672f673370"))
    private static let nothing = AdvertisingData(hex("02 01 06"))

    private static func advertiser(_ number: Int) -> AdvertiserIdentifier {
        AdvertiserIdentifier(rawValue: [UInt8(number & 0xFF), UInt8(number >> 8)])
    }

    private static func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

    /// The hash of a device without a network, nil for anything else.
    private static func hash(_ advertisement: Advertisement?) -> UInt32? {
        guard case .unprovisioned(_, let hash)? = advertisement?.content else { return nil }
        return hash
    }

    @Test("advertising data and scan response become one, whichever comes first")
    func both() {
        for order in [[Self.device, Self.uri], [Self.uri, Self.device]] {
            var assembler = AdvertisementAssembler()
            var heard: [Advertisement?] = []
            for _ in 0..<2 {
                for data in order {
                    heard.append(assembler.receive(data, from: Self.advertiser(1), signal: -60, at: Self.at(1)))
                }
            }
            let known = heard.compactMap { $0 }
            #expect(Self.hash(known.last) == Self.hash)
            #expect(known.allSatisfy { $0.signal == -60 && $0.advertiser == Self.advertiser(1) })
            // Service data is told each time, the URI once.
            #expect(known.count == (order[0] == Self.device ? 3 : 2))
            #expect(assembler.count == 1)
        }
    }

    @Test("a URI belongs to its own address, and not for ever")
    func apart() {
        var assembler = AdvertisementAssembler(lifetime: .seconds(10))
        #expect(assembler.receive(Self.uri, from: Self.advertiser(1), signal: nil, at: Self.at(0)) == nil)
        let other = assembler.receive(Self.device, from: Self.advertiser(2), signal: nil, at: Self.at(0))
        #expect(other?.content == Self.device.content)
        let inTime = assembler.receive(Self.device, from: Self.advertiser(1), signal: nil, at: Self.at(9))
        #expect(Self.hash(inTime) == Self.hash)
        let later = assembler.receive(Self.device, from: Self.advertiser(1), signal: nil, at: Self.at(19))
        #expect(later?.content == Self.device.content, "after ten silent seconds nothing is known")
    }

    @Test("a device that has come into a network is a proxy at once")
    func provisioned() {
        var assembler = AdvertisementAssembler()
        for data in [Self.device, Self.uri] {
            _ = assembler.receive(data, from: Self.advertiser(1), signal: -50, at: Self.at(0))
        }
        let heard = assembler.receive(Self.proxy, from: Self.advertiser(1), signal: -51, at: Self.at(1))
        #expect(
            heard
                == Advertisement(
                    advertiser: Self.advertiser(1),
                    content: .proxy(.networkID(0x3eca_ff67_2f67_3370)),
                    signal: -51
                )
        )
        #expect(assembler.receive(Self.uri, from: Self.advertiser(1), signal: -51, at: Self.at(1)) == nil)
    }

    @Test("addresses with nothing to say take no room, and those that have, no more than there is")
    func room() {
        var assembler = AdvertisementAssembler(capacity: 100)
        for number in 0..<5_000 {
            #expect(assembler.receive(Self.nothing, from: Self.advertiser(number), signal: 0, at: Self.at(0)) == nil)
        }
        #expect(assembler.count == 0)
        for number in 0..<5_000 {
            let time = Instant(microseconds: Int64(number))
            _ = assembler.receive(Self.uri, from: Self.advertiser(number), signal: 0, at: time)
            #expect(assembler.count <= 100)
        }
        // Whoever was heard last is still known.
        let last = assembler.receive(Self.device, from: Self.advertiser(4_999), signal: 0, at: Self.at(1))
        #expect(Self.hash(last) == Self.hash)
        let first = assembler.receive(Self.device, from: Self.advertiser(0), signal: 0, at: Self.at(1))
        #expect(first?.content == Self.device.content)
        // After silence all make room.
        _ = assembler.receive(Self.uri, from: Self.advertiser(7_000), signal: 0, at: Self.at(100))
        #expect(assembler.count <= 100)
        var one = AdvertisementAssembler(capacity: 0)
        for number in 0..<10 { _ = one.receive(Self.uri, from: Self.advertiser(number), signal: 0, at: Self.at(0)) }
        #expect(one.count == 1)
    }
}
