#!/usr/bin/env python3
"""Opens reports in headless Chromium and Firefox and checks what they do there.

check.py BROWSER FIREFOX AXE FOLDER   the reports office.html and broken.html of a folder; pictures go beside them.
                                      FIREFOX and AXE, a file with the rules of axe-core, may be empty
check.py --faults FILE NODE...        writes faults of nodes into the results of `meshplan health --json`
"""

import html as html_module
import http.server
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

# What is read from the page once it is loaded. The result goes into an attribute, which --dump-dom prints.
PROBE = """
<script>
(function () {
  function name(control) {
    var labels = control.labels && control.labels.length ? control.labels[0].textContent : "";
    return (control.getAttribute("aria-label") || labels || control.textContent || control.title || "").trim();
  }
  function rows() { return Array.from(document.querySelectorAll("main tbody tr")); }
  function shown() { return rows().filter(function (row) { return !row.hidden; }); }
  function search(text) {
    field.value = text;
    field.dispatchEvent(new Event("input"));
  }
  var result = {};
  var field = document.getElementById("search");
  result.rows = rows().length;
  search("NODE");
  result.found = shown().length;
  result.wrong = shown().filter(function (row) { return row.textContent.toLowerCase().indexOf("NODE".toLowerCase()) < 0; })
    .length;
  result.status = document.getElementById("search-status").textContent;
  search("no such thing");
  result.none = shown().length;
  search("");
  result.all = shown().length;
  var controls = Array.from(document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]"))
    .filter(function (control) { return control.offsetParent !== null; });
  result.unnamed = controls.filter(function (control) { return name(control) === ""; })
    .map(function (control) { return control.outerHTML.slice(0, 200); });
  // The order of the Tab key is that of the document unless somebody gives controls numbers.
  result.numbered = controls.filter(function (control) { return control.tabIndex > 0; }).length;
  result.lost = controls.filter(function (control) {
    control.focus();
    return document.activeElement !== control;
  }).map(function (control) { return control.outerHTML.slice(0, 200); });
  result.broken = controls.filter(function (control) {
    var target = control.getAttribute("href") || "";
    return target[0] === "#" && !document.getElementById(decodeURIComponent(target.slice(1)));
  }).map(function (control) { return control.getAttribute("href"); });
  result.images = Array.from(document.querySelectorAll("img, svg")).filter(function (image) {
    return !(image.getAttribute("aria-label") || image.alt || image.querySelector("title")
      || image.getAttribute("aria-hidden") || image.closest("[aria-label], [aria-hidden]"));
  }).length;
  result.headings = Array.from(document.querySelectorAll("h1, h2, h3")).map(function (heading) {
    return Number(heading.tagName[1]);
  });
  result.language = document.documentElement.lang;
  // What is wider than its box is cut, or cannot be seen without scrolling. A region that scrolls is a box, too: on
  // paper and on a telephone nobody sees that it does. Names for screen readers alone lie far outside.
  result.wide = Array.from(document.querySelectorAll("body *")).filter(function (element) {
    if (element.closest("svg") && element.tagName.toLowerCase() !== "svg") { return false; }
    if (element.closest("thead, .skip") || element.offsetParent === null && element.tagName !== "svg") { return false; }
    var box = element.getBoundingClientRect();
    var around = element.parentElement.getBoundingClientRect();
    return box.width > 0 && (box.right > around.right + 1 || element.scrollWidth > element.clientWidth + 1
      && element.clientWidth > 0 && getComputedStyle(element).display !== "inline");
  }).map(function (element) { return element.outerHTML.slice(0, 160); }).slice(0, 5);
  // Within pictures nothing stands beyond the edge of the picture, and no text beyond its box.
  result.cut = Array.from(document.querySelectorAll("svg")).flatMap(function (picture) {
    var view = picture.viewBox.baseVal;
    return Array.from(picture.querySelectorAll("text")).filter(function (text) {
      var box = text.getBBox();
      var frame = text.parentElement.tagName === "g" ? text.parentElement.querySelector("rect.box") : null;
      var right = frame ? frame.x.baseVal.value + frame.width.baseVal.value : view.x + view.width;
      return box.width > 0 && (box.x < view.x - 1 || box.x + box.width > right + 1 || box.y + box.height > view.y + view.height + 1);
    });
  }).map(function (text) { return text.textContent; }).slice(0, 5);
  result.width = document.documentElement.scrollWidth;
  result.screen = window.innerWidth;
  var style = getComputedStyle(document.body);
  result.colours = [style.color, style.backgroundColor === "rgba(0, 0, 0, 0)"
    ? getComputedStyle(document.documentElement).backgroundColor : style.backgroundColor];
  function finish(violations) {
    result.rules = violations;
    document.body.setAttribute("data-result", JSON.stringify(result));
    if (window.tellTo) { location.replace(window.tellTo + "?" + encodeURIComponent(JSON.stringify(result))); }
  }
  if (!window.axe) { return finish([]); }
  // Without frames and pictures, which axe would fetch. Colours of text on translucent grounds are left to a person.
  axe.run(document, { iframes: false, preload: false }).then(function (found) {
    finish(found.violations.map(function (rule) { return rule.id + ": " + rule.nodes[0].html.slice(0, 120); }));
  }, function (error) { finish(["axe-core does not run: " + error]); });
})();
</script>
"""


