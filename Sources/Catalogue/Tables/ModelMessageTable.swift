/// The messages of the models above the foundation (Mesh Model 3 to 6) and of the Health models (Mesh Protocol 4.3.3).
///
/// `models` begins the messages of these servers and, after a stroke, clients. A line has the opcode, `>` for a request
/// with the opcode of its answer, if any, or `<` for a status; the title; and the fields: `name` or `name:type`, with
/// `[ ]` around what is there or missing together, `*` at a list and `*( )` at records up to the end, `_3` for reserved
/// bits, `=1` for what marks a form, `/` between forms and `=8202` for the fields of another message. `?` means that
/// nothing but the name is known.
enum ModelMessageTable {
    static let generic = #"""
        models 1000 / 1001
        8201 > 8204 | Generic OnOff Get |
        8202 > 8204 | Generic OnOff Set | onoff tid [ transition delay ]
        8203 >      | Generic OnOff Set Unacknowledged | =8202
        8204 <      | Generic OnOff Status | onoff [ target_onoff:onoff remaining ]
        models 1002 / 1003
        8205 > 8208 | Generic Level Get |
        8206 > 8208 | Generic Level Set | level tid [ transition delay ]
        8207 >      | Generic Level Set Unacknowledged | =8206
        8209 > 8208 | Generic Delta Set | delta:level-delta tid [ transition delay ]
        820a >      | Generic Delta Set Unacknowledged | =8209
        820b > 8208 | Generic Move Set | delta:level tid [ transition delay ]
        820c >      | Generic Move Set Unacknowledged | =820b
        8208 <      | Generic Level Status | level [ target_level:level remaining ]
        models 1004 / 1005
        820d > 8210 | Generic Default Transition Time Get |
        820e > 8210 | Generic Default Transition Time Set | transition_time:transition
        820f >      | Generic Default Transition Time Set Unacknowledged | =820e
        8210 <      | Generic Default Transition Time Status | transition_time:remaining
        models 1006 / 1008
        8211 > 8212 | Generic OnPowerUp Get |
        8212 <      | Generic OnPowerUp Status | on_power_up:on-power-up
        models 1007 / 1008
        8213 > 8212 | Generic OnPowerUp Set | on_power_up:on-power-up
        8214 >      | Generic OnPowerUp Set Unacknowledged | =8213
        models 1009 / 100b
        8215 > 8218 | Generic Power Level Get |
        8216 > 8218 | Generic Power Level Set | power tid [ transition delay ]
        8217 >      | Generic Power Level Set Unacknowledged | =8216
        8218 <      | Generic Power Level Status | power [ target_power:power remaining ]
        8219 > 821a | Generic Power Last Get |
        821a <      | Generic Power Last Status | power
        821b > 821c | Generic Power Default Get |
        821c <      | Generic Power Default Status | power:lightness-default
        821d > 821e | Generic Power Range Get |
        821e <      | Generic Power Range Status | status:range-status minimum:power maximum:power
        models 100a / 100b
        821f > 821c | Generic Power Default Set | power:lightness-default
        8220 >      | Generic Power Default Set Unacknowledged | =821f
        8221 > 821e | Generic Power Range Set | minimum:power-limit maximum:power-limit
        8222 >      | Generic Power Range Set Unacknowledged | =8221
        models 100c / 100d
        8223 > 8224 | Generic Battery Get |
        8224 <      | Generic Battery Status | level:battery-level time_to_discharge:battery-time time_to_charge:battery-time presence:battery-presence indicator:battery-indicator charging:battery-charging serviceability:battery-service
        models 100e / 1010
        8225 > 40   | Generic Location Global Get |
        40   <      | Generic Location Global Status | latitude longitude altitude
        8226 > 8227 | Generic Location Local Get |
        8227 <      | Generic Location Local Status | north:local-distance east:local-distance altitude:local-altitude floor:floor-number mobile:bit _7 update_time:location-update precision:location-precision
        models 100f / 1010
        41   > 40   | Generic Location Global Set | =40
        42   >      | Generic Location Global Set Unacknowledged | =40
        8228 > 8227 | Generic Location Local Set | =8227
        8229 >      | Generic Location Local Set Unacknowledged | =8227
        models 1012 / 1015
        822a > 43   | Generic Manufacturer Properties Get |
        43   <      | Generic Manufacturer Properties Status | properties*:property
        822b > 46   | Generic Manufacturer Property Get | property
        44   > 46   | Generic Manufacturer Property Set | property access:manufacturer-access
        45   >      | Generic Manufacturer Property Set Unacknowledged | =44
        46   <      | Generic Manufacturer Property Status | property [ access value:maybe-value ]
        models 1011 / 1015
        822c > 47   | Generic Admin Properties Get |
        47   <      | Generic Admin Properties Status | properties*:property
        822d > 4a   | Generic Admin Property Get | property
        48   > 4a   | Generic Admin Property Set | property access value
        49   >      | Generic Admin Property Set Unacknowledged | =48
        4a   <      | Generic Admin Property Status | property [ access value:maybe-value ]
        models 1013 / 1015
        822e > 4b   | Generic User Properties Get |
        4b   <      | Generic User Properties Status | properties*:property
        822f > 4e   | Generic User Property Get | property
        4c   > 4e   | Generic User Property Set | property value
        4d   >      | Generic User Property Set Unacknowledged | =4c
        4e   <      | Generic User Property Status | property [ access value:maybe-value ]
        models 1014 / 1015
        4f   > 50   | Generic Client Properties Get | property
        50   <      | Generic Client Properties Status | properties*:property
        """#

    static let sensorTimeAndScene = #"""
        models 1100 / 1102
        8230 > 51   | Sensor Descriptor Get | [ property ]
        51   <      | Sensor Descriptor Status | property / descriptors*( property positive_tolerance:tolerance negative_tolerance:tolerance sampling_function:sampling measurement_period:sensor-period update_interval:sensor-period )
        8231 > 52   | Sensor Get | [ property ]
        52   <      | Sensor Status | readings:sensor-data
        8232 > 53   | Sensor Column Get | property x:octets
        53   <      | Sensor Column Status | property x:column-x [ width:column-width y:octets ]
        8233 > 54   | Sensor Series Get | property [ x1:column-part x2:column-part ]
        54   <      | Sensor Series Status | property columns
        models 1101 / 1102
        8234 > 57   | Sensor Cadence Get | property
        55   > 57   | Sensor Cadence Set | property divisor:cadence-divisor trigger:cadence-trigger=0 delta_down:part delta_up:part minimum_interval:minimum-interval fast_low:part fast_high:part / property divisor:cadence-divisor trigger:cadence-trigger=1 delta_down:cadence-percent delta_up:cadence-percent minimum_interval:minimum-interval fast_low:part fast_high:part
        56   >      | Sensor Cadence Set Unacknowledged | =55
        57   <      | Sensor Cadence Status | property / =55
        8235 > 58   | Sensor Settings Get | property
        58   <      | Sensor Settings Status | property settings*:property
        8236 > 5b   | Sensor Setting Get | property setting:property
        59   > 5b   | Sensor Setting Set | property setting:property value
        5a   >      | Sensor Setting Set Unacknowledged | =59
        5b   <      | Sensor Setting Status | property setting:property [ access value:maybe-value ]
        models 1200 / 1202
        8237 > 5d   | Time Get |
        5d   <      | Time Status | tai subsecond uncertainty:time-uncertainty authority:bit tai_utc_delta:tai-utc zone / tai
        823b > 823d | Time Zone Get |
        823d <      | Time Zone Status | zone new_zone:zone change:tai-change
        823e > 8240 | TAI-UTC Delta Get |
        8240 <      | TAI-UTC Delta Status | tai_utc_delta:tai-utc _1 new_tai_utc_delta:tai-utc _1 change:tai-change
        models 1201 / 1202
        5c   > 5d   | Time Set | tai subsecond uncertainty:time-uncertainty authority:bit tai_utc_delta:tai-utc zone
        8238 > 823a | Time Role Get |
        8239 > 823a | Time Role Set | role:time-role
        823a <      | Time Role Status | role:time-role
        823c > 823d | Time Zone Set | new_zone:zone change:tai-change
        823f > 8240 | TAI-UTC Delta Set | new_tai_utc_delta:tai-utc _1 change:tai-change
        models 1203 / 1205
        8241 > 5e   | Scene Get |
        8242 > 5e   | Scene Recall | scene tid [ transition delay ]
        8243 >      | Scene Recall Unacknowledged | =8242
        5e   <      | Scene Status | status:scene-status scene:current-scene [ target_scene:current-scene remaining ]
        8244 > 8245 | Scene Register Get |
        8245 <      | Scene Register Status | status:scene-status scene:current-scene scenes*:stored-scene
        models 1204 / 1205
        8246 > 8245 | Scene Store | scene
        8247 >      | Scene Store Unacknowledged | =8246
        829e > 8245 | Scene Delete | scene
        829f >      | Scene Delete Unacknowledged | =829e
        models 1206 / 1208
        8248 > 5f   | Scheduler Action Get | index:schedule-index
        5f   <      | Scheduler Action Status | index:schedule-entry _4 / =60
        8249 > 824a | Scheduler Get |
        824a <      | Scheduler Status | schedules
        models 1207 / 1208
        60   > 5f   | Scheduler Action Set | index:schedule-entry year:schedule-year months:schedule-months day:schedule-day hour:schedule-hour minute:schedule-minute second:schedule-second weekdays:schedule-weekdays action:schedule-action transition:remaining scene:current-scene
        61   >      | Scheduler Action Set Unacknowledged | =60
        """#

    static let lighting = #"""
        models 1300 / 1302
        824b > 824e | Light Lightness Get |
        824c > 824e | Light Lightness Set | lightness tid [ transition delay ]
        824d >      | Light Lightness Set Unacknowledged | =824c
        824e <      | Light Lightness Status | lightness [ target_lightness:lightness remaining ]
        824f > 8252 | Light Lightness Linear Get |
        8250 > 8252 | Light Lightness Linear Set | =824c
        8251 >      | Light Lightness Linear Set Unacknowledged | =824c
        8252 <      | Light Lightness Linear Status | =824e
        8253 > 8254 | Light Lightness Last Get |
        8254 <      | Light Lightness Last Status | lightness
        8255 > 8256 | Light Lightness Default Get |
        8256 <      | Light Lightness Default Status | lightness:lightness-default
        8257 > 8258 | Light Lightness Range Get |
        8258 <      | Light Lightness Range Status | status:range-status minimum:lightness maximum:lightness
        models 1301 / 1302
        8259 > 8256 | Light Lightness Default Set | =8256
        825a >      | Light Lightness Default Set Unacknowledged | =8256
        825b > 8258 | Light Lightness Range Set | minimum:lightness-limit maximum:lightness-limit
        825c >      | Light Lightness Range Set Unacknowledged | =825b
        models 1303 / 1305
        825d > 8260 | Light CTL Get |
        825e > 8260 | Light CTL Set | lightness temperature delta_uv:delta-uv tid [ transition delay ]
        825f >      | Light CTL Set Unacknowledged | =825e
        8260 <      | Light CTL Status | lightness temperature [ target_lightness:lightness target_temperature:temperature remaining ]
        8262 > 8263 | Light CTL Temperature Range Get |
        8263 <      | Light CTL Temperature Range Status | status:range-status minimum:temperature-limit maximum:temperature-limit
        8267 > 8268 | Light CTL Default Get |
        8268 <      | Light CTL Default Status | lightness:lightness-default temperature delta_uv:delta-uv
        models 1304 / 1305
        8269 > 8268 | Light CTL Default Set | =8268
        826a >      | Light CTL Default Set Unacknowledged | =8268
        826b > 8263 | Light CTL Temperature Range Set | minimum:temperature-limit maximum:temperature-limit
        826c >      | Light CTL Temperature Range Set Unacknowledged | =826b
        models 1306 / 1305
        8261 > 8266 | Light CTL Temperature Get |
        8264 > 8266 | Light CTL Temperature Set | temperature delta_uv:delta-uv tid [ transition delay ]
        8265 >      | Light CTL Temperature Set Unacknowledged | =8264
        8266 <      | Light CTL Temperature Status | temperature delta_uv:delta-uv [ target_temperature:temperature target_delta_uv:delta-uv remaining ]
        models 1307 / 1309
        826d > 8278 | Light HSL Get |
        8276 > 8278 | Light HSL Set | lightness hue saturation tid [ transition delay ]
        8277 >      | Light HSL Set Unacknowledged | =8276
        8278 <      | Light HSL Status | lightness hue saturation [ remaining ]
        8279 > 827a | Light HSL Target Get |
        827a <      | Light HSL Target Status | target_lightness:lightness target_hue:hue target_saturation:saturation [ remaining ]
        827b > 827c | Light HSL Default Get |
        827c <      | Light HSL Default Status | lightness:lightness-default hue saturation
        827d > 827e | Light HSL Range Get |
        827e <      | Light HSL Range Status | status:range-status hue_minimum:hue hue_maximum:hue saturation_minimum:saturation saturation_maximum:saturation
        models 1308 / 1309
        827f > 827c | Light HSL Default Set | =827c
        8280 >      | Light HSL Default Set Unacknowledged | =827c
        8281 > 827e | Light HSL Range Set | hue_minimum:hue hue_maximum:hue saturation_minimum:saturation saturation_maximum:saturation
        8282 >      | Light HSL Range Set Unacknowledged | =8281
        models 130a / 1309
        826e > 8271 | Light HSL Hue Get |
        826f > 8271 | Light HSL Hue Set | hue tid [ transition delay ]
        8270 >      | Light HSL Hue Set Unacknowledged | =826f
        8271 <      | Light HSL Hue Status | hue [ target_hue:hue remaining ]
        models 130b / 1309
        8272 > 8275 | Light HSL Saturation Get |
        8273 > 8275 | Light HSL Saturation Set | saturation tid [ transition delay ]
        8274 >      | Light HSL Saturation Set Unacknowledged | =8273
        8275 <      | Light HSL Saturation Status | saturation [ target_saturation:saturation remaining ]
        models 130c / 130e
        8283 > 8286 | Light xyL Get |
        8284 > 8286 | Light xyL Set | lightness x:chromaticity y:chromaticity tid [ transition delay ]
        8285 >      | Light xyL Set Unacknowledged | =8284
        8286 <      | Light xyL Status | lightness x:chromaticity y:chromaticity [ remaining ]
        8287 > 8288 | Light xyL Target Get |
        8288 <      | Light xyL Target Status | target_lightness:lightness target_x:chromaticity target_y:chromaticity [ remaining ]
        8289 > 828a | Light xyL Default Get |
        828a <      | Light xyL Default Status | lightness:lightness-default x:chromaticity y:chromaticity
        828b > 828c | Light xyL Range Get |
        828c <      | Light xyL Range Status | status:range-status x_minimum:chromaticity x_maximum:chromaticity y_minimum:chromaticity y_maximum:chromaticity
        models 130d / 130e
        828d > 828a | Light xyL Default Set | =828a
        828e >      | Light xyL Default Set Unacknowledged | =828a
        828f > 828c | Light xyL Range Set | x_minimum:chromaticity x_maximum:chromaticity y_minimum:chromaticity y_maximum:chromaticity
        8290 >      | Light xyL Range Set Unacknowledged | =828f
        models 130f / 1311
        8291 > 8294 | Light LC Mode Get |
        8292 > 8294 | Light LC Mode Set | mode:onoff
        8293 >      | Light LC Mode Set Unacknowledged | =8292
        8294 <      | Light LC Mode Status | mode:onoff
        8295 > 8298 | Light LC OM Get |
        8296 > 8298 | Light LC OM Set | mode:onoff
        8297 >      | Light LC OM Set Unacknowledged | =8296
        8298 <      | Light LC OM Status | mode:onoff
        8299 > 829c | Light LC Light OnOff Get |
        829a > 829c | Light LC Light OnOff Set | onoff tid [ transition delay ]
        829b >      | Light LC Light OnOff Set Unacknowledged | =829a
        829c <      | Light LC Light OnOff Status | onoff [ target_onoff:onoff remaining ]
        models 1310 / 1311
        829d > 64   | Light LC Property Get | property
        62   > 64   | Light LC Property Set | property value
        63   >      | Light LC Property Set Unacknowledged | =62
        64   <      | Light LC Property Status | property value
        models 1312
        65   >      | IEC 62386-104 Frame | ?
        """#

    static let health = #"""
        models 0002 / 0003
        04   <      | Health Current Status | test:health-test company faults*:fault
        05   <      | Health Fault Status | test:health-test company faults*:fault
        802f > 05   | Health Fault Clear | company
        8030 >      | Health Fault Clear Unacknowledged | company
        8031 > 05   | Health Fault Get | company
        8032 > 05   | Health Fault Test | test:health-test company
        8033 >      | Health Fault Test Unacknowledged | =8032
        8034 > 8037 | Health Period Get |
        8035 > 8037 | Health Period Set | divisor:health-divisor
        8036 >      | Health Period Set Unacknowledged | =8035
        8037 <      | Health Period Status | divisor:health-divisor
        8004 > 8007 | Health Attention Get |
        8005 > 8007 | Health Attention Set | attention
        8006 >      | Health Attention Set Unacknowledged | =8005
        8007 <      | Health Attention Status | attention
        """#
}
