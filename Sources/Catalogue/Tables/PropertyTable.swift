/// The device properties (Device Properties 1.1 and Assigned Numbers).
///
/// A line has the identifier, the title and the fields, least significant octet first. After a stroke stand the fields
/// of another length that shipped devices use: the octets that arrive decide. `histogram` marks what a sensor reports
/// in columns: the value, then where its column begins and ends.
enum PropertyTable {
    static let text = #"""
        0001 | Average Ambient Temperature in a Period of Day | temperature:temperature-8 start_time:decihour end_time:decihour | histogram
        0002 | Average Input Current | electric_current_value:current sensing_duration:time-exponential
        0003 | Average Input Voltage | voltage_value:voltage sensing_duration:time-exponential
        0004 | Average Output Current | electric_current_value:current sensing_duration:time-exponential
        0005 | Average Output Voltage | voltage_value:voltage sensing_duration:time-exponential
        0006 | Center Beam Intensity at Full Power | luminous_intensity:luminous-intensity
        0007 | Chromaticity Tolerance | chromaticity_tolerance:chromaticity-tolerance
        0008 | Color Rendering Index R9 | color_rendering_index:color-rendering-index
        0009 | Color Rendering Index Ra | color_rendering_index:color-rendering-index
        000a | Device Appearance | subcategory:appearance-subcategory category:appearance-category
        000b | Device Country of Origin | country_code:country-code
        000c | Device Date of Manufacture | date
        000d | Device Energy Use Since Turn On | energy:energy-24
        000e | Device Firmware Revision | fixed_string:text-8
        000f | Device Global Trade Item Number | global_trade_item_number:gtin
        0010 | Device Hardware Revision | fixed_string:text-16
        0011 | Device Manufacturer Name | fixed_string:text-36
        0012 | Device Model Number | fixed_string:text-24
        0013 | Device Operating Temperature Range Specification | minimum_temperature:temperature-16 maximum_temperature:temperature-16 / minimum_temperature:temperature-8 maximum_temperature:temperature-8
        0014 | Device Operating Temperature Statistical Values | average_temperature:temperature-16 standard_deviation_temperature:temperature-16 minimum_temperature:temperature-16 maximum_temperature:temperature-16 sensing_duration:time-exponential
        0015 | Device Over Temperature Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0016 | Device Power Range Specification | minimum_power_value:power-24 typical_power_value:power-24 maximum_power_value:power-24
        0017 | Device Runtime Since Turn On | time_hour_24:time-hour-24
        0018 | Device Runtime Warranty | time_hour_24:time-hour-24
        0019 | Device Serial Number | fixed_string:text-16
        001a | Device Software Revision | fixed_string:text-8
        001b | Device Under Temperature Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        001c | Indoor Ambient Temperature Statistical Values | average:temperature-8 standard_deviation_value:temperature-8 minimum_value:temperature-8 maximum_value:temperature-8 sensing_duration:time-exponential
        001d | Initial CIE 1931 Chromaticity Coordinates | chromaticity_x_coordinate:chromaticity-16 chromaticity_y_coordinate:chromaticity-16
        001e | Initial Correlated Color Temperature | correlated_color_temperature:color-temperature-16
        001f | Initial Luminous Flux | luminous_flux:luminous-flux
        0020 | Initial Planckian Distance | distance_from_planckian:planckian-distance
        0021 | Input Current Range Specification | minimum_electric_current_value:current typical_electric_current_value:current maximum_electric_current_value:current
        0022 | Input Current Statistics | average_electric_current_value:current standard_deviation_electric_current_value:current minimum_electric_current_value:current maximum_electric_current_value:current sensing_duration:time-exponential
        0023 | Input Over Current Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0024 | Input Over Ripple Voltage Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0025 | Input Over Voltage Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0026 | Input Under Current Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0027 | Input Under Voltage Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0028 | Input Voltage Range Specification | minimum_voltage_value:voltage typical_voltage_value:voltage maximum_voltage_value:voltage
        0029 | Input Voltage Ripple Specification | percentage_8:percentage-8
        002a | Input Voltage Statistics | average_voltage_value:voltage standard_deviation_voltage_value:voltage minimum_voltage_value:voltage maximum_voltage_value:voltage sensing_duration:time-exponential
        002b | Light Control Ambient LuxLevel On | illuminance:illuminance-24
        002c | Light Control Ambient LuxLevel Prolong | illuminance:illuminance-24
        002d | Light Control Ambient LuxLevel Standby | illuminance:illuminance-24
        002e | Light Control Lightness On | perceived_lightness:perceived-lightness
        002f | Light Control Lightness Prolong | perceived_lightness:perceived-lightness
        0030 | Light Control Lightness Standby | perceived_lightness:perceived-lightness
        0031 | Light Control Regulator Accuracy | percentage_8:percentage-8
        0032 | Light Control Regulator Kid | coefficient
        0033 | Light Control Regulator Kiu | coefficient
        0034 | Light Control Regulator Kpd | coefficient
        0035 | Light Control Regulator Kpu | coefficient
        0036 | Light Control Time Fade | time_millisecond_24:time-millisecond-24
        0037 | Light Control Time Fade On | time_millisecond_24:time-millisecond-24
        0038 | Light Control Time Fade Standby Auto | time_millisecond_24:time-millisecond-24
        0039 | Light Control Time Fade Standby Manual | time_millisecond_24:time-millisecond-24
        003a | Light Control Time Occupancy Delay | time_millisecond_24:time-millisecond-24
        003b | Light Control Time Prolong | time_millisecond_24:time-millisecond-24
        003c | Light Control Time Run On | time_millisecond_24:time-millisecond-24
        003d | Lumen Maintenance Factor | percentage_8:percentage-8
        003e | Luminous Efficacy | luminous_efficacy:luminous-efficacy
        003f | Luminous Energy Since Turn On | luminous_energy:luminous-energy
        0040 | Luminous Exposure | luminous_exposure:luminous-exposure
        0041 | Luminous Flux Range | minimum_luminous_flux:luminous-flux maximum_luminous_flux:luminous-flux
        0042 | Motion Sensed | percentage_8:percentage-8
        0043 | Motion Threshold | percentage_8:percentage-8
        0044 | Open Circuit Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0045 | Outdoor Statistical Values | average:temperature-8 standard_deviation_value:temperature-8 minimum_value:temperature-8 maximum_value:temperature-8 sensing_duration:time-exponential
        0046 | Output Current Range | minimum_electric_current_value:current maximum_electric_current_value:current
        0047 | Output Current Statistics | average_electric_current_value:current standard_deviation_electric_current_value:current minimum_electric_current_value:current maximum_electric_current_value:current sensing_duration:time-exponential
        0048 | Output Ripple Voltage Specification | percentage_8:percentage-8
        0049 | Output Voltage Range | minimum_voltage_value:voltage typical_voltage_value:voltage maximum_voltage_value:voltage / minimum_voltage_value:voltage maximum_voltage_value:voltage
        004a | Output Voltage Statistics | average_voltage_value:voltage standard_deviation_voltage_value:voltage minimum_voltage_value:voltage maximum_voltage_value:voltage sensing_duration:time-exponential
        004b | Over Output Ripple Voltage Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        004c | People Count | count:count-16
        004d | Presence Detected | boolean:presence
        004e | Present Ambient Light Level | illuminance:illuminance-24
        004f | Present Ambient Temperature | temperature_8:temperature-8
        0050 | Present CIE 1931 Chromaticity Coordinates | chromaticity_x_coordinate:chromaticity-16 chromaticity_y_coordinate:chromaticity-16
        0051 | Present Correlated Color Temperature | correlated_color_temperature:color-temperature-16
        0052 | Present Device Input Power | power:power-24
        0053 | Present Device Operating Efficiency | percentage_8:percentage-8
        0054 | Present Device Operating Temperature | temperature:temperature-16
        0055 | Present Illuminance | illuminance:illuminance-24
        0056 | Present Indoor Ambient Temperature | temperature_8:temperature-8
        0057 | Present Input Current | current
        0058 | Present Input Ripple Voltage | percentage_8:percentage-8
        0059 | Present Input Voltage | voltage_value:voltage
        005a | Present Luminous Flux | luminous_flux:luminous-flux
        005b | Present Outdoor Ambient Temperature | temperature_8:temperature-8
        005c | Present Output Current | current
        005d | Present Output Voltage | voltage_value:voltage
        005e | Present Planckian Distance | distance_from_planckian:planckian-distance
        005f | Present Relative Output Ripple Voltage | percentage_8:percentage-8
        0060 | Relative Device Energy Use in a Period of Day | energy_value:energy-24 start_time:decihour end_time:decihour | histogram
        0061 | Relative Device Runtime in a Generic Level Range | relative_value:percentage-8 minimum_generic_level:perceived-lightness maximum_generic_level:perceived-lightness | histogram
        0062 | Relative Exposure Time in an Illuminance Range | relative_value:percentage-8 minimum_illuminance:illuminance-24 maximum_illuminance:illuminance-24 | histogram
        0063 | Relative Runtime in a Correlated Color Temperature Range | relative_runtime:percentage-8 minimum_correlated_color_temperature:color-temperature-16 maximum_correlated_color_temperature:color-temperature-16 | histogram
        0064 | Relative Runtime in a Device Operating Temperature Range | relative_value:percentage-8 minimum_temperature_value:temperature-16 maximum_temperature_value:temperature-16 | histogram
        0065 | Relative Runtime in an Input Current Range | relative_runtime_value:percentage-8 minimum_current:current maximum_current:current | histogram
        0066 | Relative Runtime in an Input Voltage Range | relative_value:percentage-8 minimum_voltage:voltage maximum_voltage:voltage | histogram
        0067 | Short Circuit Event Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0068 | Time Since Motion Sensed | time_millisecond_24:time-millisecond-24 / time_second_16:time-second-16
        0069 | Time Since Presence Detected | time_second_16:time-second-16
        006a | Total Device Energy Use | energy:energy-24
        006b | Total Device Off On Cycles | count:count-24
        006c | Total Device Power On Cycles | count:count-24
        006d | Total Device Power On Time | time_hour_24:time-hour-24
        006e | Total Device Runtime | time_hour_24:time-hour-24 / time_decihour_8:decihour
        006f | Total Light Exposure Time | time_hour_24:time-hour-24
        0070 | Total Luminous Energy | luminous_energy:luminous-energy
        0071 | Desired Ambient Temperature | temperature_8:temperature-8
        0072 | Precise Total Device Energy Use | energy_32:energy-32
        0073 | Power Factor | cosine_of_the_angle:cosine-of-the-angle
        0074 | Sensor Gain | coefficient
        0075 | Precise Present Ambient Temperature | temperature:temperature-16
        0076 | Present Ambient Relative Humidity | humidity
        0077 | Present Ambient Carbon Dioxide Concentration | co2_concentration:co2-concentration
        0078 | Present Ambient Volatile Organic Compounds Concentration | voc_concentration:voc-concentration
        0079 | Present Ambient Noise | noise
        0080 | Active Energy Loadside | energy_32:energy-32
        0081 | Active Power Loadside | power:power-24
        0082 | Air Pressure | pressure
        0083 | Apparent Energy | apparent_energy_32:apparent-energy-32
        0084 | Apparent Power | apparent_power:apparent-power
        0085 | Apparent Wind Direction | apparent_wind_direction:direction
        0086 | Apparent Wind Speed | apparent_wind_speed:speed
        0087 | Dew Point | dew_point:temperature-1
        0088 | External Supply Voltage | high_voltage:high-voltage
        0089 | External Supply Voltage Frequency | voltage_frequency:voltage-frequency
        008a | Gust Factor | gust_factor:gust-factor
        008b | Heat Index | heat_index:temperature-1
        008c | Light Distribution | light_distribution:light-distribution
        008d | Light Source Current | electric_current_value:current sensing_duration:time-exponential
        008e | Light Source On Time Not Resettable | time_second_32:time-second-32
        008f | Light Source On Time Resettable | time_second_32:time-second-32
        0090 | Light Source Open Circuit Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0091 | Light Source Overall Failures Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0092 | Light Source Short Circuit Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0093 | Light Source Start Counter Resettable | count:count-24
        0094 | Light Source Temperature | high_temperature:high-temperature
        0095 | Light Source Thermal Derating Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0096 | Light Source Thermal Shutdown Statistics | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        0097 | Light Source Total Power On Cycles | count:count-24
        0098 | Light Source Voltage | voltage_value:voltage sensing_duration:time-exponential
        0099 | Luminaire Color | fixed_string:text-24
        009a | Luminaire Identification Number | fixed_string:text-24
        009b | Luminaire Manufacturer GTIN | global_trade_item_number:gtin
        009c | Luminaire Nominal Input Power | power:power-24
        009d | Luminaire Nominal Maximum AC Mains Voltage | voltage_value:voltage
        009e | Luminaire Nominal Minimum AC Mains Voltage | voltage_value:voltage
        009f | Luminaire Power at Minimum Dim Level | power:power-24
        00a0 | Luminaire Time of Manufacture | date
        00a1 | Magnetic Declination | magnetic_declination:direction
        00a2 | Magnetic Flux Density - 2D | x_axis:magnetic-flux-density y_axis:magnetic-flux-density
        00a3 | Magnetic Flux Density - 3D | x_axis:magnetic-flux-density y_axis:magnetic-flux-density z_axis:magnetic-flux-density
        00a4 | Nominal Light Output | light_output:light-output
        00a5 | Overall Failure Condition | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        00a6 | Pollen Concentration | pollen_concentration:pollen-concentration
        00a7 | Present Indoor Relative Humidity | humidity
        00a8 | Present Outdoor Relative Humidity | humidity
        00a9 | Pressure | pressure
        00aa | Rainfall | rainfall
        00ab | Rated Median Useful Life of Luminaire | time_hour_24:time-hour-24
        00ac | Rated Median Useful Light Source Starts | count:count-24
        00ad | Reference Temperature | high_temperature:high-temperature
        00ae | Total Device Starts | count:count-24
        00af | True Wind Direction | true_wind_direction:direction
        00b0 | True Wind Speed | true_wind_speed:speed
        00b1 | UV Index | uv_index:uv-index
        00b2 | Wind Chill | wind_chill:temperature-1
        00b3 | Light Source Type | light_source_type:light-source-type
        00b4 | Luminaire Identification String | fixed_string_64:text-64
        00b5 | Output Power Limitation | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        00b6 | Thermal Derating | number_of_events:count-16 average_event_duration:time-second-16 time_elapsed_since_last_event:time-exponential sensing_duration:time-exponential
        00b7 | Output Current Percent | percentage_8:percentage-8
        00b8 | Motion Threshold Steps | percentage_8_steps:percentage-8-steps
        00b9 | Building Floor | floor_number:floor-number
        00ba | Local Asset Identifier | fixed_string:text-36
        00bb | Local Asset Name | fixed_string:text-36
        00bc | Spatial Unit Category | fixed_string:text-36
        00bd | Spatial Unit Name | fixed_string:text-36
        00be | Coarse Ambient Relative Humidity | humidity_8:percentage-8
        00bf | Coarse Present Ambient Light Level | illuminance_16:illuminance-16
        00c0 | HVAC Occupancy Minimum Run Time | time_second_16:time-second-16
        00c1 | HVAC Occupancy Threshold Time | time_second_16:time-second-16
        00c2 | Present Ambient Temperature and Coarse Ambient Relative Humidity | present_ambient_temperature:temperature-8 coarse_ambient_relative_humidity:percentage-8
        00c3 | Present Precise Ambient Temperature and Relative Humidity | present_precise_ambient_temperature:temperature-16 present_ambient_relative_humidity:humidity
        00c4 | Subsensor Weights 2 | steps:percentage-8-steps weight_1:percentage-8 weight_2:percentage-8
        00c5 | Subsensor Weights 3 | steps:percentage-8-steps weight_1:percentage-8 weight_2:percentage-8 weight_3:percentage-8
        00c6 | Subsensor Weights 4 | steps:percentage-8-steps weight_1:percentage-8 weight_2:percentage-8 weight_3:percentage-8 weight_4:percentage-8
        00c7 | Subsensor Weights 5 | steps:percentage-8-steps weight_1:percentage-8 weight_2:percentage-8 weight_3:percentage-8 weight_4:percentage-8 weight_5:percentage-8
        00c8 | Subsensor Weights 6 | steps:percentage-8-steps weight_1:percentage-8 weight_2:percentage-8 weight_3:percentage-8 weight_4:percentage-8 weight_5:percentage-8 weight_6:percentage-8
        00c9 | Subsensor Weights 7 | steps:percentage-8-steps weight_1:percentage-8 weight_2:percentage-8 weight_3:percentage-8 weight_4:percentage-8 weight_5:percentage-8 weight_6:percentage-8 weight_7:percentage-8
        00ca | Subsensor Weights 8 | steps:percentage-8-steps weight_1:percentage-8 weight_2:percentage-8 weight_3:percentage-8 weight_4:percentage-8 weight_5:percentage-8 weight_6:percentage-8 weight_7:percentage-8 weight_8:percentage-8
        00cb | HVAC Vacancy Threshold Time | time_second_16:time-second-16
        00cc | 3D Acceleration Sensor Status | vector_x:acceleration-8 vector_y:acceleration-8 vector_z:acceleration-8
        00cd | Acceleration Detection Status | acceleration_detection_status:acceleration-detection-status
        00ce | Contact Status | contact_0_status:contact contact_1_status:contact contact_2_status:contact contact_3_status:contact contact_4_status:contact contact_5_status:contact contact_6_status:contact contact_7_status:contact
        00cf | Door/Window Status | open_status:door-window-status
        00d0 | Precise 3D Acceleration Sensor Status | vector_x:acceleration-16 vector_y:acceleration-16 vector_z:acceleration-16
        00d1 | Pushbutton Status | button_0_status:pushbutton button_1_status:pushbutton button_2_status:pushbutton button_3_status:pushbutton
        """#
}