# Pixels: a telephone, a tablet or a window beside another one, a screen.
WIDTHS = (400, 1000, 1400)

# A request of a page, in what the browser logs of the network. Those of the browser itself come from no origin.
REQUEST = r'"initiator":"(?!not an origin)[^"]*"[^\n]*?"url":"((?:https?|wss?|ftp):[^"]*)"'


def fail(message):
    print("FAILED:", message, file=sys.stderr)
    sys.exit(1)


def browse(browser, page, width, dark, *more):
    """The document as the browser has it, and whatever else it tells."""
    profile = tempfile.mkdtemp(prefix="meshplan-profile.")
    log = os.path.join(profile, "network.json")
    command = [
        browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
        "--enable-logging=stderr", f"--user-data-dir={profile}", f"--window-size={width},900", f"--log-net-log={log}",
        "--virtual-time-budget=30000",
    ]
    if dark:
        command.append("--blink-settings=preferredColorScheme=0")
    try:
        done = subprocess.run(
            command + list(more) + ["file://" + page], capture_output=True, text=True, timeout=120, check=False
        )
        with open(log, encoding="utf-8") as file:
            requests = set(re.findall(REQUEST, file.read()))
    finally:
        shutil.rmtree(profile, ignore_errors=True)
    return done.stdout, done.stderr, requests


