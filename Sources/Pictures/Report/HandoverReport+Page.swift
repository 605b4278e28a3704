extension HandoverReport {
    /// The report as one page. It loads nothing from elsewhere and forbids the browser to, so that it works from a
    /// memory stick; it follows the reader's light or dark colours, and can be printed.
    package func html() -> String {
        let title = MarkupText.escaped(title.map { "\($0) (network \(network))" } ?? "Network \(network)")
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
            script-src 'unsafe-inline'; img-src data:">
            <title>\(title): report of \(MarkupText.escaped(day))</title>
            <style>
            \(ReportAssets.style)</style>
            </head>
            <body>
            <a class="skip" href="#content">Skip to the report</a>
            <header>
            <p class="kicker">\(MarkupText.escaped(self.title == nil ? "Bluetooth Mesh network" : "Bluetooth Mesh network \(network)"))</p>
            <h1>\(MarkupText.escaped(self.title ?? network))</h1>
            <p>Report of <time datetime="\(MarkupText.escaped(made))">\(MarkupText.escaped(moment))</time>. \
            \(MarkupText.escaped(source))</p>
            </header>
            \(verdict())<section aria-label="Figures"><dl class="figures">
            \(figures.map(text).joined())</dl></section>
            <nav aria-label="Sections of the report"><ul>
            \(sections.map(link).joined())</ul></nav>
            <form id="search-form" role="search" hidden>
            <label for="search">Search in all tables</label>
            <input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="search-status">
            <p id="search-status" role="status"></p>
            </form>
            <main id="content" tabindex="-1">
            \(sections.map(text).joined())</main>
            <footer><p>\(title), report of \(MarkupText.escaped(moment)).</p></footer>
            <script>
            \(ReportAssets.script)</script>
            </body>
            </html>

            """
    }

    /// The day in ``moment``.
    private var day: String { String(moment.prefix { $0 != " " }) }

    private func verdict() -> String {
        var text = "<section class=\"verdict \(tone.rawValue)\" aria-labelledby=\"verdict\">\n"
        text += "<h2 id=\"verdict\">\(headline)</h2>\n"
        let items =
            (findings + unknowns).map { finding in
                "<li>\(badge(finding.tone))<a href=\"#\(finding.section)\">\(MarkupText.escaped(finding.text))</a></li>\n"
            }
            + assurances.map { "<li>\(badge(.good))\(MarkupText.escaped($0))</li>\n" }
        if !items.isEmpty { text += "<ul>\n" + items.joined() + "</ul>\n" }
        return text + "</section>\n"
    }

    /// A sign with a word for those who cannot see it.
    private func badge(_ tone: Tone) -> String {
        let (sign, word) =
            switch tone {
            case .plain, .good: ("✓", "Well")
            case .unknown: ("?", "Not known")
            case .warning: ("!", "Look at it")
            case .bad: ("✗", "Broken")
            }
        return "<span class=\"sign \(tone.rawValue)\" role=\"img\" aria-label=\"\(word)\">\(sign)</span> "
    }

    private func text(_ figure: Figure) -> String {
        let detail =
            figure.detail.isEmpty ? "" : "<dd class=\"detail\">\(MarkupText.escaped(figure.detail))</dd>"
        return """
            <div class="\(figure.tone.rawValue)"><dt>\(MarkupText.escaped(figure.name))</dt>\
            <dd>\(MarkupText.escaped(figure.value))</dd>\(detail)</div>

            """
    }

    private func link(_ section: Section) -> String {
        "<li><a href=\"#\(section.identifier)\">\(MarkupText.escaped(section.title))</a></li>\n"
    }

    private func text(_ section: Section) -> String {
        """
        <section id="\(section.identifier)" aria-labelledby="\(section.identifier)-title">
        <h2 id="\(section.identifier)-title">\(MarkupText.escaped(section.title))</h2>
        \(section.blocks.map(text).joined())</section>

        """
    }

    private func text(_ block: Block) -> String {
        switch block {
        case .text(let text): return "<p>\(MarkupText.escaped(text))</p>\n"
        case .heading(let text): return "<h3>\(MarkupText.escaped(text))</h3>\n"
        case .command(let text): return "<pre><code>\(MarkupText.escaped(text))</code></pre>\n"
        case .picture(let svg, let caption):
            let caption = MarkupText.escaped(caption)
            return """
                <figure>
                <div class="picture" tabindex="0" role="region" aria-label="\(caption)">
                \(svg)</div>
                <figcaption>\(caption)</figcaption>
                </figure>

                """
        case .table(let table): return text(table)
        }
    }

    /// A table. On narrow screens each row becomes a block of lines, which would take the meaning of a table from it
    /// for screen readers; so the roles are written.
    private func text(_ table: Table) -> String {
        var text = "<table role=\"table\">\n<caption>\(MarkupText.escaped(table.caption))</caption>\n"
        text += "<thead role=\"rowgroup\"><tr role=\"row\">"
        for column in table.columns {
            text += "<th role=\"columnheader\" scope=\"col\">\(MarkupText.escaped(column))</th>"
        }
        text += "</tr></thead>\n<tbody role=\"rowgroup\">\n"
        for row in table.rows {
            text += "<tr role=\"row\">"
            for (position, (column, cell)) in zip(table.columns, row).enumerated() {
                let label = MarkupText.escaped(column)
                let lines = cell.lines.map(MarkupText.escaped).joined(separator: "<br>")
                let tone =
                    cell.tone == .plain || lines.isEmpty
                    ? lines : "<span class=\"mark \(cell.tone.rawValue)\">\(lines)</span>"
                if position == 0 {
                    text += "<th role=\"rowheader\" scope=\"row\" data-label=\"\(label)\">\(tone)</th>"
                } else {
                    text +=
                        "<td role=\"cell\" data-label=\"\(label)\"\(lines.isEmpty ? " class=\"empty\"" : "")>\(tone)</td>"
                }
            }
            text += "</tr>\n"
        }
        return text + "</tbody>\n</table>\n"
    }
}
