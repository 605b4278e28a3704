/// Names of companies whose products are common in mesh networks; for display only.
package enum CompanyCatalogue {
    /// The name behind a company identifier of the Assigned Numbers; nil if it is not among the common ones.
    package static func name(of company: UInt16) -> String? {
        names[company]
    }

    private static let names: [UInt16: String] = [
        0x0002: "Intel Corp.",
        0x0006: "Microsoft",
        0x000A: "Qualcomm Technologies International",
        0x000D: "Texas Instruments Inc.",
        0x000F: "Broadcom Corporation",
        0x001D: "Qualcomm",
        0x0030: "ST Microelectronics",
        0x003F: "Bluetooth SIG, Inc",
        0x004C: "Apple, Inc.",
        0x0059: "Nordic Semiconductor ASA",
        0x005D: "Realtek Semiconductor Corporation",
        0x0075: "Samsung Electronics Co. Ltd.",
        0x00E0: "Google",
        0x0131: "Cypress Semiconductor",
        0x0136: "Silvair, Inc.",
        0x0171: "Amazon.com Services LLC",
        0x0211: "Telink Semiconductor Co. Ltd",
        0x02E5: "Espressif Systems",
        0x02FF: "Silicon Laboratories",
        0x038F: "Xiaomi Inc.",
        0x05F1: "The Linux Foundation",
    ]
}
