import { expect, it } from "vitest";
import { WithheldByChannel } from "../../src/sim/withheld-pushes.ts";

const request = (method: string, channel: string): string =>
  JSON.stringify({ method, params: { channels: [channel] }, id: 1 });

const order = '{"topic":"ORDER"}';

it("a channel is dead from the first message that it withholds until it delivers one or is subscribed to anew", () => {
  const wire = new WithheldByChannel();
  wire.withheld("depth@1_2", "", 100);
  wire.withheld("depth@1_2", "", 300);
  wire.withheld("userEvent@0x1", '{"topic":"ACCOUNT"}', 150);
  wire.withheld("userEvent@0x1", order, 200);
  expect(wire.untried).toEqual([
    { channel: "depth@1_2", sinceMs: 100, newestMs: 300 },
    { channel: "userEvent@0x1", sinceMs: 200, newestMs: 200 },
  ]);
  wire.delivered("depth@1_2");
  // As on a new connection.
  wire.request(request("subscribe", "userEvent@0x1"));
  expect(wire.untried).toEqual([]);
  wire.withheld("userEvent@0x1", order, 400);
  expect(wire.untried).toHaveLength(1);
});

it("a channel that was given up to subscribe to it anew is left out until the next process", () => {
  const wire = new WithheldByChannel();
  wire.request(request("unsubscribe", "depth@1_2"));
  wire.request(request("subscribe", "depth@1_2"));
  wire.withheld("depth@1_2", "", 100);
  expect(wire.untried).toEqual([]);
  wire.processStarts();
  wire.withheld("depth@1_2", "", 200);
  expect(wire.untried).toHaveLength(1);
});
