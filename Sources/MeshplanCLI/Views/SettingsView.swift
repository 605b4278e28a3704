import Definitions
import SystemLayer

/// Shows what command lines may leave out in this folder, and where each value comes from.
struct SettingsView {
    var settings: Settings

    /// Writes the settings as text or JSON; nothing if there are none.
    func show(in context: Context) {
        guard !settings.all.isEmpty else { return }
        if let lines = context.json {
            for setting in settings.all {
                lines.write([
                    "type": "setting", "option": "--\(setting.key.rawValue)".json,
                    "values": .array(setting.values.map(\.json)), "origin": setting.origin.json,
                ])
            }
            return
        }
        context.output.line(context.style(.bold, "Settings"))
        var table = Table()
        for setting in settings.all {
            for (index, value) in setting.values.enumerated() {
                table.rows.append([
                    index == 0 ? "--\(setting.key.rawValue)" : "", value.printable, index == 0 ? setting.origin : "",
                ])
            }
        }
        context.output.write(table.render(context.style, indent: "  "))
        context.output.line()
    }
}
