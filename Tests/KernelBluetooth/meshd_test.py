"""bluetooth-meshd of BlueZ as a node that meshplan configures: a stack that nobody here wrote.

    meshd_test.py MESHPLAN

meshd has an adapter of the kernel, whose radio is that of `meshplan sim run --air`; a simulated proxy beside it is the way
in. What meshd was configured to is compared with what it stores itself.
"""

import asyncio
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

from mesh_adapter import mesh_adapter
from mesh_application import COMPANY, VENDOR_MODEL, MeshNode

ADDRESS = 0x0100
DEVICE = uuid.UUID("11220000-0000-4e4d-8000-0000000000b1")  # meshd takes valid ones of RFC 4122 only
LABEL = "0073e7e4d8b9440faf8415df4c56c0e1"
MESHD = "/usr/libexec/bluetooth/bluetooth-meshd"

DEVICES = """
products:
  lamp: { company: 0x0059, product: 1, features: [relay, proxy], elements: [{ models: [generic-onoff-server] }] }
devices:
  lamp: { uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001, product: lamp }
"""

DEFINITION = """
version: 1
network: bed
subnets: { primary: { index: 0 } }
application_keys:
  lighting: { subnet: primary, index: 0 }
  vendor: { subnet: primary, index: 1 }
groups:
  all-lights: { address: 0xC000 }
  kitchen: { address: 0xC001 }
  beats: { address: 0xC002 }
  label: { label: %(label)s }
nodes:
  lamp:
    uuid: 0d5c5a0e6f5b4f0ea1a50b1f1c1f0001
    features: { relay: on, proxy: on }
%(node)s
"""

NODE = """
  bluez:
    uuid: %(uuid)s
    on_remove: reset
    ttl: 5
    features: { relay: on }
    network_transmit: { count: 1, interval: 100ms }
    relay_retransmit: { count: 2, interval: 30ms }
    heartbeat: { publish: { to: beats, period: 64s, count: 8, ttl: 4, features: [relay] } }
    elements:
      0:
        generic-onoff-server:
          keys: [lighting]
          subscribe: [all-lights, label]
          publish: { to: kitchen, key: lighting, ttl: 3, period: 10s, retransmit: { count: 2, interval: 150ms } }
        generic-level-server: { keys: [lighting], subscribe: [kitchen] }
        0x05F1:0x0001: { keys: [vendor], subscribe: [kitchen, label], publish: { to: label, key: vendor } }
      1:
        generic-onoff-server: { keys: [lighting, vendor], subscribe: [all-lights, kitchen] }
"""

LESS = """
  bluez:
    uuid: %(uuid)s
    on_remove: reset
    ttl: 5
    features: { relay: off }
    network_transmit: { count: 1, interval: 100ms }
    heartbeat: { publish: off }
    elements:
      0:
        generic-onoff-server: { keys: [lighting], subscribe: [kitchen], publish: none }
        generic-level-server: { keys: [lighting], subscribe: [] }
        0x05F1:0x0001: { keys: [vendor], subscribe: [label], publish: { to: label, key: vendor } }
      1:
        generic-onoff-server: { keys: [lighting], subscribe: [all-lights] }
"""


class Failure(Exception):
    pass


def expect(what, actual, wanted):
    if actual != wanted:
        raise Failure(f"{what}: {actual!r}, not {wanted!r}")


