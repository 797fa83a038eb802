import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createSocketConnector } from "../../src/platform/socket.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** How a connection to a server ends that answers the handshake in its own way. */
async function endOf(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => answer(socket));
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return new Promise((resolve) => {
    createSocketConnector({ handshakeTimeoutMs: 20_000 }).connect(`ws://127.0.0.1:${port}/ws`, {
      opened: () => undefined,
      frame: () => undefined,
      pong: () => undefined,
      closed: (_, reason) => resolve(reason),
    });
  });
}

describe("a server that does not complete the handshake", () => {
  it.each(["100 Continue", "103 Early Hints"])(
    "is left at once when it sends nothing but responses %s",
    async (status) => {
      const reason = await endOf((socket) => {
        socket.write(`HTTP/1.1 ${status}\r\n\r\n`.repeat(1_000));
      });
      expect(reason).toBe("it got nothing but informational responses");
    },
  );

  it("may send a few of them before the response that counts", async () => {
    const reason = await endOf((socket) => {
      socket.write(`${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(10)}HTTP/1.1 404 No\r\n\r\n`);
    });
    expect(reason).toBe("Unexpected server response: 404");
  });

  it("cannot lead the connection to another address", async () => {
    const reason = await endOf((socket) => {
      socket.write("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\n\r\n");
    });
    expect(reason).toBe("Unexpected server response: 302");
  });
});
