import { readFile } from "node:fs/promises";
import path from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { streamSSE } from "hono/streaming";
import { TouchlineError } from "../base/error.ts";
import type { DashboardSnapshot } from "./snapshot.ts";

export interface DashboardOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Folder with the built page. */
  readonly webDir: string;
  /** The histories in it hold the points after `historySinceMs` only. */
  snapshot(historySinceMs: number): DashboardSnapshot;
}

export interface RunningDashboard {
  readonly url: string;
  close(): Promise<void>;
}

/** Updates to the page are sent this often, however much happens in between. */
const PUSH_MS = 250;
const MAX_VIEWERS = 20;

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * The page and its data, read only: nothing here changes the bot. Bound to one host; requests whose Host header names
 * another one are refused, so that a foreign page cannot reach it by a name of its own.
 * Rejects with `PORT_TAKEN` when the port is in use.
 */
export async function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const app = new Hono();
  let viewers = 0;
  const closing = new AbortController();

  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
      referrerPolicy: "no-referrer",
    }),
  );
  app.use(async (context, next) => {
    if (!isOurHost(context.req.header("host") ?? "", options.host)) {
      return context.text("unknown host", 421);
    }
    if (context.req.method !== "GET" && context.req.method !== "HEAD") {
      return context.text("read only", 405);
    }
    return next();
  });
  app.get("/api/snapshot", (context) => context.json(options.snapshot(0)));
  app.get("/api/stream", (context) => {
    if (viewers >= MAX_VIEWERS) return context.text("too many viewers", 503);
    return streamSSE(context, async (stream) => {
      viewers += 1;
      let sentMs = 0;
      try {
        while (!stream.aborted && !stream.closed && !closing.signal.aborted) {
          const snapshot = options.snapshot(sentMs);
          sentMs = newestPointMs(snapshot) ?? sentMs;
          await stream.writeSSE({ data: JSON.stringify(snapshot) });
          await stream.sleep(PUSH_MS);
        }
      } finally {
        viewers -= 1;
      }
    });
  });
  app.get("*", async (context) => {
    const wanted = context.req.path === "/" ? "/index.html" : context.req.path;
    const file = path.join(options.webDir, path.normalize(wanted));
    const type = contentTypes[path.extname(file)];
    if (!file.startsWith(options.webDir + path.sep) || type === undefined) {
      return context.text("not found", 404);
    }
    try {
      return context.body(await readFile(file), 200, { "content-type": type });
    } catch {
      return context.text("not found", 404);
    }
  });

  return new Promise((resolve, reject) => {
    const server = serve(
      { fetch: app.fetch, hostname: options.host, port: options.port },
      (address) => {
        const host = options.host.includes(":") ? `[${options.host}]` : options.host;
        resolve({
          url: `http://${host}:${address.port}`,
          close: () => {
            closing.abort();
            return new Promise((done) => {
              server.close(() => done());
              if ("closeAllConnections" in server) server.closeAllConnections();
            });
          },
        });
      },
    );
    server.once("error", (cause: NodeJS.ErrnoException) => {
      reject(
        cause.code === "EADDRINUSE"
          ? new TouchlineError("PORT_TAKEN", `port ${options.port} is in use`, {
              hint: "choose another with --port, or 0 for any free one",
              cause,
            })
          : cause,
      );
    });
  });
}

function newestPointMs(snapshot: DashboardSnapshot): number | undefined {
  const times = snapshot.panels.flatMap(({ history }) => history.at(-1)?.[0] ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);

function isOurHost(header: string, host: string): boolean {
  const name = header.replace(/:\d+$/, "");
  if (name === host || name === `[${host}]`) return true;
  return (loopback.has(host) || host === "::1") && loopback.has(name);
}
