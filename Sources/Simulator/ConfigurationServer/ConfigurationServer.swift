package import MeshCore

/// The Configuration Server model and the other foundation models that use the DeviceKey, as a function: a request and
/// a node's state give an answer and the node's new state (Mesh Protocol 4.4).
///
/// It answers all messages of Mesh Protocol 1.0.1, and those of 1.1 for models of the primary element. It ignores
/// malformed, prohibited and unknown messages, as nodes do.
package struct ConfigurationServer: Sendable {
    package var limits: NodeLimits
    /// Whether models that extend each other on one element share one subscription list.
    package var sharesSubscriptionLists: Bool
    /// How the node deviates from others.
    package var quirks: Set<DeviceQuirk>

    package init(
        limits: NodeLimits = NodeLimits(),
        sharesSubscriptionLists: Bool = false,
        quirks: Set<DeviceQuirk> = []
    ) {
        self.limits = limits
        self.sharesSubscriptionLists = sharesSubscriptionLists
        self.quirks = quirks
    }

    /// Answers a request, which was secured with the node's DeviceKey.
    ///
    /// - Parameters:
    ///   - payload: opcode and parameters.
    ///   - netKeyIndex: the subnet that the request came through.
    ///   - state: the node's state; changed as the request demands.
    ///   - refusal: the status to answer instead of acting, if the answer has a status.
    /// - Returns: the access payload of the answer; nil if there is none.
    package func respond(
        to payload: [UInt8],
        through netKeyIndex: NetKeyIndex,
        state: inout NodeConfigurationState,
        refusal: ConfigStatusCode? = nil
    ) -> [UInt8]? {
        respond(to: payload, through: netKeyIndex, state: &state) { _ in refusal }
    }

    /// The same, with a refusal for each opcode, because one message may hold several requests.
    func respond(
        to payload: [UInt8],
        through netKeyIndex: NetKeyIndex,
        state: inout NodeConfigurationState,
        refusal: (Opcode) -> ConfigStatusCode?
    ) -> [UInt8]? {
        var reader = ByteReader(payload)
        guard let opcode = try? Opcode(decoding: &reader) else { return nil }
        let parameters = reader.readRest()
        guard opcode == OpcodesAggregatorSequence.opcode else {
            let outcome = handle(opcode, parameters, through: netKeyIndex, state: &state, refusal: refusal(opcode))
            guard case .handled(let answer) = outcome else { return nil }
            return answer
        }
        guard state.hasPrimary(.opcodesAggregatorServer),
            let sequence = try? OpcodesAggregatorSequence(parameters: parameters)
        else { return nil }
        let isPrimary = sequence.elementAddress == state.address
        let status = OpcodesAggregator.status(of: sequence, elements: state.addresses) { opcode, parameters in
            guard isPrimary, Self.serves(opcode, state) else {
                // The model is there, but it does not use the DeviceKey.
                let element = Int(sequence.elementAddress.rawValue) - Int(state.address.rawValue)
                let isKnown = ApplicationModels.model(for: opcode, on: element, of: state) != nil
                return .refused(isKnown ? .wrongAccessKey : .wrongOpcode)
            }
            return handle(opcode, parameters, through: netKeyIndex, state: &state, refusal: refusal(opcode))
        }
        return status.encoded
    }

    /// Handles one request for the primary element.
    private func handle(
        _ opcode: Opcode,
        _ parameters: ArraySlice<UInt8>,
        through netKeyIndex: NetKeyIndex,
        state: inout NodeConfigurationState,
        refusal: ConfigStatusCode?
    ) -> OpcodesAggregator.Outcome {
        guard Self.serves(opcode, state), let entry = Self.handlers[opcode] else { return .refused(.wrongOpcode) }
        guard !quirks.contains(.silent(opcode)) else { return .handled(nil) }
        let request = Request(server: self, netKeyIndex: netKeyIndex, refusal: refusal)
        do throws(DecodeError) {
            return .handled(asQuirks(try entry.handler(parameters, request, &state), to: opcode))
        } catch { return .refused(.messageNotUnderstood) }
    }

    /// Whether the primary element of a node has a model that takes a message under the DeviceKey.
    static func serves(_ opcode: Opcode, _ state: NodeConfigurationState) -> Bool {
        guard let entry = handlers[opcode] else { return false }
        return entry.model.map(state.hasPrimary) ?? true
    }

    /// The context of a request that a handler needs beside the message.
    struct Request: Sendable {
        let server: ConfigurationServer
        let netKeyIndex: NetKeyIndex
        let refusal: ConfigStatusCode?

        /// Acts on the state, unless the request must be refused.
        func act(
            on state: inout NodeConfigurationState,
            _ action: (inout NodeConfigurationState) -> ConfigStatusCode
        ) -> ConfigStatusCode {
            refusal ?? action(&state)
        }

        /// Acts on a model, unless the node does not have it or the request must be refused.
        func act(
            on state: inout NodeConfigurationState,
            _ address: UnicastAddress,
            _ model: ModelIdentifier,
            _ action: (inout NodeConfigurationState, NodeConfigurationState.ModelPosition) -> ConfigStatusCode
        ) -> ConfigStatusCode {
            if let refusal { return refusal }
            do throws(NodeConfigurationState.Refusal) {
                return action(&state, try state.position(address, model))
            } catch {
                return error.status
            }
        }
    }

    typealias Handler =
        @Sendable (ArraySlice<UInt8>, Request, inout NodeConfigurationState) throws(DecodeError) ->
        [UInt8]

    /// The handler of a message, and the model that it needs. The Configuration Server is always there.
    private struct Entry: Sendable {
        let model: ModelIdentifier?
        let handler: Handler
    }

    private static let handlers: [Opcode: Entry] = {
        let configuration = keyHandlers + modelHandlers + publicationHandlers + nodeHandlers + heartbeatHandlers
        let others: [(ModelIdentifier, [(Opcode, Handler)])] = [
            (.sarConfigurationServer, sarHandlers),
            (.privateBeaconServer, privateBeaconHandlers),
            (.onDemandPrivateProxyServer, onDemandPrivateProxyHandlers),
            (.largeCompositionDataServer, largeCompositionHandlers),
            (.bridgeConfigurationServer, bridgeHandlers),
        ]
        var table: [Opcode: Entry] = [:]
        for (opcode, handler) in configuration { table[opcode] = Entry(model: nil, handler: handler) }
        for (model, handlers) in others {
            for (opcode, handler) in handlers { table[opcode] = Entry(model: model, handler: handler) }
        }
        return table
    }()

    /// The entry of a message in the table of handlers.
    static func on<Message: AcknowledgedMessage>(
        _: Message.Type,
        _ answer:
            @escaping @Sendable (Message, Request, inout NodeConfigurationState) throws(DecodeError) -> Message.Status
    ) -> (Opcode, Handler) {
        (
            Message.opcode,
            { (parameters, request, state) throws(DecodeError) in
                try answer(try Message(parameters: parameters), request, &state).encoded
            }
        )
    }
}

