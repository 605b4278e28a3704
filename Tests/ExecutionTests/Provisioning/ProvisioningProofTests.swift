import DefinitionModel
import MeshCore
import Planning
import Simulator
import Store
import TestSupport
import Testing

@testable import Execution

@Suite("What a provisioning proves")
struct ProvisioningProofTests {
    private static let full = (1...32).map { UInt8($0) }

    private static let pair: P256KeyPair = {
        var generator = SplitMix64(seed: 11)
        return P256KeyPair.random(using: &generator)
    }()

    private static func capabilities(
        _ algorithms: [ProvisioningAlgorithm],
        hasKey: Bool = false
    ) -> ProvisioningCapabilities {
        ProvisioningCapabilities(
            elementCount: 2,
            algorithms: algorithms,
            isPublicKeyAvailable: hasKey,
            isStaticValueAvailable: true
        )
    }

    /// Devices with one static value each, and a network that wants so much of them.
    private func site(
        _ devices: [[ProvisioningAlgorithm]],
        _ assurance: ProvisioningAssurance,
        value: [UInt8] = full,
        hasKey: Bool = false
    ) throws -> Commissioning {
        let value = try StaticOutOfBandValue(value)
        let site = try Commissioning(
            devices.enumerated().map { number, algorithms in
                var device = Commissioning.device(number + 1, Self.capabilities(algorithms, hasKey: hasKey))
                device.staticValue = value
                device.keyPair = hasKey ? Self.pair : nil
                return device
            }
        )
        site.adjust = { order in
            order.assurance = assurance
            order.product = ProductIdentifier(company: 0x0059, product: 3)
        }
        site.prompter.staticValue = { (_) throws(ExecutionContext.KeyError) in value }
        return site
    }

    private func problem(_ recap: Recap) -> ProvisioningProblem? {
        guard case .provisioning(let problem)? = recap.failed.first?.failure else { return nil }
        return problem
    }

    private func stages(_ site: Commissioning) -> Set<ProvisioningStage> {
        Set(
            site.events.compactMap {
                if case .provisioningStage(_, .session(let stage)) = $0 { stage } else { nil }
            }
        )
    }

    private func isUsed(_ octets: [UInt8], _ site: Commissioning) throws -> Bool {
        let value = try StaticOutOfBandValue(octets)
        return try site.network.deviceMemories[site.devices[0].uuid]?.isUsed(value) == true
    }

