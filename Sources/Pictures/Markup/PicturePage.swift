/// A page of its own that loads nothing: a picture, and the same as a table.
enum PicturePage {
    /// The page.
    ///
    /// - Parameters:
    ///   - title: its title, as plain text.
    ///   - picture: an SVG picture.
    ///   - heading: what the table shows, as plain text.
    ///   - table: the parts of the table as markup.
    static func text(title: String, picture: String, heading: String, table: String) -> String {
        let title = MarkupText.escaped(title)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>
            body { margin: 1rem; font: 16px/1.5 system-ui, sans-serif; }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; }
            th, td { padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top; }
            tr + tr td { border-top: 1px solid #8888; }
            </style>
            </head>
            <body>
            <h1>\(title)</h1>
            <div class="scroll" tabindex="0" role="region" aria-label="Picture">
            \(picture)</div>
            <h2>\(MarkupText.escaped(heading))</h2>
            <div class="scroll" tabindex="0" role="region" aria-label="Table">
            <table>
            \(table)</table>
            </div>
            </body>
            </html>

            """
    }
}