extension ConfigurationServer {
    /// The largest access payload, opcode included (Mesh Protocol 3.7.3).
    static let longestPayload = 380

    /// Composition Data pages and models metadata in parts.
    static let largeCompositionHandlers: [(Opcode, Handler)] = [
        on(LargeCompositionDataGet.self) { message, _, state in
            let (page, data) = state.compositionPage(message.page)
            let (size, part) = part(of: data, from: message.offset)
            return LargeCompositionDataStatus(page: page, offset: message.offset, totalSize: size, data: part)
        },
        on(ModelsMetadataGet.self) { message, _, state in
            let (size, part) = part(of: state.modelsMetadata, from: message.offset)
            return ModelsMetadataStatus(page: 0, offset: message.offset, totalSize: size, data: part)
        },
    ]

    /// The size of a page, and the part from an offset on that fits a message. Opcode (2), page (1), offset (2) and
    /// size (2) come before the part.
    private static func part(of page: [UInt8], from offset: UInt16) -> (UInt16, [UInt8]) {
        let page = page.prefix(0xFFFF)
        return (UInt16(page.count), Array(page.dropFirst(Int(offset)).prefix(longestPayload - 7)))
    }
}

extension NodeConfigurationState {
    /// The requested page. If the node does not have it, the page with the next lower number; page 0 always exists
    /// (4.4.1.2.3).
    func compositionPage(_ page: UInt8) -> (page: UInt8, data: [UInt8]) {
        let given = foundation.compositionPages.filter { $0.key > 0 && $0.key <= page }.max { $0.key < $1.key }
        if let given { return (given.key, given.value) }
        return (0, composition.page0Bytes ?? compositionPage0)
    }

