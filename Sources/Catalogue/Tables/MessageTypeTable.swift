/// The types of fields of messages; see ``FieldType/init(name:notation:)`` for the notation.
enum MessageTypeTable {
    static let text = #"""
        # Generic
        onoff                u8 0=off 1=on boolean !
        bit                  u1 0=false 1=true boolean
        number               u8
        tid                  u8
        transition           u8 transition [s] !
        remaining            u8 transition [s]
        delay                u8 *5/1000 [s]
        level                s16
        level-delta          s32
        on-power-up          u8 0=off 1=default 2=restore !
        range-status         u8 0=success 1=cannot-set-minimum 2=cannot-set-maximum ?
        power                u16 *100/65535 [%]
        power-limit          u16 *100/65535 [%] 1..65535 !
        battery-level        u8 [%] 0..100 0xff=not-known !
        battery-time         u24 [min] 0..16777214 0xffffff=not-known
        battery-presence     u2 0=not-present 1=removable 2=fixed 3=not-known
        battery-indicator    u2 0=critical 1=low 2=good 3=not-known
        battery-charging     u2 0=not-chargeable 1=not-charging 2=charging 3=not-known
        battery-service      u2 1=not-required 2=required 3=not-known ?
        latitude             s32 *90/2147483647 [°] -2147483647..2147483647 0x80000000=not-configured
        longitude            s32 *180/2147483647 [°] -2147483647..2147483647 0x80000000=not-configured
        altitude             s16 [m] -32768..32765 0x7ffe=above-32765 0x7fff=not-known
        local-distance       s16 /10 [m] -32767..32767 0x8000=not-configured
        local-altitude       s16 /10 [m] -32768..32765 0x7ffe=above-3276.5 0x7fff=not-known
        location-update      u4 2^(n-3) [s]
        location-precision   u4 2^(n-3) [m]
        property             u16 property
        access               u8 0=none 1=read 2=write 3=read-write ?
        manufacturer-access  u8 0=none 1=read !
        value                rest value
        maybe-value          rest0 value
        part                 share value
        column-part          share
        # Sensors
        tolerance            u12 *100/4095 [%] 0=unspecified
        sampling             u8 0=unspecified 1=instantaneous 2=arithmetic-mean 3=rms 4=maximum 5=minimum 6=accumulated 7=count ?
        sensor-period        u8 1.1^(n-64) [s] 1..255 0=not-applicable
        cadence-divisor      u7 0..15 !
        cadence-trigger      u1 0=value 1=percent
        cadence-percent      u16 /100 [%]
        minimum-interval     u8 2^n /1000 [s] 0..26 !
        sensor-data          sensor-data
        column-x             column-x value
        column-width         column-width value
        columns              columns
        # Time, scenes, schedules
        tai                  u40 0=not-known
        tai-change           u40 0=none
        subsecond            u8 /256 [s]
        time-uncertainty     u8 /100 [s]
        tai-utc              u15 n-255 [s]
        zone                 u8 n-64 *15 [min]
        time-role            u8 0=none 1=authority 2=relay 3=client !
        scene                u16 1..65535 !
        current-scene        u16 0=none
        stored-scene         u16
        scene-status         u8 0=success 1=register-full 2=not-found ?
        schedule-index       u8 0..15 !
        schedule-entry       u4
        schedule-year        u7 0..99 100=any !
        schedule-months      u12 set 0=january 1=february 2=march 3=april 4=may 5=june 6=july 7=august 8=september 9=october 10=november 11=december
        schedule-day         u5 1..31 0=any
        schedule-hour        u5 0..23 24=any 25=once-a-day !
        schedule-minute      u6 0..59 60=any 61=every-15 62=every-20 63=once-an-hour
        schedule-second      u6 0..59 60=any 61=every-15 62=every-20 63=once-a-minute
        schedule-weekdays    u7 set 0=monday 1=tuesday 2=wednesday 3=thursday 4=friday 5=saturday 6=sunday
        schedule-action      u4 0=off 1=on 2=scene 15=none !
        schedules            u16 set 0=0 1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9 10=10 11=11 12=12 13=13 14=14 15=15
        # Lights
        lightness            u16 *100/65535 [%]
        lightness-default    u16 *100/65535 [%] 0=last
        lightness-limit      u16 *100/65535 [%] 1..65535
        temperature          u16 [K] 800..20000 !
        temperature-limit    u16 [K] 800..20000 0xffff=not-known
        delta-uv             s16 /32768
        hue                  u16 *360/65536 [°]
        saturation           u16 *100/65535 [%]
        chromaticity         u16 /65535
        # Health
        health-test          u8
        company              u16 hex
        health-divisor       u8 0..15 !
        attention            u8 [s]
        fault                u8 0=no-fault 1=battery-low-warning 2=battery-low-error 3=supply-voltage-too-low-warning 4=supply-voltage-too-low-error 5=supply-voltage-too-high-warning 6=supply-voltage-too-high-error 7=power-supply-interrupted-warning 8=power-supply-interrupted-error 9=no-load-warning 10=no-load-error 11=overload-warning 12=overload-error 13=overheat-warning 14=overheat-error 15=condensation-warning 16=condensation-error 17=vibration-warning 18=vibration-error 19=configuration-warning 20=configuration-error 21=element-not-calibrated-warning 22=element-not-calibrated-error 23=memory-warning 24=memory-error 25=self-test-warning 26=self-test-error 27=input-too-low-warning 28=input-too-low-error 29=input-too-high-warning 30=input-too-high-error 31=input-no-change-warning 32=input-no-change-error 33=actuator-blocked-warning 34=actuator-blocked-error 35=housing-opened-warning 36=housing-opened-error 37=tamper-warning 38=tamper-error 39=device-moved-warning 40=device-moved-error 41=device-dropped-warning 42=device-dropped-error 43=overflow-warning 44=overflow-error 45=empty-warning 46=empty-error 47=internal-bus-warning 48=internal-bus-error 49=mechanism-jammed-warning 50=mechanism-jammed-error ?
        # Foundation
        config-status        u8 0=success 1=invalid-address 2=invalid-model 3=invalid-appkey-index 4=invalid-netkey-index 5=insufficient-resources 6=key-index-already-stored 7=invalid-publish-parameters 8=not-a-subscribe-model 9=storage-failure 10=feature-not-supported 11=cannot-update 12=cannot-remove 13=cannot-bind 14=temporarily-unable-to-change-state 15=cannot-set 16=unspecified-error 17=invalid-binding 18=invalid-path-entry 19=cannot-get 20=obsolete-information 21=invalid-bearer ?
        remote-status        u8 0=success 1=scanning-cannot-start 2=invalid-state 3=limited-resources 4=link-cannot-open 5=link-open-failed 6=link-closed-by-device 7=link-closed-by-server 8=link-closed-by-client 9=link-closed-as-cannot-receive-pdu 10=link-closed-as-cannot-send-pdu 11=link-closed-as-cannot-deliver-pdu-report ?
        aggregator-status    u8
        feature-set          u8 0=off 1=on !
        feature-state        u8 0=off 1=on 2=not-supported !
        default-ttl          u8 0..127
        publish-ttl          u8 0..127 255=default
        transmit-interval    u5 n+1 *10/1000 [s]
        publish-interval     u5 n+1 *50/1000 [s]
        period-resolution    u2 0=100ms 1=1s 2=10s 3=10min
        period-log           u8 2^(n-1) [s] 1..17 0=off !
        poll-timeout         u24 /10 [s] 0=no-friend
        heartbeat-features   u16 set 0=relay 1=proxy 2=friend 3=low-power
        bridge-directions    u8 0=none 1=one-way 2=both-ways !
        scanning-state       u8 0=idle 1=multiple-devices 2=single-device ?
        link-state           u8 0=idle 1=link-opening 2=link-active 3=outbound-packet-transfer 4=link-closing ?
        key-refresh-transition u8 2=phase-2 3=phase-3 !
        key-refresh-phase    u8 0=normal 1=phase-1 2=phase-2 !
        hex-16               u16 hex
        address              u16 hex
        key-index            u16 0..4095
        packed-key-index     u12
        uuid                 octets16
        key                  octets16 secret
        data                 rest0
        octets               rest
        model                model
        model-number         u16 hex
        key-indexes          key-indexes
        signed               s8
        """#
}
