import { describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { Actor } from "../../src/sim/actor.ts";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { VirtualNetwork } from "../../src/sim/virtual-network.ts";

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
  return { time, network, served, actor: new Actor(time, network) };
}

describe("an actor", () => {
  it("has a wall clock of its own; spans are the same for all", async () => {
    const { time, actor } = await world();
    actor.skewMs = -2_500;
    await time.runFor(100);
    expect(actor.clock.nowMs()).toBe(time.nowMs() - 2_500);
    expect(actor.clock.monotonicUs()).toBe(time.monotonicUs());
  });

  it("once killed hears nothing, though what it sent arrives", async () => {
    const { time, served, actor } = await world();
    const heard: string[] = [];
    actor.timer.after(50, () => heard.push("timer"));
    const socket = actor.connector.connect("ws://venue:80/ws", {
      opened: () => heard.push("opened"),
      frame: () => heard.push("frame"),
      pong: () => heard.push("pong"),
      closed: () => heard.push("closed"),
    });
    await time.runFor(10);
    expect(heard.splice(0)).toEqual(["opened"]);
    const requested: string[] = [];
    actor.requested = ({ url }) => requested.push(url);
    const ask = () =>
      actor.http.request({ method: "GET", url: "http://venue:80/a", timeoutMs: 20 }).then(
        () => heard.push("answer"),
        () => heard.push("failure"),
      );
    void ask();
    socket.send("last");
    actor.kill();
    void ask();
    await time.runFor(100);
    expect(requested).toEqual(["http://venue:80/a"]);
    expect(served.sort()).toEqual(["/a", "closed", "last"]);
    expect(heard).toEqual([]);
  });
});