    /// Models Metadata page 0 (4.2.50.1): for each element the numbers of SIG and vendor models, then each model with a
    /// count of zero metadata items. The octets are as in Composition Data page 0.
    fileprivate var modelsMetadata: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        for element in composition.elements {
            let sig = element.models.filter { !$0.isVendor }.prefix(255)
            let vendor = element.models.filter(\.isVendor).prefix(255)
            writer.write(UInt8(sig.count))
            writer.write(UInt8(vendor.count))
            for model in sig + vendor {
                model.write(to: &writer)
                writer.write(UInt8(0))
            }
        }
        return writer.bytes
    }
}

extension ConfigurationServer {
    /// Heartbeat publication and subscription.
    static let heartbeatHandlers: [(Opcode, Handler)] = [
        on(ConfigHeartbeatPublicationGet.self) { _, request, state in
            ConfigHeartbeatPublicationStatus(
                status: request.refusal ?? .success,
                settings: state.heartbeatPublication
            )
        },
        on(ConfigHeartbeatPublicationSet.self) { message, request, state in
            let status = request.act(on: &state) { $0.setHeartbeatPublication(message.settings) }
            return ConfigHeartbeatPublicationStatus(
                status: status,
                settings: status == .success ? state.heartbeatPublication : message.settings
            )
        },
        on(ConfigHeartbeatSubscriptionGet.self) { _, request, state in
            state.heartbeatSubscriptionStatus(request.refusal ?? .success, state.heartbeatSubscription)
        },
        on(ConfigHeartbeatSubscriptionSet.self) { message, request, state in
            let status = request.act(on: &state) { $0.setHeartbeatSubscription(message.settings) }
            return state.heartbeatSubscriptionStatus(
                status,
                status == .success ? state.heartbeatSubscription : message.settings
            )
        },
    ]
}

extension NodeConfigurationState {
    fileprivate mutating func setHeartbeatPublication(_ settings: HeartbeatPublicationSettings) -> ConfigStatusCode {
        guard settings.destination.kind != .virtual else { return .invalidAddress }
        guard netKey(settings.netKeyIndex) != nil else { return .invalidNetKeyIndex }
        heartbeatPublication = settings
        heartbeatPublication.features.formIntersection([.relay, .proxy, .friend, .lowPower])
        if settings.destination == .unassigned {
            // Without a destination the node publishes nothing, so nothing is left to count (4.2.18.1).
            heartbeatPublication.countLog = .off
            heartbeatPublication.periodLog = .off
        }
        heartbeats.beginPublication(heartbeatPublication.countLog)
        return .success
    }

    fileprivate mutating func setHeartbeatSubscription(_ settings: HeartbeatSubscriptionSettings) -> ConfigStatusCode {
        switch settings.destination.kind {
        case .virtual: return .invalidAddress
        case .unicast where settings.destination != address.address: return .invalidAddress
        default: break
        }
        let isOff = settings.source == nil || settings.destination == .unassigned
        heartbeatSubscription = isOff ? .off : settings
        heartbeats.beginSubscription()
        return .success
    }

    fileprivate func heartbeatSubscriptionStatus(
        _ status: ConfigStatusCode,
        _ settings: HeartbeatSubscriptionSettings
    ) -> ConfigHeartbeatSubscriptionStatus {
        ConfigHeartbeatSubscriptionStatus(
            status: status,
            settings: settings,
            countLog: heartbeats.countLog,
            minimumHops: settings.source == nil ? 0 : heartbeats.minimumHops,
            maximumHops: heartbeats.maximumHops
        )
    }
}