class Bed:
    """The programs of one run, in a folder of their own."""

    def __init__(self, meshplan):
        self.meshplan = meshplan
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="meshd-"))
        self.storage = self.folder / "storage"
        self.storage.mkdir()
        self.log = open(self.folder / "air.log", "w")
        self.running = []
        self.begin = time.monotonic()

    def write(self, name, text, **values):
        (self.folder / name).write_text(text % values if values else text)

    def define(self, node):
        self.write("bed.yaml", DEFINITION, label=LABEL, node=node % {"uuid": DEVICE})

    def start(self, name, *command):
        log = open(self.folder / f"{name}.log", "w")
        process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log)
        self.running.append(process)
        return process

    async def run(self, *arguments, status=0, says=()):
        """Runs meshplan, without a terminal; what it wrote."""
        begin = time.monotonic()
        process = await asyncio.create_subprocess_exec(
            self.meshplan, *arguments, cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        output = (await asyncio.wait_for(process.communicate(), 180))[0].decode()
        print(f"{time.monotonic() - self.begin:7.1f} s  meshplan {' '.join(arguments)}: {process.returncode},"
              f" {time.monotonic() - begin:.1f} s", flush=True)
        missing = [text for text in says if text not in output]
        if process.returncode != status or missing:
            raise Failure(f"meshplan {' '.join(arguments)} ended with {process.returncode}, not {status}; "
                          f"it did not say {missing}:\n{output}")
        return output

    async def until(self, what, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise Failure(f"{what}: not within {seconds} s")
            await asyncio.sleep(0.1)

    def stored(self):
        """What meshd keeps of its node."""
        files = list(self.storage.glob("*/node.json"))
        expect("nodes that meshd stores", len(files), 1)
        return json.loads(files[0].read_text())

    def change_stored(self, change):
        """Changes what meshd keeps while it does not run, as another tool would change the node."""
        (file,) = self.storage.glob("*/node.json")
        node = json.loads(file.read_text())
        change(node)
        for name in [file, file.with_suffix(".json.bak")]:
            name.write_text(json.dumps(node))

    def stop(self, process):
        process.terminate()
        process.wait(30)
        self.running.remove(process)

    def close(self):
        for process in self.running:
            process.kill()
            process.wait()

    def tell(self):
        for file in self.storage.glob("*/node.json"):
            print(f"--- {file.name}", file.read_text(), sep="\n")
        for log in sorted(self.folder.glob("*.log")):
            print(f"--- {log.name}, the end of it", *log.read_text(errors="replace").splitlines()[-int(os.environ.get("BED_LINES", "60")):], sep="\n")


def model(stored, element, identifier):
    models = stored["elements"][element]["models"]
    (found,) = [model for model in models if model["modelId"].lower() == identifier]
    return found


def check_configured(stored):
    """Everything of NODE, in the form in which meshd writes it."""
    expect("ttl", stored["defaultTTL"], 5)
    expect("transmit", (stored["retransmit"]["count"], stored["retransmit"]["interval"]), (1, 100))
    expect("relay", (stored["relay"]["mode"], stored["relay"]["count"], stored["relay"]["interval"]), ("enabled", 2, 30))
    expect("application keys", sorted(key["index"] for key in stored["appKeys"]), [0, 1])
    server = model(stored, 0, "1000")
    expect("bindings", server["bind"], ["0000"])
    expect("subscriptions", sorted(text.lower() for text in server["subscribe"]), [LABEL, "c000"])
    publication = server["publish"]
    expect("publication", (publication["address"].lower(), publication["index"], publication["ttl"]), ("c001", 0, 3))
    expect("level", (model(stored, 0, "1002")["bind"], model(stored, 0, "1002")["subscribe"]), (["0000"], ["c001"]))
    vendor = model(stored, 0, f"{COMPANY:04x}{VENDOR_MODEL:04x}")
    expect("vendor", (vendor["bind"], sorted(text.lower() for text in vendor["subscribe"])), (["0001"], [LABEL, "c001"]))
    expect("label published to", vendor["publish"]["address"].lower(), LABEL)
    second = model(stored, 1, "1000")
    expect("second element", (sorted(second["bind"]), sorted(second["subscribe"])), (["0000", "0001"], ["c000", "c001"]))


async def scenario(bed):
    via = ["--via", "unix:mesh.sock"]
    await bed.run("init", "--network", "bed")
    (bed.folder / "sim").mkdir()
    bed.write("sim/devices.yaml", DEVICES)
    bed.start("simulator", bed.meshplan, "sim", "run", "--listen", "unix:mesh.sock", "--air", f"unix:{bed.folder}/air.sock",
              "--devices", "sim/devices.yaml", "--state-file", "sim/state")
    await bed.until("the simulator listens", (bed.folder / "air.sock").exists)
    number = await mesh_adapter(str(bed.folder / "air.sock"), str(bed.folder / "adapter.sock"), bed.log)

    # Another tool has put the device into the network: its file says so, and the device knows.
    await bed.run("export", "--cdb", "before.json")
    network = json.loads((bed.folder / "before.json").read_text())
    key = os.urandom(16)
    network["nodes"].append({
        "UUID": str(DEVICE).upper(), "name": "bluez", "unicastAddress": f"{ADDRESS:04X}", "deviceKey": key.hex().upper(),
        "security": "secure", "configComplete": False, "excluded": False, "appKeys": [],
        "netKeys": [{"index": 0, "updated": False}],
        "elements": [{"index": index, "location": "0000", "models": []} for index in range(2)],
    })
    bed.write("after.json", json.dumps(network))
    await bed.run("db", "merge", "after.json", "--base", "before.json", "--auto-approve")

    daemon = [MESHD, "--nodetach", "--debug", "--io", f"auto:hci{number}", "--storage", str(bed.storage)]
    meshd = bed.start("meshd", *daemon)
    node = MeshNode()
    await node.start()
    await node.import_node(DEVICE.bytes, key, bytes.fromhex(network["netKeys"][0]["key"]), 0, ADDRESS)

    print("Configured:")
    bed.define(NODE)
    await bed.run("apply", *via, "--auto-approve", "--listen", "0", says=["Apply complete."])
    check_configured(bed.stored())
    await bed.run("plan", "--detailed-exitcode")
    await bed.run("refresh", *via, "--node", "bluez", says=["bluez: as recorded"])

    print("Changed by somebody else, and mended:")
    bed.stop(meshd)
    bed.change_stored(lambda stored: (stored.update(defaultTTL=9), model(stored, 1, "1000")["subscribe"].remove("c000")))
    meshd = bed.start("meshd-again", *daemon)
    await node.service()
    await node.attach()
    await bed.run("refresh", *via, "--node", "bluez")
    await bed.run("drift", status=3, says=["ttl", "all-lights"])
    await bed.run("apply", *via, "--auto-approve", "--listen", "0", says=["Apply complete."])
    check_configured(bed.stored())

    print("Less of it:")
    bed.define(LESS)
    await bed.run("apply", *via, "--auto-approve", "--listen", "0", says=["Apply complete."])
    stored = bed.stored()
    expect("relay", stored["relay"]["mode"], "disabled")
    expect("subscriptions", [text.lower() for text in model(stored, 0, "1000")["subscribe"]], ["c001"])
    expect("publication", "publish" in model(stored, 0, "1000"), False)
    await bed.run("refresh", *via, "--node", "bluez", says=["bluez: as recorded"])
    await bed.run("plan", "--detailed-exitcode")

    print("Reset:")
    # meshd 5.66 is reset at once and its Node Reset Status never leaves it, so that meshplan cannot know what became of it.
    bed.define("")
    output = await bed.run("apply", *via, "--auto-approve", "--listen", "0", status=4)
    await bed.until("meshd has forgotten its node", lambda: not list(bed.storage.glob("*/node.json")))
    if "node was-reset" in output:
        await bed.run("node", "was-reset", "bluez", "--auto-approve")
    else:
        await bed.run("state", "rm", "node.bluez", "--auto-approve")
    await bed.run("apply", *via, "--auto-approve", "--listen", "0")
    await bed.run("plan", "--detailed-exitcode")


async def main():
    bed = Bed(os.path.realpath(sys.argv[1]))
    try:
        await scenario(bed)
    except (Failure, RuntimeError, TimeoutError, asyncio.TimeoutError, KeyError, ValueError) as error:
        bed.tell()
        print(f"bluetooth-meshd: {error}")
        return 1
    finally:
        bed.close()
    shutil.rmtree(bed.folder)
    print(f"bluetooth-meshd: passed after {time.monotonic() - bed.begin:.0f} s")
    return 0


sys.exit(asyncio.run(main()))