class Listener(http.server.BaseHTTPRequestHandler):
    """Takes what a page tells that no option of its browser prints."""

    def do_GET(self):
        query = urllib.parse.urlsplit(self.path).query
        if query:
            self.server.told.put(json.loads(urllib.parse.unquote(query)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def browse_firefox(firefox, page, width):
    """What the page tells in Firefox, in a frame of that width: Firefox has a least width of its own."""
    profile = tempfile.mkdtemp(prefix="meshplan-profile.")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    server.told = queue.Queue()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    inner = os.path.join(profile, "inner.html")
    outer = os.path.join(profile, "outer.html")
    with open(page, encoding="utf-8") as file:
        html = file.read()
    told = f'<script>window.tellTo = "http://127.0.0.1:{server.server_port}/";</script>'
    with open(inner, "w", encoding="utf-8") as file:
        file.write(html.replace("<body>", "<body>" + told))
    with open(outer, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><title>frame</title><iframe src="inner.html" width="{width}" height="900" frameborder="0">')
    process = subprocess.Popen(
        [firefox, "--headless", "--no-remote", "--profile", profile, "file://" + outer],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=profile, MOZ_HEADLESS_WIDTH="1600"),
    )
    try:
        return server.told.get(timeout=120)
    except queue.Empty:
        return None
    finally:
        process.terminate()
        process.wait()
        server.shutdown()
        shutil.rmtree(profile, ignore_errors=True)


def luminance(colour):
    parts = [int(float(part)) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(first, second):
    high, low = sorted([luminance(first), luminance(second)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def judge(title, result):
    """What holds of a page in every browser, at every width."""
    if not 0 < result["found"] < result["rows"] or result["wrong"] or result["none"]:
        fail(f"{title}: the search finds the wrong rows: {result}")
    if result["all"] != result["rows"] or f"{result['found']} of" not in result["status"]:
        fail(f"{title}: the search counts wrong: {result}")
    for key in ("unnamed", "numbered", "lost", "broken", "images", "wide", "cut", "rules"):
        if result[key]:
            fail(f"{title}: {key}: {result[key]}")
    levels = result["headings"]
    if levels[:1] != [1] or any(b > a + 1 for a, b in zip(levels, levels[1:])) or not result["language"]:
        fail(f"{title}: headings {levels}, language {result['language']!r}")
    if result["width"] > result["screen"]:
        fail(f"{title}: {result['width']} pixels wide on a screen of {result['screen']}")
    if contrast(*result["colours"]) < 7:
        fail(f"{title}: text is hard to read: {result['colours']}")


def check(browser, firefox, axe, folder, name, node):
    with open(os.path.join(folder, name + ".html"), encoding="utf-8") as file:
        html = file.read()
    named = re.findall(r"""(?:src|href|action)=["'](?!#|data:)([^"']*)|url\((?!["']?(?:#|data:))([^)]*)""", html)
    if any(any(part) for part in named):
        fail(f"{name}: the page names something outside of it: {named[:3]}")
    rules = ""
    if axe:
        with open(axe, encoding="utf-8") as file:
            rules = "<script>" + file.read().replace("</script", "<\\/script") + "</script>"
    probe = os.path.join(folder, name + "-probe.html")
    with open(probe, "w", encoding="utf-8") as file:
        file.write(html.replace("</body>", rules + PROBE.replace("NODE", node) + "</body>"))
    light = None
    for dark in (False, True):
        for width in WIDTHS:
            title = f"{name}, {width} pixels, {'dark' if dark else 'light'}"
            text, told, requests = browse(browser, probe, width, dark, "--dump-dom")
            if ":CONSOLE" in told:
                fail(f"{title}: the console tells {told[told.index(':CONSOLE'):][:500]}")
            if requests:
                fail(f"{title}: it asks the network for {sorted(requests)[:3]}")
            found = re.search(r'data-result="([^"]*)"', text)
            if not found:
                fail(f"{title}: the page did not load: {text[-500:]}")
            result = json.loads(html_module.unescape(found[1]))
            judge(title, result)
            if dark and result["colours"] == light:
                fail(f"{title}: it is as light as ever")
            light = light if dark else result["colours"]
            picture = os.path.join(folder, f"{name}-{width}-{'dark' if dark else 'light'}.png")
            page = os.path.join(folder, name + ".html")
            browse(browser, page, width, dark, f"--screenshot={picture}", f"--window-size={width},4000")
            print(f"{title}: {result['rows']} rows, {result['found']} with {node}")
    for width in WIDTHS if firefox else ():
        title = f"{name}, {width} pixels, Firefox"
        result = browse_firefox(firefox, probe, width)
        if result is None:
            fail(f"{title}: the page did not load")
        judge(title, result)
        print(f"{title}: {result['rows']} rows, {result['found']} with {node}")
    os.remove(probe)


def add_faults(path, nodes):
    """Lets nodes have faults, as if their health servers had told them."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    changed = 0
    for line in lines:
        if line.get("node") in nodes and line.get("element") == 0 and "registered_faults" in line:
            faults = [{"code": 1, "name": "battery-low-warning"}, {"code": 17, "name": "overheat-warning"}]
            line["registered_faults"] = faults[: 1 + changed % 2]
            changed += 1
    if changed < len(nodes):
        fail(f"{path} has no lines of {nodes}: {lines[:2]}")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


def main():
    if sys.argv[1:2] == ["--faults"]:
        return add_faults(sys.argv[2], sys.argv[3:])
    browser, firefox, axe, folder = sys.argv[1:]
    # A page that asks the network for something must be found out, else it says nothing that others are not.
    control = os.path.join(folder, "control.html")
    with open(control, "w", encoding="utf-8") as file:
        file.write('<!doctype html><title>control</title><img src="http://meshplan.invalid/x.png" alt="">')
    if not any("meshplan.invalid" in url for url in browse(browser, control, 400, False, "--dump-dom")[2]):
        fail("requests of pages are not seen in what the browser logs")
    os.remove(control)
    check(browser, firefox, axe, folder, "office", "lamp-kitchen")
    check(browser, firefox, axe, folder, "broken", "lamp-kitchen")
    return None


if __name__ == "__main__":
    main()