extension ConfigurationServer {
    /// NetKeys, AppKeys, key refresh and Node Identity.
    static let keyHandlers: [(Opcode, Handler)] = [
        on(ConfigNetKeyAdd.self) { message, request, state in
            let status = request.act(on: &state) {
                $0.addNetKey(message.netKeyIndex, message.key, limit: request.server.limits.netKeys)
            }
            return ConfigNetKeyStatus(status: status, netKeyIndex: message.netKeyIndex)
        },
        on(ConfigNetKeyUpdate.self) { message, request, state in
            let status = request.act(on: &state) { $0.updateNetKey(message.netKeyIndex, message.key) }
            return ConfigNetKeyStatus(status: status, netKeyIndex: message.netKeyIndex)
        },
        on(ConfigNetKeyDelete.self) { message, request, state in
            let status = request.act(on: &state) {
                $0.deleteNetKey(
                    message.netKeyIndex,
                    requestKey: request.netKeyIndex,
                    keepsBindings: request.server.quirks.contains(.keepsBindings)
                )
            }
            return ConfigNetKeyStatus(status: status, netKeyIndex: message.netKeyIndex)
        },
        on(ConfigNetKeyGet.self) { _, _, state in
            ConfigNetKeyList(netKeyIndexes: state.netKeys.map(\.index))
        },
        on(ConfigAppKeyAdd.self) { message, request, state in
            let status = request.act(on: &state) {
                $0.addAppKey(
                    message.appKeyIndex,
                    boundTo: message.netKeyIndex,
                    message.key,
                    limit: request.server.limits.appKeys
                )
            }
            return ConfigAppKeyStatus(
                status: status,
                netKeyIndex: message.netKeyIndex,
                appKeyIndex: message.appKeyIndex
            )
        },
        on(ConfigAppKeyUpdate.self) { message, request, state in
            let status = request.act(on: &state) {
                $0.updateAppKey(message.appKeyIndex, boundTo: message.netKeyIndex, message.key)
            }
            return ConfigAppKeyStatus(
                status: status,
                netKeyIndex: message.netKeyIndex,
                appKeyIndex: message.appKeyIndex
            )
        },
        on(ConfigAppKeyDelete.self) { message, request, state in
            let status = request.act(on: &state) {
                $0.deleteAppKey(
                    message.appKeyIndex,
                    boundTo: message.netKeyIndex,
                    keepsBindings: request.server.quirks.contains(.keepsBindings)
                )
            }
            return ConfigAppKeyStatus(
                status: status,
                netKeyIndex: message.netKeyIndex,
                appKeyIndex: message.appKeyIndex
            )
        },
        on(ConfigAppKeyGet.self) { message, request, state in
            let status = request.refusal ?? (state.netKey(message.netKeyIndex) == nil ? .invalidNetKeyIndex : .success)
            return ConfigAppKeyList(
                status: status,
                netKeyIndex: message.netKeyIndex,
                appKeyIndexes: status == .success
                    ? state.appKeys.filter { $0.boundNetKey == message.netKeyIndex }.map(\.index) : []
            )
        },
    ]
}

extension ConfigurationServer {
    /// Private beacons, private GATT proxy and private node identity.
    static let privateBeaconHandlers: [(Opcode, Handler)] = [
        on(PrivateBeaconGet.self) { _, _, state in state.privateBeaconStatus },
        on(PrivateBeaconSet.self) { message, _, state in
            state.foundation.isPrivateBeaconEnabled = message.isEnabled
            if let steps = message.randomUpdateIntervalSteps { state.foundation.randomUpdateIntervalSteps = steps }
            return state.privateBeaconStatus
        },
        on(PrivateGATTProxyGet.self) { _, _, state in PrivateGATTProxyStatus(state: state.privateGATTProxy) },
        on(PrivateGATTProxySet.self) { message, _, state in
            // While the GATT Proxy state is on, the private one stays off (4.2.45.1).
            if state.proxy == .disabled { state.foundation.isPrivateGATTProxyEnabled = message.isEnabled }
            return PrivateGATTProxyStatus(state: state.privateGATTProxy)
        },
        on(PrivateNodeIdentityGet.self) { message, request, state in
            state.privateNodeIdentityStatus(
                request.refusal ?? (state.netKey(message.netKeyIndex) == nil ? .invalidNetKeyIndex : .success),
                message.netKeyIndex
            )
        },
        on(PrivateNodeIdentitySet.self) { message, request, state in
            let status = request.act(on: &state) {
                $0.setPrivateNodeIdentity(message.netKeyIndex, isRunning: message.isEnabled)
            }
            return state.privateNodeIdentityStatus(status, message.netKeyIndex)
        },
    ]

