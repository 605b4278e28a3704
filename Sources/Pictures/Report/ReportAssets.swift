/// The style and the script of reports.
enum ReportAssets {
    /// The style: light, dark and printed, wide and narrow.
    static let style = """
        :root {
          color-scheme: light dark;
          --paper: #ffffff; --raised: #f6f8fa; --ink: #1f2328; --soft: #59636e; --rule: #d1d9e0; --link: #0550ae;
          --good: #116329; --good-paper: #dafbe1; --warning: #7d4e00; --warning-paper: #fff3c4;
          --bad: #a40e26; --bad-paper: #ffebe9;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #0d1117; --raised: #151b23; --ink: #f0f6fc; --soft: #9da7b1; --rule: #3d444d; --link: #79b8ff;
            --good: #56d364; --good-paper: #10301a; --warning: #e3b341; --warning-paper: #332701;
            --bad: #ff7b72; --bad-paper: #3b1215;
          }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 4.5rem; }
        body {
          margin: 0 auto; max-width: 76rem; padding: 1.5rem clamp(0.75rem, 3vw, 2rem); background: var(--paper);
          color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
        }
        h1 { margin: 0; font-size: 2rem; line-height: 1.2; }
        h2 { margin: 2.5rem 0 0.5rem; font-size: 1.35rem; }
        h3 { margin: 1.5rem 0 0.25rem; font-size: 1.05rem; }
        p { margin: 0.5rem 0; max-width: 46rem; }
        a { color: var(--link); }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        main:focus { outline: none; }
        header p, footer, figcaption, caption { color: var(--soft); }
        .kicker { margin: 0; }
        .skip { position: absolute; left: -999rem; }
        .skip:focus { left: 1rem; top: 1rem; padding: 0.5rem; background: var(--paper); }
        .verdict { margin: 1.25rem 0; padding: 1rem 1.25rem; border-left: 6px solid; border-radius: 6px; }
        .verdict h2 { margin: 0; color: var(--ink); }
        .verdict ul { margin: 0.5rem 0 0; padding: 0; list-style: none; }
        .verdict li { display: flex; gap: 0.5rem; color: var(--ink); }
        .verdict.good { background: var(--good-paper); border-color: var(--good); }
        .verdict.warning { background: var(--warning-paper); border-color: var(--warning); }
        .verdict.unknown { background: var(--raised); border-color: var(--soft); border-left-style: dashed; }
        .verdict.bad { background: var(--bad-paper); border-color: var(--bad); }
        .sign { width: 1.25rem; flex: none; text-align: center; font-weight: 700; }
        .sign.good, .figures .good dd { color: var(--good); }
        .sign.unknown, .figures .unknown dd { color: var(--soft); }
        .sign.warning, .figures .warning dd { color: var(--warning); }
        .sign.bad, .figures .bad dd { color: var(--bad); }
        .figures {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: 0.75rem; margin: 1.25rem 0;
        }
        .figures div { padding: 0.6rem 0.9rem; background: var(--raised); border: 1px solid var(--rule); border-radius: 6px; }
        .figures dt { color: var(--soft); font-size: 0.875rem; }
        .figures dd { margin: 0; font-size: 1.25rem; font-weight: 600; }
        .figures div.unknown { border-style: dashed; border-color: var(--soft); }
        .figures div dd.detail { color: var(--soft); font-size: 0.8125rem; font-weight: 400; }
        nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0; padding: 0; list-style: none; }
        nav a { display: inline-block; padding: 0.25rem 0; }
        form {
          position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center;
          gap: 0.25rem 0.75rem; margin: 1rem 0 0; padding: 0.6rem 0; background: var(--paper);
          border-bottom: 1px solid var(--rule);
        }
        form[hidden] { display: none; }
        form p { margin: 0; color: var(--soft); }
        input {
          flex: 1 1 12rem; max-width: 24rem; padding: 0.4rem 0.6rem; border: 1px solid var(--soft); border-radius: 6px;
          background: var(--paper); color: var(--ink); font: inherit;
        }
        figure { margin: 1rem 0; }
        .picture { overflow-x: auto; border: 1px solid var(--rule); border-radius: 6px; }
        .picture svg { display: block; max-width: 100%; min-width: 44rem; height: auto; margin: 0 auto; }
        pre { overflow-x: auto; padding: 0.6rem 0.9rem; background: var(--raised); border-radius: 6px; }
        table { width: 100%; margin: 0.75rem 0; border-collapse: collapse; font-size: 0.9375rem; }
        caption { padding: 0.25rem 0; text-align: left; }
        th, td { padding: 0.4rem 0.75rem 0.4rem 0; border-top: 1px solid var(--rule); text-align: left; vertical-align: top; }
        thead th { border-top: 0; border-bottom: 2px solid var(--rule); color: var(--soft); font-weight: 600; }
        tbody th { font-weight: 600; }
        tr[hidden] { display: none; }
        tbody tr:nth-child(even) { background: var(--raised); }
        .mark { padding: 0 0.4rem; border-radius: 4px; overflow-wrap: break-word; }
        .mark.good { background: var(--good-paper); color: var(--good); }
        .mark.warning { background: var(--warning-paper); color: var(--warning); }
        .mark.unknown { background: var(--raised); color: var(--soft); border: 1px dashed; }
        .mark.bad { background: var(--bad-paper); color: var(--bad); }
        footer { margin-top: 3rem; border-top: 1px solid var(--rule); font-size: 0.875rem; }
        @media screen and (max-width: 44rem) {
          h1 { font-size: 1.6rem; }
          table, tbody, tr, th, td { display: block; }
          caption { display: block; }
          thead { position: absolute; left: -999rem; }
          tbody tr { padding: 0.5rem 0.6rem; border-top: 1px solid var(--rule); }
          th, td { padding: 0.1rem 0; border: 0; }
          td { display: grid; grid-template-columns: 7.5rem 1fr; gap: 0 0.5rem; }
          td > * { justify-self: start; }
          td::before { content: attr(data-label); color: var(--soft); }
          td.empty { display: none; }
          .picture svg { min-width: 0; }
        }
        @media print {
          :root {
            --paper: #ffffff; --raised: #ffffff; --ink: #000000; --soft: #444444; --rule: #999999; --link: #000000;
            --good: #116329; --good-paper: #ffffff; --warning: #7d4e00; --warning-paper: #ffffff; --bad: #a40e26;
            --bad-paper: #ffffff;
          }
          body { max-width: none; padding: 0; font-size: 10pt; }
          nav, form, .skip { display: none; }
          a { text-decoration: none; }
          h2, h3, caption { break-after: avoid; }
          tr, figure, .verdict, .figures div { break-inside: avoid; }
          thead { display: table-header-group; }
          .picture { overflow: visible; border: 0; }
          .picture svg { min-width: 0; max-height: 22cm; }
          table { font-size: 8.5pt; }
        }

        """

