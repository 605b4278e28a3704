/// The messages of the foundation models (Mesh Protocol 4.3), and the names of those of the BLOB transfer and firmware
/// models; see ``ModelMessageTable`` for the notation. MeshCore has types of its own for those that it acts on.
enum FoundationMessageTable {
    static let configuration = #"""
        models 0000 / 0001
        8009 > 800b | Config Beacon Get |
        800a > 800b | Config Beacon Set | beacon:feature-set
        800b <      | Config Beacon Status | beacon:feature-set
        8008 > 02   | Config Composition Data Get | page:number
        02   <      | Config Composition Data Status | page:number data
        800c > 800e | Config Default TTL Get |
        800d > 800e | Config Default TTL Set | ttl:default-ttl
        800e <      | Config Default TTL Status | ttl:default-ttl
        8012 > 8014 | Config GATT Proxy Get |
        8013 > 8014 | Config GATT Proxy Set | gatt_proxy:feature-set
        8014 <      | Config GATT Proxy Status | gatt_proxy:feature-state
        800f > 8011 | Config Friend Get |
        8010 > 8011 | Config Friend Set | friend:feature-set
        8011 <      | Config Friend Status | friend:feature-state
        8026 > 8028 | Config Relay Get |
        8027 > 8028 | Config Relay Set | relay:feature-set relay_retransmit_count:u3 relay_retransmit_interval:transmit-interval
        8028 <      | Config Relay Status | relay:feature-state relay_retransmit_count:u3 relay_retransmit_interval:transmit-interval
        8023 > 8025 | Config Network Transmit Get |
        8024 > 8025 | Config Network Transmit Set | network_transmit_count:u3 network_transmit_interval:transmit-interval
        8025 <      | Config Network Transmit Status | network_transmit_count:u3 network_transmit_interval:transmit-interval
        8018 > 8019 | Config Model Publication Get | element:address model
        03   > 8019 | Config Model Publication Set | element:address publish_address:address app_key_index:packed-key-index credential_flag:u1 _3 publish_ttl:publish-ttl publish_period_steps:u6 publish_period_resolution:period-resolution publish_retransmit_count:u3 publish_retransmit_interval:publish-interval model
        801a > 8019 | Config Model Publication Virtual Address Set | element:address label:uuid app_key_index:packed-key-index credential_flag:u1 _3 publish_ttl:publish-ttl publish_period_steps:u6 publish_period_resolution:period-resolution publish_retransmit_count:u3 publish_retransmit_interval:publish-interval model
        8019 <      | Config Model Publication Status | status:config-status element:address publish_address:address app_key_index:packed-key-index credential_flag:u1 _3 publish_ttl:publish-ttl publish_period_steps:u6 publish_period_resolution:period-resolution publish_retransmit_count:u3 publish_retransmit_interval:publish-interval model
        801b > 801f | Config Model Subscription Add | element:address address model
        801c > 801f | Config Model Subscription Delete | element:address address model
        801e > 801f | Config Model Subscription Overwrite | element:address address model
        8020 > 801f | Config Model Subscription Virtual Address Add | element:address label:uuid model
        8021 > 801f | Config Model Subscription Virtual Address Delete | element:address label:uuid model
        8022 > 801f | Config Model Subscription Virtual Address Overwrite | element:address label:uuid model
        801d > 801f | Config Model Subscription Delete All | element:address model
        801f <      | Config Model Subscription Status | status:config-status element:address address model
        8029 > 802a | Config SIG Model Subscription Get | element:address model:model-number
        802a <      | Config SIG Model Subscription List | status:config-status element:address model:model-number addresses*:address
        802b > 802c | Config Vendor Model Subscription Get | element:address company vendor_model:model-number
        802c <      | Config Vendor Model Subscription List | status:config-status element:address company vendor_model:model-number addresses*:address
        8040 > 8044 | Config NetKey Add | net_key_index:key-index net_key:key
        8045 > 8044 | Config NetKey Update | net_key_index:key-index net_key:key
        8041 > 8044 | Config NetKey Delete | net_key_index:key-index
        8044 <      | Config NetKey Status | status:config-status net_key_index:key-index
        8042 > 8043 | Config NetKey Get |
        8043 <      | Config NetKey List | net_key_indexes:key-indexes
        00   > 8003 | Config AppKey Add | net_key_index:packed-key-index app_key_index:packed-key-index app_key:key
        01   > 8003 | Config AppKey Update | net_key_index:packed-key-index app_key_index:packed-key-index app_key:key
        8000 > 8003 | Config AppKey Delete | net_key_index:packed-key-index app_key_index:packed-key-index
        8003 <      | Config AppKey Status | status:config-status net_key_index:packed-key-index app_key_index:packed-key-index
        8001 > 8002 | Config AppKey Get | net_key_index:key-index
        8002 <      | Config AppKey List | status:config-status net_key_index:key-index app_key_indexes:key-indexes
        8046 > 8048 | Config Node Identity Get | net_key_index:key-index
        8047 > 8048 | Config Node Identity Set | net_key_index:key-index identity:feature-set
        8048 <      | Config Node Identity Status | status:config-status net_key_index:key-index identity:feature-state
        803d > 803e | Config Model App Bind | element:address app_key_index:key-index model
        803f > 803e | Config Model App Unbind | element:address app_key_index:key-index model
        803e <      | Config Model App Status | status:config-status element:address app_key_index:key-index model
        804b > 804c | Config SIG Model App Get | element:address model:model-number
        804c <      | Config SIG Model App List | status:config-status element:address model:model-number app_key_indexes:key-indexes
        804d > 804e | Config Vendor Model App Get | element:address company vendor_model:model-number
        804e <      | Config Vendor Model App List | status:config-status element:address company vendor_model:model-number app_key_indexes:key-indexes
        8049 > 804a | Config Node Reset |
        804a <      | Config Node Reset Status |
        8015 > 8017 | Config Key Refresh Phase Get | net_key_index:key-index
        8016 > 8017 | Config Key Refresh Phase Set | net_key_index:key-index transition:key-refresh-transition
        8017 <      | Config Key Refresh Phase Status | status:config-status net_key_index:key-index phase:key-refresh-phase
        8038 > 06   | Config Heartbeat Publication Get |
        8039 > 06   | Config Heartbeat Publication Set | destination:address count_log:u8 period_log:period-log ttl:default-ttl features:heartbeat-features net_key_index:key-index
        06   <      | Config Heartbeat Publication Status | status:config-status destination:address count_log:u8 period_log:period-log ttl:default-ttl features:heartbeat-features net_key_index:key-index
        803a > 803c | Config Heartbeat Subscription Get |
        803b > 803c | Config Heartbeat Subscription Set | source:address destination:address period_log:period-log
        803c <      | Config Heartbeat Subscription Status | status:config-status source:address destination:address period_log:period-log count_log:u8 min_hops:u8 max_hops:u8
        802d > 802e | Config Low Power Node PollTimeout Get | lpn_address:address
        802e <      | Config Low Power Node PollTimeout Status | lpn_address:address poll_timeout:poll-timeout
        """#

    static let foundation = #"""
        models 000a / 000b
        8060 > 8062 | Private Beacon Get |
        8061 > 8062 | Private Beacon Set | private_beacon:feature-set [ random_update_interval_steps:u8 ]
        8062 <      | Private Beacon Status | private_beacon:feature-set random_update_interval_steps:u8
        8063 > 8065 | Private GATT Proxy Get |
        8064 > 8065 | Private GATT Proxy Set | private_gatt_proxy:feature-set
        8065 <      | Private GATT Proxy Status | private_gatt_proxy:feature-state
        8066 > 8068 | Private Node Identity Get | net_key_index:key-index
        8067 > 8068 | Private Node Identity Set | net_key_index:key-index private_identity:feature-set
        8068 <      | Private Node Identity Status | status:config-status net_key_index:key-index private_identity:feature-state
        models 000c / 000d
        8069 > 806b | On-Demand Private Proxy Get |
        806a > 806b | On-Demand Private Proxy Set | on_demand_private_gatt_proxy:u8
        806b <      | On-Demand Private Proxy Status | on_demand_private_gatt_proxy:u8
        models 000e / 000f
        806c > 806e | SAR Transmitter Get |
        806d > 806e | SAR Transmitter Set | segment_interval_step:u4 unicast_retransmissions_count:u4 unicast_retransmissions_without_progress_count:u4 unicast_retransmissions_interval_step:u4 unicast_retransmissions_interval_increment:u4 multicast_retransmissions_count:u4 multicast_retransmissions_interval_step:u4 _4
        806e <      | SAR Transmitter Status | segment_interval_step:u4 unicast_retransmissions_count:u4 unicast_retransmissions_without_progress_count:u4 unicast_retransmissions_interval_step:u4 unicast_retransmissions_interval_increment:u4 multicast_retransmissions_count:u4 multicast_retransmissions_interval_step:u4 _4
        806f > 8071 | SAR Receiver Get |
        8070 > 8071 | SAR Receiver Set | segments_threshold:u5 acknowledgment_delay_increment:u3 discard_timeout:u4 receiver_segment_interval_step:u4 acknowledgment_retransmissions_count:u2 _6
        8071 <      | SAR Receiver Status | segments_threshold:u5 acknowledgment_delay_increment:u3 discard_timeout:u4 receiver_segment_interval_step:u4 acknowledgment_retransmissions_count:u2 _6
        models 0010 / 0011
        8072 > 8073 | Opcodes Aggregator Sequence | element:address items:data
        8073 <      | Opcodes Aggregator Status | status:aggregator-status element:address status_items:data
        models 0012 / 0013
        8074 > 8075 | Large Composition Data Get | page:number offset:u16
        8075 <      | Large Composition Data Status | page:number offset:u16 total_size:u16 data
        8076 > 8077 | Models Metadata Get | metadata_page:u8 offset:u16
        8077 <      | Models Metadata Status | metadata_page:u8 offset:u16 total_size:u16 data
        models 0014 / 0015
        8078 > 807a | Solicitation PDU RPL Items Clear | has_length:u1=0 start:u15 / has_length:u1=1 start:u15 length:u8
        8079 >      | Solicitation PDU RPL Items Clear Unacknowledged | has_length:u1=0 start:u15 / has_length:u1=1 start:u15 length:u8
        807a <      | Solicitation PDU RPL Items Status | has_length:u1=0 start:u15 / has_length:u1=1 start:u15 length:u8
        models 0008 / 0009
        80b1 > 80b3 | Subnet Bridge Get |
        80b2 > 80b3 | Subnet Bridge Set | subnet_bridge:feature-set
        80b3 <      | Subnet Bridge Status | subnet_bridge:feature-set
        80b4 > 80b6 | Bridging Table Add | directions:bridge-directions net_key_index_1:packed-key-index net_key_index_2:packed-key-index address1:address address2:address
        80b5 > 80b6 | Bridging Table Remove | net_key_index_1:packed-key-index net_key_index_2:packed-key-index address1:address address2:address
        80b6 <      | Bridging Table Status | status:config-status current_directions:bridge-directions net_key_index_1:packed-key-index net_key_index_2:packed-key-index address1:address address2:address
        80b7 > 80b8 | Bridged Subnets Get | filter:u2 _2 net_key_index:packed-key-index start_index:u8
        80b8 <      | Bridged Subnets List | filter:u2 _2 net_key_index:packed-key-index start_index:u8 pairs*( net_key_index_1:packed-key-index net_key_index_2:packed-key-index )
        80b9 > 80ba | Bridging Table Get | net_key_index_1:packed-key-index net_key_index_2:packed-key-index start_index:u16
        80ba <      | Bridging Table List | status:config-status net_key_index_1:packed-key-index net_key_index_2:packed-key-index start_index:u16 entries*( address1:address address2:address directions:bridge-directions )
        80bb > 80bc | Bridging Table Size Get |
        80bc <      | Bridging Table Size Status | bridging_table_size:u16
        models 0004 / 0005
        804f > 8050 | Remote Provisioning Scan Capabilities Get |
        8050 <      | Remote Provisioning Scan Capabilities Status | max_scanned_items:u8 active_scan:u8
        8051 > 8054 | Remote Provisioning Scan Get |
        8052 > 8054 | Remote Provisioning Scan Start | scanned_items_limit:u8 timeout:u8 [ uuid ]
        8053 > 8054 | Remote Provisioning Scan Stop |
        8054 <      | Remote Provisioning Scan Status | status:remote-status scanning_state:scanning-state scanned_items_limit:u8 timeout:u8
        8055 <      | Remote Provisioning Scan Report | rssi:signed uuid oob_information:hex-16 [ uri_hash:octets4 ]
        8056 > 8057 | Remote Provisioning Extended Scan Start | ad_types:counted [ uuid timeout:u8 ]
        8057 <      | Remote Provisioning Extended Scan Report | status:remote-status uuid [ oob_information:hex-16 ad_structures:data ]
        8058 > 805b | Remote Provisioning Link Get |
        8059 > 805b | Remote Provisioning Link Open | uuid [ timeout:u8 ] / nppi_procedure:u8
        805a > 805b | Remote Provisioning Link Close | reason:u8
        805b <      | Remote Provisioning Link Status | status:remote-status link_state:link-state
        805c <      | Remote Provisioning Link Report | status:remote-status link_state:link-state [ reason:u8 ]
        805d > 805e | Remote Provisioning PDU Send | outbound_pdu_number:u8 provisioning_pdu:octets
        805e <      | Remote Provisioning PDU Outbound Report | outbound_pdu_number:u8
        805f <      | Remote Provisioning PDU Report | inbound_pdu_number:u8 provisioning_pdu:octets
        """#

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