    /// The On-Demand Private GATT Proxy state; without the GATT Proxy feature it stays 0.
    static let onDemandPrivateProxyHandlers: [(Opcode, Handler)] = [
        on(OnDemandPrivateProxyGet.self) { _, _, state in
            OnDemandPrivateProxyStatus(seconds: state.foundation.onDemandPrivateProxySeconds)
        },
        on(OnDemandPrivateProxySet.self) { message, _, state in
            if state.proxy != .notSupported { state.foundation.onDemandPrivateProxySeconds = message.seconds }
            return OnDemandPrivateProxyStatus(seconds: state.foundation.onDemandPrivateProxySeconds)
        },
    ]
}

extension NodeConfigurationState {
    fileprivate var privateBeaconStatus: PrivateBeaconStatus {
        PrivateBeaconStatus(
            isEnabled: foundation.isPrivateBeaconEnabled,
            randomUpdateIntervalSteps: foundation.randomUpdateIntervalSteps
        )
    }

    fileprivate func privateNodeIdentityStatus(
        _ status: ConfigStatusCode,
        _ index: NetKeyIndex
    ) -> PrivateNodeIdentityStatus {
        let identity: NodeIdentityState =
            if proxy == .notSupported {
                .notSupported
            } else {
                netKey(index)?.isPrivateIdentityRunning == true ? .running : .stopped
            }
        return PrivateNodeIdentityStatus(status: status, netKeyIndex: index, identity: identity)
    }

    /// While Node Identity runs in any subnet, Private Node Identity can be neither started nor stopped (4.2.46.1).
    fileprivate mutating func setPrivateNodeIdentity(_ index: NetKeyIndex, isRunning: Bool) -> ConfigStatusCode {
        guard let position = netKeys.firstIndex(where: { $0.index == index }) else { return .invalidNetKeyIndex }
        guard proxy != .notSupported else { return .featureNotSupported }
        guard !netKeys.contains(where: \.isIdentityRunning) else { return .temporarilyUnableToChangeState }
        netKeys[position].isPrivateIdentityRunning = isRunning
        return .success
    }
}

extension ConfigurationServer {
    static let publicationHandlers: [(Opcode, Handler)] = [
        on(ConfigModelPublicationGet.self) { message, request, state in
            var publication: Publication?
            let status = request.act(on: &state, message.elementAddress, message.model) { state, position in
                guard ModelCatalogue.model(message.model)?.supportsPublication != false else {
                    return .invalidPublishParameters
                }
                publication = state[position].publication
                return .success
            }
            return ConfigModelPublicationStatus(message, status, publication)
        },
        on(ConfigModelPublicationSet.self) { message, request, state in
            var publication: Publication?
            let status = request.act(on: &state, message.elementAddress, message.model) { state, position in
                switch message.publishAddress.kind {
                case .unassigned: break
                case .virtual: return .invalidAddress
                case .unicast, .group:
                    guard let address = message.publishAddress.publishAddress else { return .invalidAddress }
                    publication = message.settings.publication(to: address)
                }
                return state.publish(position, publication, labelLimit: request.server.limits.labels)
            }
            return ConfigModelPublicationStatus(message, status, publication)
        },
        on(ConfigModelPublicationVirtualAddressSet.self) { message, request, state in
            let publication = message.settings.publication(to: .virtual(message.label))
            let status = request.act(on: &state, message.elementAddress, message.model) {
                $0.publish($1, publication, labelLimit: request.server.limits.labels)
            }
            return ConfigModelPublicationStatus(message, status, publication)
        },
    ]
}

extension Address {
    /// The address as one to publish to; nil if it is unassigned, or virtual, because a virtual one needs its label.
    fileprivate var publishAddress: PublishAddress? {
        if let unicast = UnicastAddress(rawValue: rawValue) { return .unicast(unicast) }
        return GroupAddress(rawValue: rawValue).map(PublishAddress.group)
    }
}