    /// The script of the search box. Without it the page is complete, and the box is not shown.
    static let script = """
        (function () {
          "use strict";
          var form = document.getElementById("search-form");
          var field = document.getElementById("search");
          var status = document.getElementById("search-status");
          var rows = Array.prototype.map.call(document.querySelectorAll("main tbody tr"), function (row) {
            return { row: row, text: row.textContent.toLowerCase() };
          });
          function show() {
            var words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
            var found = 0;
            rows.forEach(function (entry) {
              var matches = words.every(function (word) { return entry.text.indexOf(word) >= 0; });
              entry.row.hidden = !matches;
              if (matches) { found += 1; }
            });
            status.textContent = words.length === 0 ? "" : found + " of " + rows.length + " rows";
          }
          form.hidden = rows.length === 0;
          form.addEventListener("submit", function (event) {
            event.preventDefault();
            var first = rows.find(function (entry) { return !entry.row.hidden; });
            if (first) { first.row.scrollIntoView({ block: "center" }); }
          });
          field.addEventListener("input", show);
          field.addEventListener("keydown", function (event) {
            if (event.key === "Escape") { field.value = ""; show(); }
          });
          document.addEventListener("keydown", function (event) {
            if (event.key !== "/" || event.target === field) { return; }
            event.preventDefault();
            field.focus();
          });
        })();

        """
}
