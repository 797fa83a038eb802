import { createConnection, type Socket } from "node:net";

/**
 * Opens connections to a page, or to a local socket, and asks again as soon as each is answered. Prints one JSON line with the counts
 * after the given seconds. Runs as a process of its own, so that the load costs the bot nothing else.
 *
 *   node hammer.ts page PORT CONNECTIONS SECONDS
 *   node hammer.ts control PATH CONNECTIONS SECONDS
 */

const [target = "", at = "", connections = "", seconds = ""] = process.argv.slice(2);
const counts = { opened: 0, responses: 0, ended: 0, megabytes: 0 };
/** The control socket gets lines that are no requests, and requests for the bot's status. */
const lines = [`${"x".repeat(100_000)}\n`, '{"command":"status"}\n', `${"[".repeat(50_000)}\n`];
const requestText = `GET /api/v1/markets HTTP/1.1\r\nHost: 127.0.0.1:${at}\r\n\r\n`;
const streamText = `GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:${at}\r\n\r\n`;
/** Every eighth connection to the page is a viewer. */
const VIEWERS = 8;

function open(index: number): void {
  const socket: Socket =
    target === "page" ? createConnection(Number(at), "127.0.0.1") : createConnection(at);
  const isViewer = target === "page" && index % VIEWERS === 0;
  const ask = (): void => {
    if (target === "page") socket.write(isViewer ? streamText : requestText);
    else socket.write(lines[counts.opened % lines.length] ?? "");
  };
  socket.on("connect", () => {
    counts.opened += 1;
    ask();
  });
  socket.on("data", (bytes) => {
    counts.megabytes += bytes.length / 1e6;
    // The head of a response stands at the start of a piece often enough to keep each connection busy.
    if (isViewer || !bytes.toString("latin1", 0, 8).startsWith("HTTP/1.1")) return;
    counts.responses += 1;
    ask();
  });
  socket.on("error", () => undefined);
  socket.on("close", () => {
    counts.ended += 1;
    setTimeout(() => open(index), 5);
  });
}

for (let index = 0; index < Number(connections); index += 1) open(index);
setTimeout(() => {
  process.stdout.write(`${JSON.stringify({ event: "hammered", ...counts })}\n`);
  process.exit(0);
}, Number(seconds) * 1_000);
