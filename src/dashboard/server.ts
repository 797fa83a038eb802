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
  /** 0 picks a free port. */
  readonly port: number;
  /** Folder with the built page. */
  readonly webDir: string;
  /** The snapshot's histories contain only points after `historySinceMs`. */
  snapshot(historySinceMs: number): DashboardSnapshot;
}

export interface RunningDashboard {
  readonly url: string;
  close(): Promise<void>;
}

/** Interval between updates to the page. */
const PUSH_MS = 250;
const MAX_VIEWERS = 20;

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Serves the page and its data, read only. Requests whose Host header names another host are refused, so that a foreign page
 * cannot reach the dashboard through DNS rebinding. Rejects with TouchlineError `PORT_TAKEN` when the port is in use.
 */
export async function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const closing = new AbortController();
  const app = new Hono();
  guardRequests(app, options.host);
  serveSnapshots(app, options, closing.signal);
  serveFiles(app, options.webDir);
  return listen(app, options, closing);
}

/** Adds security headers, and refuses other hosts and other methods. */
function guardRequests(app: Hono, host: string): void {
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
    if (!isOurHost(context.req.header("host") ?? "", host)) {
      return context.text("unknown host", 421);
    }
    if (context.req.method !== "GET" && context.req.method !== "HEAD") {
      return context.text("read only", 405);
    }
    return next();
  });
}

/** Serves the newest snapshot, and a stream of snapshots until `closing` aborts. */
function serveSnapshots(app: Hono, options: DashboardOptions, closing: AbortSignal): void {
  let viewers = 0;
  app.get("/api/snapshot", (context) => context.json(options.snapshot(0)));
  app.get("/api/stream", (context) => {
    if (viewers >= MAX_VIEWERS) return context.text("too many viewers", 503);
    return streamSSE(context, async (stream) => {
      viewers += 1;
      let sentMs = 0;
      try {
        while (!stream.aborted && !stream.closed && !closing.aborted) {
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
}

function serveFiles(app: Hono, webDir: string): void {
  app.get("*", async (context) => {
    const wanted = context.req.path === "/" ? "/index.html" : context.req.path;
    const file = path.join(webDir, path.normalize(wanted));
    const type = contentTypes[path.extname(file)];
    if (!file.startsWith(webDir + path.sep) || type === undefined) {
      return context.text("not found", 404);
    }
    try {
      return context.body(await readFile(file), 200, { "content-type": type });
    } catch {
      return context.text("not found", 404);
    }
  });
}

function listen(
  app: Hono,
  options: DashboardOptions,
  closing: AbortController,
): Promise<RunningDashboard> {
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
