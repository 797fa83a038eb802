import { parentPort } from "node:worker_threads";
import { WebSocketServer } from "ws";
import { assert } from "../../src/base/assert.ts";

/** A venue on a thread of its own that sends each client 200 frames of 120 kB as fast as it can; tells its port. */
assert(parentPort !== null, "runs as a thread");
const port = parentPort;
const venue = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
venue.on("connection", (client) => {
  for (let frame = 0; frame < 200; frame += 1) client.send("x".repeat(120_000));
});
venue.on("listening", () => {
  const address = venue.address();
  if (typeof address === "object") port.postMessage(address?.port);
});
