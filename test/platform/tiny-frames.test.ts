import { once } from "node:events";
import type { AddressInfo, Socket as TcpSocket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocketServer } from "ws";
import { createSocketConnector } from "../../src/platform/socket.ts";
import { PATIENCE } from "../support/patience.ts";

const cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

/** A client of a server that sends these bytes as soon as the client is there, and what happens to it. */
async function sentTo(
  bytes: Buffer,
): Promise<{ readonly events: string[]; readonly pongs: string[] }> {
  const events: string[] = [];
  const pongs: string[] = [];
  const venue = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  cleanups.push(() => {
    for (const client of venue.clients) client.terminate();
    venue.close();
  });
  venue.on("connection", (client, { socket }: { readonly socket: TcpSocket }) => {
    client.on("error", () => undefined);
    client.on("pong", (data) => pongs.push(data.toString("latin1")));
    socket.write(bytes);
  });
  await once(venue, "listening");
  const { port } = venue.address() as AddressInfo;
  const socket = createSocketConnector().connect(`ws://127.0.0.1:${port}`, {
    opened: () => undefined,
    frame: () => undefined,
    pong: () => undefined,
    closed: (_, reason) => events.push(`closed: ${reason}`),
  });
  cleanups.push(() => socket.terminate());
  return { events, pongs };
}

const ping = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x89, text.length]), Buffer.from(text)]);
const pong = Buffer.from([0x8a, 0]);
const emptyFrame = Buffer.from([0x81, 0]);

describe("a venue that sends tiny frames", () => {
  it.each([
    ["pings", ping("")],
    ["pongs", pong],
    ["empty frames", emptyFrame],
  ])("by the ten thousands (%s) is left", async (_, frame) => {
    const { events } = await sentTo(Buffer.alloc(60_000, frame));
    await vi.waitUntil(() => events.length > 0, PATIENCE);
    expect(events).toEqual(["closed: more than 3000 frames in one read"]);
  });

  it("gets one pong for the pings of a turn, with the data of the newest", async () => {
    const { events, pongs } = await sentTo(
      Buffer.concat(["a", "b", "c"].map((text) => ping(text))),
    );
    await vi.waitUntil(() => pongs.includes("c"), PATIENCE);
    expect(pongs.length).toBeLessThan(3);
    expect(events).toEqual([]);
  });
});
