import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { WebSocket, WebSocketServer } from "ws";

/** One request of a client. */
export interface Said {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly body: string;
}

/** A proxy of a venue on another port. It forwards everything and records requests and subscriptions. */
export interface Relay {
  readonly rest: string;
  readonly ws: string;
  readonly requests: Said[];
  readonly channels: string[];
  /** Requests for channels that the venue has answered. */
  replies(): number;
  /** Ends every stream connection, after what was sent before. */
  cut(): void;
  close(): Promise<void>;
}

export async function startRelay(venue: {
  readonly rest: string;
  readonly ws: string;
}): Promise<Relay> {
  const requests: Said[] = [];
  const channels: string[] = [];
  const sockets = new Set<WebSocket>();
  let replies = 0;
  const server = createServer((request, response) => {
    void pass(venue.rest, request, response, requests);
  });
  const streams = new WebSocketServer({ server, path: "/ws" });
  streams.on("connection", (client) => {
    const upstream = new WebSocket(venue.ws);
    const waiting: string[] = [];
    sockets.add(client);
    client.on("message", (data: Buffer) => {
      const text = data.toString("utf8");
      const { method, params } = JSON.parse(text);
      if (method === "subscribe") channels.push(...params.channels);
      if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
      else waiting.push(text);
    });
    upstream.on("open", () => {
      for (const text of waiting.splice(0)) upstream.send(text);
    });
    upstream.on("message", (data: Buffer) => {
      const text = data.toString("utf8");
      client.send(text);
      if (!("method" in JSON.parse(text))) replies += 1;
    });
    upstream.on("close", () => client.close());
    upstream.on("error", () => client.terminate());
    client.on("close", () => {
      sockets.delete(client);
      upstream.close();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const cut = (): void => {
    for (const socket of sockets) socket.close(1001);
  };
  return {
    rest: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}/ws`,
    requests,
    channels,
    replies: () => replies,
    cut,
    async close() {
      for (const socket of sockets) socket.terminate();
      streams.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

async function pass(
  rest: string,
  request: IncomingMessage,
  response: ServerResponse,
  requests: Said[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString("utf8");
  const { method = "GET", url = "/" } = request;
  requests.push({ method, path: url.split("?", 1)[0] ?? "", body });
  const forwarded = await fetch(`${rest}${url}`, {
    method,
    ...(method === "POST" ? { body, headers: { "content-type": "application/json" } } : {}),
  });
  response.writeHead(forwarded.status, { "content-type": "application/json" });
  response.end(await forwarded.text());
}
