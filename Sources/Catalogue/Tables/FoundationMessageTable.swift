import MeshCore

/// The messages of the foundation models (Mesh Protocol 4.3), and the names of those of the BLOB transfer and firmware
/// models; see ``ModelMessageTable`` for the notation.
enum FoundationMessageTable {
    /// The messages of the Configuration models, which are types of MeshCore.
    static let configuration = rows(of: foundationMessages.prefix(1))
    /// Those of the other foundation models that are types of MeshCore.
    static let foundation = rows(of: foundationMessages.dropFirst())

    private static func rows(of families: some Sequence<FoundationMessageFamily>) -> String {
        var rows: [String] = []
        for family in families {
            rows.append("models \(hexadecimal(family.server.model)) / \(hexadecimal(family.client.model))")
            for message in family.messages {
                let answer = message.answer.map { hexadecimal($0.rawValue) } ?? ""
                let direction = message.isStatus ? "<" : "> \(answer)"
                let opcode = hexadecimal(message.type.opcode.rawValue)
                rows.append("\(opcode) \(direction) | \(message.title) | \(message.fields)")
            }
        }
        return rows.joined(separator: "\n")
    }

    private static func hexadecimal(_ number: some BinaryInteger) -> String { String(number, radix: 16) }

    static let directedForwarding = #"""
        models 0006 / 0007
        807b > 807d | Directed Control Get | net_key_index:key-index
        807c > 807d | Directed Control Set | net_key_index:key-index directed_forwarding:u8 directed_relay:u8 directed_proxy:u8 directed_proxy_use_directed_default:u8 directed_friend:u8
        807d <      | Directed Control Status | status:config-status net_key_index:key-index directed_forwarding:u8 directed_relay:u8 directed_proxy:u8 directed_proxy_use_directed_default:u8 directed_friend:u8
        807e > 8080 | Path Metric Get | net_key_index:key-index
        807f > 8080 | Path Metric Set | net_key_index:key-index path_metric_type:u3 path_lifetime:u2 _3
        8080 <      | Path Metric Status | status:config-status net_key_index:key-index path_metric_type:u3 path_lifetime:u2 _3
        8081 > 8083 | Discovery Table Capabilities Get | net_key_index:key-index
        8082 > 8083 | Discovery Table Capabilities Set | net_key_index:key-index max_concurrent_init:u8
        8083 <      | Discovery Table Capabilities Status | status:config-status net_key_index:key-index max_concurrent_init:u8 max_discovery_table_entries_count:u8
        8090 > 8092 | Wanted Lanes Get | net_key_index:key-index
        8091 > 8092 | Wanted Lanes Set | net_key_index:key-index wanted_lanes:u8
        8092 <      | Wanted Lanes Status | status:config-status net_key_index:key-index wanted_lanes:u8
        8093 > 8095 | Two Way Path Get | net_key_index:key-index
        8094 > 8095 | Two Way Path Set | net_key_index:key-index two_way_path:u1 _7
        8095 <      | Two Way Path Status | status:config-status net_key_index:key-index two_way_path:u1 _7
        8096 > 8098 | Path Echo Interval Get | net_key_index:key-index
        8097 > 8098 | Path Echo Interval Set | net_key_index:key-index unicast_echo_interval:u8 multicast_echo_interval:u8
        8098 <      | Path Echo Interval Status | status:config-status net_key_index:key-index unicast_echo_interval:u8 multicast_echo_interval:u8
        8099 > 809b | Directed Network Transmit Get |
        809a > 809b | Directed Network Transmit Set | transmit_count:u3 transmit_interval:transmit-interval
        809b <      | Directed Network Transmit Status | transmit_count:u3 transmit_interval:transmit-interval
        809c > 809e | Directed Relay Retransmit Get |
        809d > 809e | Directed Relay Retransmit Set | retransmit_count:u3 retransmit_interval:transmit-interval
        809e <      | Directed Relay Retransmit Status | retransmit_count:u3 retransmit_interval:transmit-interval
        809f > 80a1 | RSSI Threshold Get |
        80a0 > 80a1 | RSSI Threshold Set | rssi_margin:u8
        80a1 <      | RSSI Threshold Status | default_rssi_threshold:signed rssi_margin:u8
        80a4 > 80a6 | Directed Publish Policy Get | element:address model
        80a5 > 80a6 | Directed Publish Policy Set | directed_publish_policy:u8 element:address model
        80a6 <      | Directed Publish Policy Status | status:config-status directed_publish_policy:u8 element:address model
        80a7 > 80a9 | Path Discovery Timing Control Get |
        80a8 > 80a9 | Path Discovery Timing Control Set | path_monitoring_interval:u16 path_discovery_retry_interval:u16 path_discovery_interval:u1 lane_discovery_guard_interval:u1 _6
        80a9 <      | Path Discovery Timing Control Status | path_monitoring_interval:u16 path_discovery_retry_interval:u16 path_discovery_interval:u1 lane_discovery_guard_interval:u1 _6
        80ab > 80ad | Directed Control Network Transmit Get |
        80ac > 80ad | Directed Control Network Transmit Set | transmit_count:u3 transmit_interval:transmit-interval
        80ad <      | Directed Control Network Transmit Status | transmit_count:u3 transmit_interval:transmit-interval
        80ae > 80b0 | Directed Control Relay Retransmit Get |
        80af > 80b0 | Directed Control Relay Retransmit Set | retransmit_count:u3 retransmit_interval:transmit-interval
        80b0 <      | Directed Control Relay Retransmit Status | retransmit_count:u3 retransmit_interval:transmit-interval
        8084 >      | Forwarding Table Add | ?
        8085 >      | Forwarding Table Delete | ?
        8086 <      | Forwarding Table Status | ?
        8087 >      | Forwarding Table Dependents Add | ?
        8088 >      | Forwarding Table Dependents Delete | ?
        8089 <      | Forwarding Table Dependents Status | ?
        808a >      | Forwarding Table Dependents Get | ?
        808b <      | Forwarding Table Dependents Get Status | ?
        808c >      | Forwarding Table Entries Count Get | ?
        808d <      | Forwarding Table Entries Count Status | ?
        808e >      | Forwarding Table Entries Get | ?
        808f <      | Forwarding Table Entries Status | ?
        80a2 >      | Directed Paths Get | ?
        80a3 <      | Directed Paths Status | ?
        """#

    // Their parameters are not known here. What ends in Status, List or Report is taken for a server's message.
    static let firmware = #"""
        models 1400 / 1401
        68   <      | BLOB Partial Block Report | ?
        66   >      | BLOB Chunk Transfer | ?
        67   <      | BLOB Block Status | ?
        8300 >      | BLOB Transfer Get | ?
        8301 >      | BLOB Transfer Start | ?
        8302 >      | BLOB Transfer Cancel | ?
        8303 <      | BLOB Transfer Status | ?
        8304 >      | BLOB Block Start | ?
        8305 >      | BLOB Block Get | ?
        8306 >      | BLOB Information Get | ?
        8307 <      | BLOB Information Status | ?
        models 1402 / 1403
        8308 >      | Firmware Update Information Get | ?
        8309 <      | Firmware Update Information Status | ?
        830a >      | Firmware Update Firmware Metadata Check | ?
        830b <      | Firmware Update Firmware Metadata Status | ?
        830c >      | Firmware Update Get | ?
        830d >      | Firmware Update Start | ?
        830e >      | Firmware Update Cancel | ?
        830f >      | Firmware Update Apply | ?
        8310 <      | Firmware Update Status | ?
        models 1404 / 1405
        8311 >      | Firmware Distribution Receivers Add | ?
        8312 >      | Firmware Distribution Receivers Delete All | ?
        8313 <      | Firmware Distribution Receivers Status | ?
        8314 >      | Firmware Distribution Receivers Get | ?
        8315 <      | Firmware Distribution Receivers List | ?
        8316 >      | Firmware Distribution Capabilities Get | ?
        8317 <      | Firmware Distribution Capabilities Status | ?
        8318 >      | Firmware Distribution Get | ?
        8319 >      | Firmware Distribution Start | ?
        831a >      | Firmware Distribution Suspend | ?
        831b >      | Firmware Distribution Cancel | ?
        831c >      | Firmware Distribution Apply | ?
        831d <      | Firmware Distribution Status | ?
        831e >      | Firmware Distribution Upload Get | ?
        831f >      | Firmware Distribution Upload Start | ?
        8320 >      | Firmware Distribution Upload OOB Start | ?
        8321 >      | Firmware Distribution Upload Cancel | ?
        8322 <      | Firmware Distribution Upload Status | ?
        8323 >      | Firmware Distribution Firmware Get | ?
        8324 >      | Firmware Distribution Firmware Get By Index | ?
        8325 >      | Firmware Distribution Firmware Delete | ?
        8326 >      | Firmware Distribution Firmware Delete All | ?
        8327 <      | Firmware Distribution Firmware Status | ?
        """#
}
