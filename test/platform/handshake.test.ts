import { createHash } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createSocketConnector } from "../../src/platform/socket.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** How a connection to a server ends that answers the handshake in its own way. */
async function endOf(
  answer: (socket: Socket, request: string) => void,
  handshakeTimeoutMs = 20_000,
): Promise<string> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.once("data", (request) => answer(socket, request.toString("latin1")));
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return new Promise((resolve) => {
    createSocketConnector({ handshakeTimeoutMs }).connect(`ws://127.0.0.1:${port}/ws`, {
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

  it("is left at the handshake's limit, although it sends a byte of the response now and then", async () => {
    let sent = 0;
    let dribble: NodeJS.Timeout | undefined;
    const reason = await endOf((socket) => {
      const response = `HTTP/1.1 101 Switching Protocols\r\nx: ${"a".repeat(1_000)}`;
      dribble = setInterval(() => {
        socket.write(response.charAt(sent));
        sent += 1;
      }, 20);
    }, 500);
    clearInterval(dribble);
    expect(reason).toBe("the handshake took longer than 500 ms");
    expect(sent).toBeGreaterThan(1);
  });

  it("cannot lead the connection to another address", async () => {
    const reason = await endOf((socket) => {
      socket.write("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\n\r\n");
    });
    expect(reason).toBe("Unexpected server response: 302");
  });
});

describe("a server that does not end the connection", () => {
  /** The handshake's end, and these bytes. */
  const opened = (socket: Socket, request: string, bytes: readonly number[]): void => {
    const key = /sec-websocket-key: (.*)/i.exec(request)?.[1]?.trim();
    const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept.digest("base64")}\r\n\r\n`,
    );
    socket.write(Uint8Array.from(bytes));
  };

  it.each([
    ["a compressed frame", [0xc1, 1, 0x61], "Invalid WebSocket frame: RSV1 must be clear"],
    ["a masked frame", [0x81, 0x81, 1, 2, 3, 4, 5], "Invalid WebSocket frame: MASK must be clear"],
    [
      "a frame of 2^62 bytes",
      [0x81, 127, 0x3f, ...Array.from({ length: 7 }, () => 255)],
      "Unsupported WebSocket frame: payload length > 2^53 - 1",
    ],
    [
      "a message in thousands of pieces",
      [1, 1, 0x61, ...Array.from({ length: 1_000 }, () => [0, 1, 0x61]).flat()],
      "Too many message fragments",
    ],
    [
      "a close frame with code 1005",
      [0x88, 2, 3, 0xed],
      "Invalid WebSocket frame: invalid status code 1005",
    ],
  ])("is left at once after %s", async (_, bytes, reason) => {
    expect(await endOf((socket, request) => opened(socket, request, bytes))).toBe(reason);
  });

  it("is left soon after its close frame", async () => {
    const bytes = [0x88, 5, 0x0f, 0xa0, 0x62, 0x79, 0x65];
    expect(await endOf((socket, request) => opened(socket, request, bytes))).toBe("bye");
  });
});
