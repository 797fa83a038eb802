import { expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { createSocketConnector } from "../../src/platform/socket.ts";
import { webSocketConnector } from "../../src/platform/web-socket.ts";

it.each([
  { name: "Node's library", connector: createSocketConnector() },
  { name: "the platform's WebSocket", connector: webSocketConnector() },
])(
  "the reason that a venue gives for closing a connection is one plain line: $name",
  async ({ connector }) => {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await new Promise<void>((resolve) => {
      server.once("listening", resolve);
    });
    server.on("connection", (client) => {
      client.close(4_000, "bye\nwarning: no order is open\u001b[2J\u202e");
    });
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const reason = await new Promise<string>((resolve) => {
      connector.connect(`ws://127.0.0.1:${port}`, {
        opened: () => undefined,
        frame: () => undefined,
        pong: () => undefined,
        closed: (_, given) => resolve(given),
      });
    });
    server.close();
    expect(reason).toBe("bye warning: no order is open [2J ");
  },
);
