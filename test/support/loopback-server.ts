import { createServerFactory, type ServerLimits } from "../../src/platform/server.ts";
import type { RunningServer, ServerOptions } from "../../src/ports/server.ts";

/** A server on a free loopback port that answers "ok" and ignores frames, unless `options` say otherwise. The caller closes it. */
export function serveLoopback(
  options: Partial<ServerOptions> = {},
  limits: ServerLimits = {},
): Promise<RunningServer> {
  return createServerFactory(limits).listen({
    host: "127.0.0.1",
    port: 0,
    socketPath: "/ws",
    maxBodyBytes: 100,
    maxFrameBytes: 1000,
    respond: () => ({ status: 200, body: "ok" }),
    connected: () => ({ frame: () => undefined, pong: () => undefined, closed: () => undefined }),
    ...options,
  });
}
