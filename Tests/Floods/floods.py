"""See Tests/Floods/run, which starts this in a network namespace of its own."""

import collections, itertools, os, pathlib, select, shutil, signal, socket, subprocess, sys, tempfile, time

MESHPLAN = os.environ["MESHPLAN_EXECUTABLE"]
RATE = 3_000
HOST = "fd00:1::1"
NEAR, WIDE = "its own address", "a whole /64"
LIMITS = {"descriptors": 400, "megabytes": 40}
top = tempfile.mkdtemp(prefix="floods-")
children = []


def start(*words, log):
    """Starts meshplan, and waits until it listens."""
    out = open(os.path.join(top, log), "w")
    child = subprocess.Popen([MESHPLAN, *words], cwd=top, stdin=subprocess.PIPE, stdout=out, stderr=out)
    children.append(child)
    until = time.monotonic() + 20
    while "listening" not in pathlib.Path(top, log).read_text():
        if time.monotonic() > until or child.poll() is not None:
            sys.exit(f"{words} does not listen:\n{pathlib.Path(top, log).read_text()}")
        time.sleep(0.02)
    return child


def meshplan(*words):
    done = subprocess.run([MESHPLAN, *words], cwd=top, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def need(*words):
    status, said = meshplan(*words)
    if status != 0:
        sys.exit(f"{words} ends with {status}:\n{said}")


def recorded_hello(certificate, port):
    """The first octets that a client sends to a gateway."""
    server = socket.socket(socket.AF_INET6)
    server.bind((HOST, port))
    server.listen()
    client = subprocess.Popen(
        [MESHPLAN, "scan", "--via", f"gateway://door@[{HOST}]:{port}", "--time", "1s"],
        cwd=top, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    server.settimeout(20)
    connection, _ = server.accept()
    octets = connection.recv(8_192)
    client.kill()
    client.wait()
    connection.close()
    server.close()
    return octets


def flood(port, sources, words):
    """Connects for ever, and never closes what is younger than two seconds."""
    held = collections.deque()
    origins = itertools.cycle([HOST] if sources == NEAR else [f"fd00:1::{n:x}:{n * 7:x}" for n in range(2, 5_000)])
    begin, made = time.monotonic(), 0
    while True:
        now = time.monotonic()
        while made < (now - begin) * RATE:
            connection = socket.socket(socket.AF_INET6)
            connection.setblocking(False)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            try:
                connection.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
                connection.bind((next(origins), 0))
                connection.connect((HOST, port))
            except BlockingIOError:
                pass
            except OSError:
                connection.close()
                made += 1
                continue
            held.append((now, connection, bool(words)))
            made += 1
        for place, (since, connection, waits) in enumerate(held):
            if not waits:
                continue
            try:
                connection.send(words)
            except BlockingIOError:
                continue
            except OSError:
                pass
            held[place] = (since, connection, False)
        while held and (held[0][0] < now - 2 or len(held) > 8_000):
            held.popleft()[1].close()
        time.sleep(0.002)


class Flood:
    def __init__(self, port, sources, words):
        self.child = os.fork()
        if self.child == 0:
            try:
                flood(port, sources, words)
            finally:
                os._exit(1)

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)


def use(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    peak = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
    return len(os.listdir(f"/proc/{process.pid}/fd")), peak / 1_024


def new_gateway(number, port):
    """How long a gateway takes until the hub has it; nil if that is over a minute."""
    begin = time.monotonic()
    child = subprocess.Popen(
        [MESHPLAN, "gateway", "--dial", f"tcp:[{HOST}]:{port}", "--certificate", "g.pem", "--via", "unix:sim.sock"],
        cwd=top, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )
    try:
        while time.monotonic() < begin + 60:
            if not select.select([child.stdout], [], [], 0.1)[0]:
                continue
            line = child.stdout.readline()
            if "connected to the hub" in line:
                return time.monotonic() - begin
            if not line:
                return None
        return None
    finally:
        child.terminate()
        child.wait()


def main():
    is_long = "--long" in sys.argv[1:]
    count = 9 if is_long else 3
    for words in ("link set lo up", f"-6 addr add {HOST}/64 dev lo nodad", "-6 route add local fd00:1::/64 dev lo"):
        subprocess.run(["ip", *words.split()], check=True)
    pathlib.Path("/proc/sys/net/ipv6/ip_nonlocal_bind").write_text("1")
    need("init")
    pathlib.Path(top, "devices.yaml").write_text(DEVICES)
    need("gateway", "pair", "door", "--out", "door.pem")
    need("hub", "pair", "tower", "--out", "tower.pem")
    need("hub", "pair", "tower", "--gateway", "g", "--out", "g.pem")
    start("sim", "run", "--listen", "unix:sim.sock", "--devices", "devices.yaml", "--state-file", "sim.state", log="sim")
    hello = recorded_hello("door.pem", 7500)
    gateway = start(
        "gateway", "--listen", f"tcp:[{HOST}]:7447", "--certificate", "door.pem", "--via", "unix:sim.sock", log="gateway"
    )
    hub = start(
        "hub", "run", "--listen", f"tcp:[{HOST}]:7448", "--serve", "unix:hub.sock", "--certificate", "tower.pem", log="hub"
    )
    kinds = {"silence": b"", "garbage": b"GET / HTTP/1.1\r\n\r\n", "a replayed hello": hello}
    cases = [(sources, kind) for kind in kinds for sources in (NEAR, WIDE)]
    if not is_long:
        cases = [(NEAR, "a replayed hello"), (WIDE, "silence")]
    is_good = True
    for sources, kind in cases:
        times, most = [], (0, 0)
        running = Flood(7447, sources, kinds[kind])
        time.sleep(0.5)
        for _ in range(count):
            begin = time.monotonic()
            status, said = meshplan("scan", "--via", f"gateway://door@[{HOST}]:7447", "--time", "1s")
            times.append(time.monotonic() - begin if status == 0 else None)
            if status != 0:
                print(said)
            most = max(most, use(gateway))
        running.end()
        is_good &= tell("scans", sources, kind, times, most)
        times, most = [], (0, 0)
        running = Flood(7448, sources, kinds[kind])
        time.sleep(0.5)
        for number in range(count):
            times.append(new_gateway(number, 7448))
            most = max(most, use(hub))
        running.end()
        is_good &= tell("gateways", sources, kind, times, most)
    return 0 if is_good and gateway.poll() is None and hub.poll() is None else 1


def tell(what, sources, kind, times, most):
    done = [value for value in times if value is not None]
    slowest = f"{max(done):.1f} s at most" if done else "none"
    print(
        f"{len(done)} of {len(times)} {what} in, {slowest}; {most[0]} descriptors, {most[1]:.0f} MB ({kind} from {sources})",
        flush=True,
    )
    return len(done) == len(times) and most[0] <= LIMITS["descriptors"] and most[1] <= LIMITS["megabytes"]


DEVICES = """products: { lamp: { elements: [{ models: [generic-onoff-server] }] } }
devices:
  lamp: { uuid: 00112233-4455-4677-8899-aabbccddeeff, product: lamp }
"""

try:
    status = main()
finally:
    for child in children:
        child.kill()
        child.wait()
    if os.environ.get("MESHPLAN_KEEP"):
        print(f"kept {top}", file=sys.stderr)
    else:
        shutil.rmtree(top, ignore_errors=True)
sys.exit(status)
