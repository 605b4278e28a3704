/// The states of the models above the foundation (Mesh Model 3 to 6) and of the Health model (Mesh Protocol 4.2).
///
/// A line has the name, the opcode that reads the state, the opcode that sets it or `-`, and `lasting` for what a node
/// keeps until somebody changes it, so that a definition can declare it. `scene` marks what a scene holds (Mesh Model
/// 5.1.3), `-action=15` the field that makes a node remove an entry. `delta_uv=0` is the raw number of a field that
/// people may leave out, such as every month of a schedule. All else is in the messages: servers, keys, fields, units,
/// whether a transaction, a transition and a delay go with a set.
enum StateTable {
    static let text = #"""
        # Health
        faults                          8031 -
        health-period                   8034 8035 lasting
        attention                       8004 8005
        # Generic
        onoff                           8201 8202 scene
        level                           8205 8206 scene
        default-transition-time         820d 820e lasting
        on-power-up                     8211 8213 lasting
        power                           8215 8216 scene
        power-last                      8219 -
        power-default                   821b 821f lasting
        power-range                     821d 8221 lasting
        battery                         8223 -
        location-global                 8225 41   lasting
        location-local                  8226 8228 lasting
        manufacturer-properties         822a -
        manufacturer-property           822b 44   lasting
        admin-properties                822c -
        admin-property                  822d 48   lasting
        user-properties                 822e -
        user-property                   822f 4c   lasting
        client-properties               4f   -
        # Sensors
        sensor-descriptor               8230 -
        sensor                          8231 -
        sensor-column                   8232 -
        sensor-series                   8233 -
        sensor-cadence                  8234 55   lasting trigger=0
        sensor-settings                 8235 -
        sensor-setting                  8236 59   lasting
        # Time, scenes, schedules
        time                            8237 5c
        time-zone                       823b 823c lasting
        tai-utc-delta                   823e 823f lasting
        time-role                       8238 8239 lasting
        scene                           8241 8242
        scenes                          8244 -    lasting
        schedules                       8249 -    lasting
        schedule                        8248 60   lasting -action=15 year=100 months=4095 day=0 second=0 weekdays=127 transition=0 scene=0
        # Lights
        lightness                       824b 824c scene
        lightness-linear                824f 8250
        lightness-last                  8253 -
        lightness-default               8255 8259 lasting
        lightness-range                 8257 825b lasting
        ctl                             825d 825e delta_uv=0 scene
        ctl-temperature                 8261 8264 delta_uv=0 scene
        ctl-temperature-range           8262 826b lasting
        ctl-default                     8267 8269 lasting delta_uv=0
        hsl                             826d 8276 scene
        hsl-target                      8279 -
        hsl-hue                         826e 826f scene
        hsl-saturation                  8272 8273 scene
        hsl-default                     827b 827f lasting
        hsl-range                       827d 8281 lasting
        xyl                             8283 8284 scene
        xyl-target                      8287 -
        xyl-default                     8289 828d lasting
        xyl-range                       828b 828f lasting
        lc-mode                         8291 8292 lasting scene
        lc-occupancy-mode               8295 8296 lasting scene
        lc-onoff                        8299 829a scene
        lc-property                     829d 62   lasting
        """#

    /// The properties of the Light LC Setup Server, each of which is a state of its own (Mesh Model 6.1.4).
    static let lightControlProperties: ClosedRange<UInt16> = 0x002B...0x003C
}