extension ConfigModelPublicationStatus {
    /// The status after a publication request. The publication is all zero on errors, as with other servers, and if
    /// there is none.
    fileprivate init(_ request: some ModelMessage, _ status: ConfigStatusCode, _ publication: Publication?) {
        let shown = status == .success ? publication : nil
        self.init(
            status: status,
            elementAddress: request.elementAddress,
            publishAddress: shown?.address.address ?? .unassigned,
            settings: shown.map(PublicationSettings.init) ?? .disabled,
            model: request.model
        )
    }
}

extension ConfigurationServer {
    /// Changes an answer to what a node with these quirks sends.
    ///
    /// - Parameters:
    ///   - answer: opcode and parameters as the specification requires.
    ///   - request: the opcode of the request.
    func asQuirks(_ answer: [UInt8], to request: Opcode) -> [UInt8] {
        var reader = ByteReader(answer)
        guard !quirks.isEmpty, let opcode = try? Opcode(decoding: &reader) else { return answer }
        let head = opcode.encoded
        var parameters = Array(answer[head.count...])
        if quirks.contains(.swappedVendorIdentifiers) { Self.swapVendorIdentifier(opcode, &parameters) }
        switch opcode {
        case ConfigHeartbeatPublicationStatus.opcode where quirks.contains(.answersFFFF):
            // Without a destination (octets 1 and 2), the index at the end was never set.
            if parameters[1...2].allSatisfy({ $0 == 0 }) { parameters.replaceSubrange(8..<10, with: [0xFF, 0xFF]) }
        case ConfigModelSubscriptionStatus.opcode where quirks.contains(.zeroVirtualAddress):
            if Self.requestsWithLabel.contains(request) { parameters.replaceSubrange(3..<5, with: [0, 0]) }
        case ConfigNetKeyList.opcode where quirks.contains(.shortNetKeyList):
            // Two octets are too many for one index and too few for two.
            parameters = Array((parameters + [0, 0]).prefix(2)) + [0xFF, 0xFF]
        case ConfigAppKeyList.opcode where quirks.contains(.wrongKeyIndex):
            // Little-endian like all indexes. No simulated network has an index that high.
            parameters.replaceSubrange(1..<3, with: [0xFF, 0x0F])
        default: break
        }
        return head + parameters
    }

    private static let requestsWithLabel: Set<Opcode> = [
        ConfigModelSubscriptionVirtualAddressAdd.opcode, ConfigModelSubscriptionVirtualAddressDelete.opcode,
        ConfigModelSubscriptionVirtualAddressOverwrite.opcode,
    ]

    /// Swaps company and model, two octets each, in a status about a vendor model.
    private static func swapVendorIdentifier(_ opcode: Opcode, _ parameters: inout [UInt8]) {
        let place: Int?
        switch opcode {
        case ConfigModelAppStatus.opcode where parameters.count == 9: place = 5
        case ConfigModelSubscriptionStatus.opcode where parameters.count == 9: place = 5
        case ConfigModelPublicationStatus.opcode where parameters.count == 14: place = 10
        case ConfigVendorModelAppList.opcode, ConfigVendorModelSubscriptionList.opcode: place = 3
        default: place = nil
        }
        guard let place, parameters.count >= place + 4 else { return }
        let identifier = parameters[place..<place + 4]
        parameters.replaceSubrange(place..<place + 4, with: identifier.suffix(2) + identifier.prefix(2))
    }
}

extension ConfigurationServer {
    /// The SAR Transmitter and SAR Receiver states.
    static let sarHandlers: [(Opcode, Handler)] = [
        on(SARTransmitterGet.self) { _, _, state in SARTransmitterStatus(state: state.foundation.sarTransmitter) },
        on(SARTransmitterSet.self) { message, _, state in
            state.foundation.sarTransmitter = message.state
            return SARTransmitterStatus(state: message.state)
        },
        on(SARReceiverGet.self) { _, _, state in SARReceiverStatus(state: state.foundation.sarReceiver) },
        on(SARReceiverSet.self) { message, _, state in
            state.foundation.sarReceiver = message.state
            return SARReceiverStatus(state: message.state)
        },
    ]
}
