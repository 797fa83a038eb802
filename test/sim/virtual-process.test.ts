import { describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";
import { VirtualProcess } from "../../src/sim/virtual-process.ts";

async function world() {
  const time = new VirtualClock();
  const network = new VirtualNetwork({ timer: time, prng: new Prng(3) });
  const served: string[] = [];
  await network.servers.listen({
    host: "venue",
    port: 80,
    socketPath: "/ws",
    maxBodyBytes: 100,
    maxFrameBytes: 100,
    respond({ path }) {
      served.push(path);
      return { status: 200, body: "" };
    },
    connected: () => ({
      frame: (data) => served.push(new TextDecoder().decode(data)),
      pong: () => undefined,
      closed: () => served.push("closed"),
    }),
  });
  const { http, connector } = network;
  const elapsedMs = (): number => time.elapsedMs;
  return { time, served, process: new VirtualProcess({ timer: time, http, connector, elapsedMs }) };
}

describe("a process", () => {
  it("receives nothing once killed, but its sent messages arrive", async () => {
    const { time, served, process } = await world();
    const received: string[] = [];
    process.timer.after(50, () => received.push("timer"));
    const socket = process.connector.connect("ws://venue:80/ws", {
      opened: () => received.push("opened"),
      frame: () => received.push("frame"),
      pong: () => received.push("pong"),
      closed: () => received.push("closed"),
    });
    await time.runFor(10);
    expect(received.splice(0)).toEqual(["opened"]);
    const ask = () =>
      process.http.request({ method: "GET", url: "http://venue:80/a", timeoutMs: 20 }).then(
        () => received.push("response"),
        () => received.push("failure"),
      );
    void ask();
    socket.send("last");
    process.kill();
    void ask();
    await time.runFor(100);
    expect(served.sort()).toEqual(["/a", "closed", "last"]);
    expect(received).toEqual([]);
  });

  it("reaches neither disk nor network in what goes on after its kill", async () => {
    const { time, served, process } = await world();
    const disk = new MemoryStore();
    const store = process.storeOn(disk);
    expect(store.lock("journal")).toBe(true);
    const file = store.openAppend("journal/1");
    file.append(Uint8Array.of(1));
    disk.isStuck = true;
    const after: string[] = [];
    const goOn = async (): Promise<void> => {
      await file.sync();
      after.push("goes on");
      file.append(Uint8Array.of(2));
      void file.sync().then(() => after.push("synced"));
      void store.write("journal/2", Uint8Array.of(3)).then(() => after.push("written"));
      store.openAppend("journal/3").append(Uint8Array.of(4));
      const replacement = store.openReplacement("journal/1");
      replacement.append(Uint8Array.of(5));
      replacement.commit();
      store.remove("journal");
      store.rename("journal", "other");
      store.unlock("journal");
      const ignored = { opened() {}, frame() {}, pong() {}, closed() {} };
      process.connector.connect("ws://venue:80/ws", ignored).send("late");
    };
    const gone = goOn();
    // In one event the disk goes on and the process is killed.
    disk.isStuck = false;
    process.kill();
    await gone;
    await time.runFor(100);
    expect(after).toEqual(["goes on"]);
    expect(served).toEqual([]);
    expect(disk.list("journal")).toEqual(["1"]);
    expect(disk.read("journal/1")).toEqual(Uint8Array.of(1));
    expect(disk.lock("journal")).toBe(false);
    expect(store.lock("another")).toBe(false);
  });

  it("sends nothing more once its HTTP client is closed, and what is under way fails", async () => {
    const { time, served, process } = await world();
    const failures: unknown[] = [];
    const request = (path: string): void => {
      const url = `http://venue:80/${path}`;
      process.http.request({ method: "GET", url, timeoutMs: 1_000 }).catch((failure: unknown) => {
        failures.push(failure);
      });
    };
    request("a");
    process.closeHttp();
    request("b");
    await time.runFor(100);
    expect(served).toEqual(["/a"]);
    expect(failures).toMatchObject([
      { code: "HTTP_CLOSED", outcome: "unknown" },
      { code: "HTTP_CLOSED", outcome: "not-sent" },
    ]);
  });

  it("neither receives nor sends while a call blocks it, and does both after that, in order", async () => {
    const { time, served, process } = await world();
    const received: string[] = [];
    process.timer.after(50, () => received.push("early"));
    process.timer.after(250, () => received.push("late"));
    process.block(100);
    process.block(100);
    expect(process.aheadMs).toBe(200);
    process.run(() => received.push("signal"));
    void process.http.request({ method: "GET", url: "http://venue:80/a", timeoutMs: 1_000 });
    // What a call sets up counts from the time at which it returns.
    process.timer.after(0, () => received.push("after the call"));
    await time.runFor(199);
    expect([process.isBlocked, received, served]).toEqual([true, [], []]);
    await time.runFor(40);
    expect(process.isBlocked).toBe(false);
    expect(served).toEqual(["/a"]);
    expect(received).toEqual(["after the call", "signal", "early"]);
    await time.runFor(100);
    expect(received.at(-1)).toBe("late");
    process.block(100);
    process.run(() => received.push("never"));
    process.kill();
    await time.runFor(500);
    expect(received.at(-1)).toBe("late");
  });

  it("has been blocked since its first call that blocks, over calls in a row, and anew once it returned", async () => {
    const { time, process } = await world();
    expect(process.blockedSinceMs).toBeUndefined();
    process.block(100);
    process.block(100);
    await time.runFor(150);
    expect(process.blockedSinceMs).toBe(0);
    await time.runFor(50);
    expect(process.blockedSinceMs).toBeUndefined();
    process.block(100);
    expect(process.blockedSinceMs).toBe(200);
  });

  it("goes on after a call at any time and of any length", async () => {
    const prng = new Prng(5);
    const { time, process } = await world();
    for (let call = 0; call < 200; call += 1) {
      await time.runFor(prng.unit() * 1_000);
      let hasRun = false;
      process.block(prng.unit() * 3_000);
      process.run(() => {
        hasRun = true;
      });
      await time.runFor(3_001);
      expect(hasRun).toBe(true);
    }
  });
});
