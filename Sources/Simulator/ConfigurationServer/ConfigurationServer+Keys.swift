import MeshCore

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