    @Test("A device with AES-CMAC alone is refused where it must be authenticated, before Start and with both ways out")
    func refused() throws {
        let site = try site([[.cmacAES128]], .authenticated)
        let recap = try site.apply()
        #expect(recap.provisioned == 0)
        #expect(stages(site) == [.invitation, .decision])
        let problem = try #require(self.problem(recap))
        #expect(
            problem.description.hasPrefix(
                "there is no way to authenticate the device: its answer to Static OOB under "
                    + "BTM_ECDH_P256_CMAC_AES128_AES_CCM can be made up"
            )
        )
        #expect(problem.advice.text.contains("BTM_ECDH_P256_HMAC_SHA256_AES_CCM with a static value of 32 octets"))
        #expect(problem.advice.text.contains("require: claimed"))
        #expect(try site.network.deviceMemories.isEmpty)
    }

    @Test("A device that offers its public key is refused without it, told how to give it, and accepted with it")
    func publicKey() throws {
        let site = try site([[.cmacAES128]], .authenticated, hasKey: true)
        let problem = try #require(self.problem(try site.apply()))
        #expect(problem.advice.text.hasPrefix("give its public key with the file of secrets, or name its file in the"))
        #expect(problem.advice.remedies == [.secretsFile])
        #expect(problem.advice.text.contains("; or take a product that knows"))
        site.prompter.publicKey = { (_) throws(ExecutionContext.KeyError) in Self.pair.publicKey }
        #expect(try site.apply().provisioned == 1)
        #expect(try site.node(1)?.authentication?.isPublicKeyOutOfBand == true)
    }

    @Test("A public key that is not the device's is named first where no value can be the cause, else beside the value")
    func wrongPublicKey() throws {
        var generator = SplitMix64(seed: 12)
        let other = P256KeyPair.random(using: &generator).publicKey
        for (method, words) in [
            (AuthenticationMethod.Kind.noOOB, "the public key that was given is not the device's"),
            (.staticOOB, "the value or the public key that was given is not the device's"),
        ] {
            let site = try site([[.hmacSHA256]], .authenticated, hasKey: true)
            site.prompter.publicKey = { (_) throws(ExecutionContext.KeyError) in other }
            let adjust = site.adjust
            site.adjust = { order in
                adjust(&order)
                order.method = method
            }
            let problem = try #require(self.problem(try site.apply()))
            #expect(problem.description.hasPrefix("the confirmations do not match: " + words), "\(problem)")
            #expect(problem.advice.text.contains("check the") && problem.advice.text.contains("public key"))
            #expect(!problem.canPass)
        }
        // Where no key was given, the value alone is wrong.
        let site = try site([[.hmacSHA256]], .claimed)
        site.world.setFaults(
            NodeFaults(provisioning: ProvisioningFaults(staticValue: try StaticOutOfBandValue([9]))),
            of: site.devices[0].uuid
        )
        let problem = try #require(self.problem(try site.apply()))
        #expect(problem.description.contains("the two sides do not have the same authentication value"))
    }

    @Test("A device with HMAC-SHA256 and a short value is refused for what is true of that")
    func short() throws {
        let site = try site([[.hmacSHA256]], .authenticated, value: [1, 2, 3])
        let problem = try #require(self.problem(try site.apply()))
        #expect(problem.description.contains("can be found by trying, one of 2^24 values"))
        #expect(
            problem.advice.text
                == "get a static value of 32 octets; or write `provisioning: { require: claimed }`, and whoever finds the "
                + "value can pass for the device"
        )
    }

    @Test("With HMAC-SHA256 and a full value a device is authenticated, which is stored and gives nothing away")
    func authenticated() throws {
        let site = try site([[.cmacAES128, .hmacSHA256]], .authenticated)
        let recap = try site.apply()
        #expect(recap.isComplete && recap.provisioned == 1 && recap.onlyClaimed == 0)
        #expect(recap.valuesGivenAway == [])
        let expected = NodeAuthentication(
            algorithm: .hmacSHA256,
            kind: .staticOOB,
            isPublicKeyOutOfBand: false,
            assurance: .authenticated
        )
        #expect(try site.node(1)?.authentication == expected)
        #expect(try !isUsed(Self.full, site))
        #expect(try site.network.deviceMemories[site.devices[0].uuid]?.knowsHMAC == true)
    }

    @Test(
        "What is given away under AES-CMAC is durable before Start is sent, said, and not offered again unless asked to"
    )
    func usedValue() throws {
        let site = try site([[.cmacAES128]], .claimed)
        var wasDurable: Bool?
        site.onEvent = { event in
            guard case .provisioningStage(_, .session(.publicKeyExchange)) = event else { return }
            wasDurable = try? isUsed(Self.full, site)
        }
        let recap = try site.apply()
        #expect(wasDurable == true)
        #expect(recap.isComplete && recap.onlyClaimed == 1)
        #expect(recap.valuesGivenAway == ["device-1"])
        #expect(try site.node(1)?.authentication?.assurance == .claimed)

        site.world.factoryReset(site.devices[0].uuid)
        try site.alter(1) { $0.unprovisionedSeenAt = Site.now }
        let again = try site.apply()
        #expect(again.provisioned == 0)
        let problem = try #require(self.problem(again))
        #expect(problem.description.contains("its value for Static OOB was given away before"))
        #expect(problem.advice.remedies == [.applyAgain])

        site.options.provisioning.offersUsedValues = true
        #expect(try site.apply().provisioned == 1)
    }

    @Test(
        "A wrong value is used up if it is short, and not if it fills 32 octets, which nobody tries",
        arguments: [[1, 2, 3], Array(1...32)] as [[UInt8]]
    )
    func failed(octets: [UInt8]) throws {
        let site = try site([[.hmacSHA256]], .claimed, value: octets)
        site.world.setFaults(
            NodeFaults(provisioning: ProvisioningFaults(staticValue: try StaticOutOfBandValue([9]))),
            of: site.devices[0].uuid
        )
        let recap = try site.apply()
        #expect(recap.provisioned == 0 && recap.failed.count == 1)
        // A device that notices first says so before our Random is sent, and then nothing is given away.
        let stage = try #require(problem(recap)).stage
        #expect(try isUsed(octets, site) == (octets.count < 32 && stage == .verification))
    }

    @Test("A link that is lost before our Random has left gives nothing away, and the value is offered again")
    func lostEarly() throws {
        let site = try site([[.cmacAES128]], .claimed)
        let loss = ProvisioningFaults.Misbehaviour(.linkLoss, at: .publicKeyExchange, count: 9)
        site.world.setFaults(
            NodeFaults(provisioning: ProvisioningFaults(misbehaviours: [loss])),
            of: site.devices[0].uuid
        )
        let recap = try site.apply()
        #expect(recap.provisioned == 0 && recap.valuesGivenAway == [])
        #expect(try !isUsed(Self.full, site))
        site.world.setFaults(NodeFaults(), of: site.devices[0].uuid)
        #expect(try site.apply().provisioned == 1)
    }

    @Test("A device without HMAC-SHA256 is remarked upon if it knew it before, or if its product does")
    func offersLess() throws {
        let site = try site([[.cmacAES128, .hmacSHA256], [.cmacAES128]], .claimed)
        let values = site.prompter.staticValue
        let first = site.devices[0].uuid
        site.prompter.staticValue = { (order) throws(ExecutionContext.KeyError) in
            order.uuid == first ? try values(order) : nil
        }
        #expect(try site.apply().provisioned == 1)
        func remarks() -> [ExecutionEvent] {
            site.events.filter { if case .offersLess = $0 { true } else { false } }
        }
        #expect(remarks() == [])
        site.prompter.staticValue = values
        #expect(try site.apply().provisioned == 1)
        #expect(remarks() == [.offersLess(site.devices[1].uuid, .product)])

        // The file of the product is evidence, too.
        let filed = try self.site([[.cmacAES128]], .claimed)
        let adjust = filed.adjust
        filed.adjust = { order in
            adjust(&order)
            order.productKnowsHMAC = true
        }
        #expect(try filed.apply().provisioned == 1)
        #expect(filed.events.contains(.offersLess(filed.devices[0].uuid, .productFile)))

        let single = try self.site([[.cmacAES128]], .claimed)
        let uuid = single.devices[0].uuid
        let lease = try single.database.lock(
            holder: LockHolder(user: "anna", host: "desk", process: 1, operation: "test", since: Site.now)
        )
        var changes = StoreChanges()
        changes.deviceMemories = [DeviceMemory(uuid: uuid, key: secret(1), knowsHMAC: true)]
        _ = try single.database.commit(changes, with: lease)
        lease.release()
        #expect(try single.apply().provisioned == 1)
        #expect(single.events.contains(.offersLess(uuid, .itself)))
    }
}
