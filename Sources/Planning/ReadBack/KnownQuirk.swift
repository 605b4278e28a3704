/// A way in which a shipped stack deviates from the specification, and what this program does about it.
///
/// The program copes with such answers from any node. The name of a stack only tells people where this was seen.
package enum KnownQuirk: String, CaseIterable, Hashable, Sendable {
    /// Vendor models have company and model exchanged, in the composition and in every status.
    case exchangedVendorModels = "swapped-vendor-ids"
    /// An element of the composition lists a model twice.
    case repeatedModels = "repeated-models"
    /// Lists of key indexes use two octets for each index.
    case unpackedKeyLists = "unpacked-key-lists"
    /// A model that uses the DeviceKey is listed as bound to an AppKey 0xFFFC.
    case listedDeviceKey = "listed-device-key"
    /// A Heartbeat Publication Status names NetKey 0xFFFF while nothing is published.
    case heartbeatWithoutNetKey = "answers-ffff"
    /// A Subscription Status for a label that is already there contains the unassigned address.
    case unassignedVirtualAddress = "zero-virtual-address"
    /// Deleting an AppKey keeps its bindings and publications.
    case keepsBindings = "keeps-bindings"
    /// A publication ends only if the request names an AppKey that is bound to the model.
    case namedKeyEndsPublication = "named-key-ends-publication"
    /// A Remote Provisioning Server forgets its link when the time to open it is over, and starts a repeated PDU from
    /// the beginning.
    case forgetfulRemoteLink = "remote-link-forgets"

    /// What is known about a quirk.
    package struct Facts: Hashable, Sendable {
        package let stack: String
        /// What such a node does: a clause after "the node".
        package let deed: String
        /// What this program does about it: an independent clause.
        package let remedy: String
        /// Where to look it up: repository, revision and function.
        package let source: String
    }

    package var facts: Facts {
        switch self {
        case .exchangedVendorModels:
            Facts(
                stack: "BTstack",
                deed: "exchanges company and model of vendor models",
                remedy: "they are read in their order",
                source: "bluekitchen/btstack 330e195, src/mesh/mesh_access.c, mesh_access_message_add_model_identifier"
            )
        case .repeatedModels:
            Facts(
                stack: "Zephyr",
                deed: "names a model twice on an element",
                remedy: "it counts once",
                source:
                    "zephyrproject-rtos/zephyr, subsys/bluetooth/mesh/cfg_srv.c, composition page 0 as the application lists its "
                    + "models: BT_MESH_MODEL_OD_PRIV_PROXY_SRV contains the Solicitation PDU RPL Configuration Server"
            )
        case .unpackedKeyLists:
            Facts(
                stack: "BTstack",
                deed: "gives each key index of a list two octets",
                remedy: "the list is read in that form",
                source: "bluekitchen/btstack 330e195, src/mesh/mesh_configuration_server.c, config_netkey_list"
            )
        case .listedDeviceKey:
            Facts(
                stack: "Zephyr",
                deed: "lists key 0xFFFC where a model is secured with the device key",
                remedy: "it counts as no application key",
                source:
                    "openblue 2079954, Zephyr's subsys/bluetooth/mesh/op_agg_srv.c, whose init sets keys[0] to BT_MESH_KEY_DEV_ANY"
            )
        case .heartbeatWithoutNetKey:
            Facts(
                stack: "NimBLE",
                deed: "names network key 0xFFFF while it publishes no heartbeats",
                remedy: "the key is ignored",
                source: "apache/mynewt-nimble 1e8ed60, nimble/host/mesh/src/cfg_srv.c, hb_pub_send_status"
            )
        case .unassignedVirtualAddress:
            Facts(
                stack: "BTstack",
                deed: "names address 0x0000 for a label that is on the list already",
                remedy: "the list is read back",
                source: "bluekitchen/btstack 330e195, src/mesh/mesh_configuration_server.c, "
                    + "config_model_subscription_virtual_address_add_hash"
            )
        case .keepsBindings:
            Facts(
                stack: "BlueZ",
                deed: "keeps what is bound to an application key that it does not have",
                remedy: "it counts as gone",
                source: "bluez/bluez 5.66, mesh/appkey.c, appkey_key_delete, whose storage keeps the bindings"
            )
        case .namedKeyEndsPublication:
            Facts(
                stack: "BlueZ",
                deed: "ends a publication only if the request names an application key that is bound to the model",
                remedy: "the request names the key of the publication",
                source: "bluez/bluez 690c16d, mesh/model.c, mesh_model_pub_set"
            )
        case .forgetfulRemoteLink:
            Facts(
                stack: "BlueZ",
                deed: "forgets the link when the time to open it is over, and starts a repeated PDU from the beginning",
                remedy: "meshplan asks for 60 s, and a PDU is not repeated while the server sends it",
                source: "bluez/bluez 690c16d, mesh/remprv-server.c, remprv_srv_pkt"
            )
        }
    }

    /// What such a node does and where it was seen, as a clause after "the node".
    package var text: String { "\(facts.deed), as \(facts.stack) does" }
}
