import MeshCore
import Planning

/// The Gets for a node's state, and the meaning of their statuses.
struct ReadingInquiries {
    private let target: ConfigurationTarget

    /// The Gets to a node.
    init(_ target: ConfigurationTarget) {
        self.target = target
    }

    /// The Get of a reading. Its verdict is a report, or a refusal.
    func get(_ reading: NodeReading) throws(StepFailure) -> ConfigurationInquiry {
        switch reading {
        case .composition: return compositionReport()
        case .netKeys:
            return ConfigurationInquiry(ConfigNetKeyGet()) { list in
                .report(.netKeys(NetKeyIndex.meant(by: list.netKeyIndexes, known: target.netKeys.map(\.index))))
            }
        case .appKeys(let index):
            return ConfigurationInquiry(ConfigAppKeyGet(netKeyIndex: index)) { list in
                list.status == .success ? .report(.appKeys(index, meant(list.appKeyIndexes))) : .refused(list.status)
            }
        case .bindings(let model): return try bindings(of: model)
        case .subscriptions(let model): return try subscriptions(of: model)
        case .publication(let model):
            let get = ConfigModelPublicationGet(elementAddress: try target.element(model), model: model.model)
            return ConfigurationInquiry(get, answerSize: 14) { status in
                status.status == .success
                    ? .report(.publication(model, status.publishAddress, status.settings)) : .refused(status.status)
            }
        case .defaultTTL: return ConfigurationInquiry(ConfigDefaultTTLGet()) { .report(.defaultTTL($0.ttl)) }
        case .secureNetworkBeacon:
            return ConfigurationInquiry(ConfigBeaconGet()) { .report(.secureNetworkBeacon($0.isEnabled)) }
        case .networkTransmit:
            return ConfigurationInquiry(ConfigNetworkTransmitGet()) { .report(.networkTransmit($0.transmit)) }
        case .friend: return ConfigurationInquiry(ConfigFriendGet()) { .report(.friend($0.state)) }
        case .relay: return ConfigurationInquiry(ConfigRelayGet()) { .report(.relay($0.state, $0.retransmit)) }
        case .proxy: return ConfigurationInquiry(ConfigGATTProxyGet()) { .report(.proxy($0.state)) }
        case .state(let kind): return state(kind.get)
        case .page(let part): return part.question.inquiry { .report(.page($0)) }
        case .modelState(let model, let form, let key):
            return ConfigurationInquiry(form.getPayload, about: form, on: model.element, under: key) { status in
                .report(.modelState(model, form, status))
            }
        case .bridgedSubnets(let position):
            let get = BridgedSubnetsGet(
                filter: BridgedSubnetsFilter(position: .any, netKeyIndex: .primary),
                startIndex: position
            )
            return ConfigurationInquiry(get) { .report(.bridgedSubnets($0.pairs)) }
        case .bridgingTable(let pair, let position):
            let get = BridgingTableGet(subnets: pair, startIndex: position)
            return ConfigurationInquiry(get, answerSize: 63) { list in
                list.status == .success ? .report(.bridgingTable(pair, list.entries)) : .refused(list.status)
            }
        }
    }

    /// Several Gets in one Opcodes Aggregator Sequence.
    ///
    /// - Parameter answerSize: octets of its status if the node is as recorded, opcode included.
    func sequence(_ readings: [NodeReading], answerSize: Int) throws(StepFailure) -> ConfigurationInquiry {
        var gets: [ConfigurationInquiry] = []
        for reading in readings { gets.append(try get(reading)) }
        return ConfigurationInquiry(aggregating: gets, on: target.node, answerSize: answerSize)
    }

    private func meant(_ list: [AppKeyIndex]) -> [AppKeyIndex] {
        AppKeyIndex.meant(by: list, known: target.appKeys.map(\.index))
    }

    private func state(_ request: some FoundationStateRequest) -> ConfigurationInquiry {
        ConfigurationInquiry(request) { status in
            status.outcome == .success ? .report(.state(status.foundationState)) : .refused(status.outcome)
        }
    }

    private func compositionReport() -> ConfigurationInquiry {
        // Enough for a page of a node with four elements; the client waits for larger answers, too.
        ConfigurationInquiry(ConfigCompositionDataGet(page: 0), answerSize: 100) { status in
            do throws(DecodeError) {
                guard let composition = try status.composition() else {
                    return .odd(OddAnswer(.content("has another page of its composition than page 0")))
                }
                return .report(.composition(composition.withVendorModelsInOrder ?? composition))
            } catch {
                return .odd(OddAnswer(.malformed(error)))
            }
        }
    }

    private func bindings(of model: ModelAddress) throws(StepFailure) -> ConfigurationInquiry {
        let address = try target.element(model)
        if let get = ConfigSIGModelAppGet(elementAddress: address, model: model.model) {
            return ConfigurationInquiry(get) { list in
                list.status == .success ? .report(.bindings(model, meant(list.entries))) : .refused(list.status)
            }
        }
        if let get = ConfigVendorModelAppGet(elementAddress: address, model: model.model) {
            return ConfigurationInquiry(get) { list in
                list.status == .success ? .report(.bindings(model, meant(list.entries))) : .refused(list.status)
            }
        }
        throw .unmakeable("\(model.model) is neither a SIG nor a vendor model")
    }

    private func subscriptions(of model: ModelAddress) throws(StepFailure) -> ConfigurationInquiry {
        let address = try target.element(model)
        if let get = ConfigSIGModelSubscriptionGet(elementAddress: address, model: model.model) {
            return ConfigurationInquiry(get) { list in
                list.status == .success ? .report(.subscriptions(model, list.entries)) : .refused(list.status)
            }
        }
        if let get = ConfigVendorModelSubscriptionGet(elementAddress: address, model: model.model) {
            return ConfigurationInquiry(get) { list in
                list.status == .success ? .report(.subscriptions(model, list.entries)) : .refused(list.status)
            }
        }
        throw .unmakeable("\(model.model) is neither a SIG nor a vendor model")
    }
}
