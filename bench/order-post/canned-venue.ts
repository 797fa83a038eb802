import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A venue of another process, so that its work is not charged to the clients: answers every POST with the SHA-256 of the posted
 * `tx` in the venue's envelope, and ends when its stdin does.
 */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { tx } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly tx: string };
    const result = `0x${createHash("sha256").update(tx).digest("hex")}`;
    const body = JSON.stringify({ code: 200, errMsg: "OK", result });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume();
process.stdin.once("end", () => process.exit(0));
