/// The types of the fields of device properties (GATT Specification Supplement, Device Properties); see
/// ``FieldType/init(name:notation:)`` for the notation. What is not known or not valid has a word.
enum PropertyTypeTable {
    static let text = #"""
        temperature-8                   s8 /2 [°C] -128..126 0x7f=not-known
        decihour                        u8 /10 [h] 0..239 0xff=not-known !
        current                         u16 /100 [A] 0..65534 0xffff=not-known
        time-exponential                u8 1.1^(n-64) zero [s] 0..253 0xfe=device-lifetime 0xff=not-known
        voltage                         u16 /64 [V] 0..65408 0xffff=not-known
        luminous-intensity              u16 [cd] 0..65534 0xffff=not-known !
        chromaticity-tolerance          u8 /10000
        color-rendering-index           s8 -128..100 0x7f=not-known !
        appearance-subcategory          u6
        appearance-category             u10
        country-code                    u16 0..4095 0xffff=not-known
        date                            u24 [d] date 1..16777214 0x000000=not-known
        energy-24                       u24 [kWh] 0..16777214 0xffffff=not-known
        text-8                          text8
        gtin                            u48 0x000000000000=not-known
        text-16                         text16
        text-36                         text36
        text-24                         text24
        temperature-16                  s16 /100 [°C] -27315..32767 0x8000=not-known !
        count-16                        u16 0..65534 0xffff=not-known
        time-second-16                  u16 [s] 0..65534 0xffff=not-known
        power-24                        u24 /10 [W] 0..16777213 0xfffffe=not-valid 0xffffff=not-known
        time-hour-24                    u24 [h] 0..16777214 0xffffff=not-known
        chromaticity-16                 u16 /65536
        color-temperature-16            u16 [K] 800..65534 0xffff=not-known
        luminous-flux                   u16 [lm] 0..65534 0xffff=not-known !
        planckian-distance              s16 /100000 -5000..5000 0x7fff=not-valid 0x7ffe=not-known !
        percentage-8                    u8 /2 [%] 0..200 0xff=not-known !
        illuminance-24                  u24 /100 [lx] 0..16777214 0xffffff=not-known !
        perceived-lightness             u16
        coefficient                     float
        time-millisecond-24             u24 /1000 [s] 0..16777214 0xffffff=not-known
        luminous-efficacy               u16 /10 [lm/W] 0..18000 0xffff=not-known !
        luminous-energy                 u24 *1000 [lm·h] 0..16777214 0xffffff=not-known !
        luminous-exposure               u24 *1000 [lx·h] 0..16777214 0xffffff=not-known !
        presence                        u8 boolean 0=false 1=true !
        count-24                        u24 0..16777214 0xffffff=not-known
        energy-32                       u32 /1000 [kWh] 0..4294967293 0xfffffffe=not-valid 0xffffffff=not-known
        cosine-of-the-angle             s8 /100 -100..100 0x7f=not-known !
        humidity                        u16 /100 [%] 0..10000 0xffff=not-known !
        co2-concentration               u16 [ppm] 0..65533 0xfffe=65534-or-above 0xffff=not-known
        voc-concentration               u16 [ppb] 0..65533 0xfffe=65534-or-above 0xffff=not-known
        noise                           u8 [dB] 0..253 0xfe=254-or-above 0xff=not-known
        pressure                        u32 /10 [Pa]
        apparent-energy-32              u32 /1000 [kVAh] 0..4294967293 0xfffffffe=not-valid 0xffffffff=not-known
        apparent-power                  u24 /10 [VA] 0..16777213 0xfffffe=not-valid 0xffffff=not-known
        direction                       u16 /100 [°] 0..35999
        speed                           u16 /100 [m/s]
        temperature-1                   s8 [°C]
        high-voltage                    u24 /64 [V] 0..16777214 0xffffff=not-known
        voltage-frequency               u16 [Hz] 1..65533 0x0000=direct-current 0xfffe=not-valid 0xffff=not-known
        gust-factor                     u8 /10
        light-distribution              u8 0=not-specified 1=type-i 2=type-ii 3=type-iii 4=type-iv 5=type-v ?
        time-second-32                  u32 [s] 0..4294967294 0xffffffff=not-known
        high-temperature                s16 /2 [°C] -546..32767 0x8001=not-valid 0x8000=not-known !
        magnetic-flux-density           s16 /10000000 [T]
        light-output                    u24 [lm] 0..16777213 0xfffffe=not-valid 0xffffff=not-known
        pollen-concentration            u24 [1/m³]
        rainfall                        u16 /1000 [m]
        uv-index                        u8
        light-source-type               u8 0=not-specified 1=low-pressure-fluorescent 2=high-intensity-discharge 3=low-voltage-halogen 4=incandescent 5=led 6=oled 253=other 254=none 255=multiple ?
        text-64                         text64
        percentage-8-steps              u8 1..200 0xff=not-known !
        floor-number                    u8 n-20 [floor] 0..252 0x00=-20-or-below 0xfc=232-or-above 0xfd=ground-floor-0 0xfe=ground-floor-1 0xff=not-known
        illuminance-16                  u16 [lx] 0..65534 0xffff=not-known
        acceleration-8                  s8 /100 [gn] -128..125 0x7e=out-of-range 0x7f=not-known
        acceleration-detection-status   u8 0=no-change 1=change ?
        contact                         u1 0=open-or-unused 1=closed
        door-window-status              u8 0=open 1=closed 2=tilted-or-ajar ?
        acceleration-16                 s16 /1000 [gn] -32768..32765 0x7ffe=out-of-range 0x7fff=not-known
        pushbutton                      u2 0=idle-or-unused 1=pressed 2=released 3=held
        """#
}
