import MeshCore

extension ConfigurationServer {
    /// Bindings and subscriptions.
    static let modelHandlers: [(Opcode, Handler)] = [
        on(ConfigModelAppBind.self) { message, request, state in
            let status = request.act(on: &state, message.elementAddress, message.model) {
                $0.bind($1, message.appKeyIndex, limit: request.server.limits.bindingsPerModel)
            }
            return ConfigModelAppStatus(message, status)
        },
        on(ConfigModelAppUnbind.self) { message, request, state in
            let status = request.act(on: &state, message.elementAddress, message.model) {
                $0.unbind($1, message.appKeyIndex)
            }
            return ConfigModelAppStatus(message, status)
        },
        on(ConfigSIGModelAppGet.self) { message, request, state in
            let (status, model) = read(message, request, state)
            return ConfigSIGModelAppList(
                status: status,
                elementAddress: message.elementAddress,
                listedModel: message.listedModel,
                entries: model?.bindings ?? []
            )
        },
        on(ConfigVendorModelAppGet.self) { message, request, state in
            let (status, model) = read(message, request, state)
            return ConfigVendorModelAppList(
                status: status,
                elementAddress: message.elementAddress,
                listedModel: message.listedModel,
                entries: model?.bindings ?? []
            )
        },
        on(ConfigModelSubscriptionAdd.self) { message, request, state in
            let status = change(message, message.group, request, &state) {
                $0.subscribe($1, $2, limits: $3.limits, shared: $3.sharesSubscriptionLists)
            }
            return ConfigModelSubscriptionStatus(message, message.address, status)
        },
        on(ConfigModelSubscriptionDelete.self) { message, request, state in
            let status = change(message, message.group, request, &state) {
                $0.unsubscribe($1, $2, shared: $3.sharesSubscriptionLists)
            }
            return ConfigModelSubscriptionStatus(message, message.address, status)
        },
        on(ConfigModelSubscriptionOverwrite.self) { message, request, state in
            let status = change(message, message.group, request, &state) {
                $0.overwriteSubscriptions($1, [$2], limits: $3.limits, shared: $3.sharesSubscriptionLists)
            }
            return ConfigModelSubscriptionStatus(message, message.address, status)
        },
        on(ConfigModelSubscriptionVirtualAddressAdd.self) { message, request, state in
            let status = change(message, .virtual(message.label), request, &state) {
                $0.subscribe($1, $2, limits: $3.limits, shared: $3.sharesSubscriptionLists)
            }
            return ConfigModelSubscriptionStatus(message, message.label.virtualAddress, status)
        },
        on(ConfigModelSubscriptionVirtualAddressDelete.self) { message, request, state in
            let status = change(message, .virtual(message.label), request, &state) {
                $0.unsubscribe($1, $2, shared: $3.sharesSubscriptionLists)
            }
            return ConfigModelSubscriptionStatus(message, message.label.virtualAddress, status)
        },
        on(ConfigModelSubscriptionVirtualAddressOverwrite.self) { message, request, state in
            let status = change(message, .virtual(message.label), request, &state) {
                $0.overwriteSubscriptions($1, [$2], limits: $3.limits, shared: $3.sharesSubscriptionLists)
            }
            return ConfigModelSubscriptionStatus(message, message.label.virtualAddress, status)
        },
        on(ConfigModelSubscriptionDeleteAll.self) { message, request, state in
            let status = request.act(on: &state, message.elementAddress, message.model) {
                $0.overwriteSubscriptions(
                    $1,
                    [],
                    limits: request.server.limits,
                    shared: request.server.sharesSubscriptionLists
                )
            }
            return ConfigModelSubscriptionStatus(message, .unassigned, status)
        },
        on(ConfigSIGModelSubscriptionGet.self) { message, request, state in
            let (status, model) = readSubscriptions(message, request, state)
            return ConfigSIGModelSubscriptionList(
                status: status,
                elementAddress: message.elementAddress,
                listedModel: message.listedModel,
                entries: model?.subscriptions.map(\.address) ?? []
            )
        },
        on(ConfigVendorModelSubscriptionGet.self) { message, request, state in
            let (status, model) = readSubscriptions(message, request, state)
            return ConfigVendorModelSubscriptionList(
                status: status,
                elementAddress: message.elementAddress,
                listedModel: message.listedModel,
                entries: model?.subscriptions.map(\.address) ?? []
            )
        },
    ]

    /// Changes a subscription list; a nil address cannot be subscribed to.
    private static func change(
        _ message: some ModelMessage,
        _ address: SubscriptionAddress?,
        _ request: Request,
        _ state: inout NodeConfigurationState,
        _ action: (
            inout NodeConfigurationState, NodeConfigurationState.ModelPosition, SubscriptionAddress,
            ConfigurationServer
        ) -> ConfigStatusCode
    ) -> ConfigStatusCode {
        request.act(on: &state, message.elementAddress, message.model) { state, position in
            guard let address else { return .invalidAddress }
            return action(&state, position, address, request.server)
        }
    }

    private static func read(
        _ message: some ModelMessage,
        _ request: Request,
        _ state: NodeConfigurationState
    ) -> (ConfigStatusCode, Model?) {
        if let refusal = request.refusal { return (refusal, nil) }
        do throws(NodeConfigurationState.Refusal) {
            return (.success, state[try state.position(message.elementAddress, message.model)])
        } catch {
            return (error.status, nil)
        }
    }

    private static func readSubscriptions(
        _ message: some ModelMessage,
        _ request: Request,
        _ state: NodeConfigurationState
    ) -> (ConfigStatusCode, Model?) {
        let (status, model) = read(message, request, state)
        if let model, ModelCatalogue.model(model.identifier)?.supportsSubscription == false {
            return (.notASubscribeModel, nil)
        }
        return (status, model)
    }
}

extension ModelSubscriptionRequest {
    /// The address as one to subscribe to; nil if that is not possible.
    fileprivate var group: SubscriptionAddress? {
        guard let group = GroupAddress(rawValue: address.rawValue), group.canBeSubscribedTo else { return nil }
        return .group(group)
    }
}

extension ConfigModelAppStatus {
    fileprivate init(_ request: some ModelAppMessage, _ status: ConfigStatusCode) {
        self.init(
            status: status,
            elementAddress: request.elementAddress,
            appKeyIndex: request.appKeyIndex,
            model: request.model
        )
    }
}

extension ConfigModelSubscriptionStatus {
    fileprivate init(_ request: some ModelMessage, _ address: Address, _ status: ConfigStatusCode) {
        self.init(status: status, elementAddress: request.elementAddress, address: address, model: request.model)
    }
}
