import { Worker } from "node:worker_threads";
import { TouchlineError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import { isLoopback } from "../base/loopback.ts";
import type { RelayedRequest, RelayedResponse } from "../control/relayed-requests.ts";
import type { CommandOrigin } from "../domain/command-origin.ts";
import { threadEnvironment } from "../platform/child-environment.ts";
import { AccessTokens, type Role } from "./access-tokens.ts";
import type { AboutBot } from "./overview.ts";
import type { PageServerOptions } from "./page-server.ts";
import type { DashboardSnapshot } from "./snapshot.ts";
import { type StrategyParameters, strategyParameters } from "./strategy-parameters.ts";

export interface DashboardOptions
  extends Omit<PageServerOptions, "viewers" | "command" | "warn" | "readMs" | "needsLogin"> {
  readonly about: AboutBot;
  /** The snapshot's histories contain only points after `historySinceMs`. */
  snapshot(historySinceMs: number): DashboardSnapshot;
  /** The same object until parameters change. */
  strategies(): Parameters<typeof strategyParameters>[0];
  /** Does what a request of `control/protocol.ts` asks for; resolves with the response. */
  command(line: string, by: CommandOrigin): Promise<string>;
  /** Logs that a request failed by a fault of the program, or that the page ended by itself, out of memory for example: the bot goes on without it. */
  warn?(text: string): void;
}

export interface RunningDashboard {
  readonly url: string;
  /** An address that logs one browser in, for ten minutes. */
  loginLink(role: Role): Promise<string>;
  close(): Promise<void>;
}

/** What the page's thread gets. */
export interface PageThreadData
  extends Omit<PageServerOptions, "viewers" | "command" | "warn" | "readMs" | "needsLogin"> {
  readonly about: AboutBot;
  /** Two 32-bit numbers that the thread writes: viewers now, and updates that it has shown. */
  readonly state: SharedArrayBuffer;
}

export type PageThreadMessage =
  | { readonly type: "listening"; readonly url: string }
  | { readonly type: "refused"; readonly code: string; readonly reason: string }
  | RelayedRequest
  | { readonly type: "link"; readonly id: number; readonly link: string }
  | { readonly type: "warning"; readonly text: string };

/** What the bot's thread sends to the page's. `update`: a `DashboardSnapshot` as JSON. */
export type PageThreadOrder =
  | { readonly type: "update"; readonly update: string }
  | { readonly type: "strategies"; readonly strategies: readonly StrategyParameters[] }
  | RelayedResponse
  | { readonly type: "login"; readonly id: number; readonly role: Role };

/** Interval between updates while somebody watches. */
const PUSH_MS = 250;
/** Interval while nobody does: the histories go on. */
const IDLE_MS = 1_000;
/** Making updates takes at most this share of the bot's thread: with many strategies they become rarer. */
const MAX_SHARE = 0.01;
/** Updates that the thread has not shown yet; then the next ones are left out. */
const MAX_WAITING = 2;
/** A flood of connections cannot take the bot's memory. */
const MAX_HEAP_MB = 256;

// The built package contains JavaScript.
const thread = import.meta.url.endsWith(".ts") ? "page-thread.ts" : "page-thread.js";

/**
 * Serves the page and the HTTP API on a thread of its own: the bot's thread makes one snapshot at a time, however many connections
 * there are, and does what operators ask for. Rejects with TouchlineError `PORT_TAKEN` when the port is in use, `PAGE_WITHOUT_TOKEN` when other machines
 * could read the page without one, and `LISTEN_FAILED`.
 */
export async function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const { snapshot: _, strategies: __, command, warn, ...served } = options;
  const { host, journal } = options;
  if (!isLoopback(host) && new AccessTokens(journal).list().length === 0) {
    throw new TouchlineError(
      "PAGE_WITHOUT_TOKEN",
      `A page on ${host} can be read from other machines, so it needs an access token.`,
      { hint: "Create one with `touchline token create`, or listen on 127.0.0.1." },
    );
  }
  const state = new Int32Array(new SharedArrayBuffer(8));
  const data: PageThreadData = { ...served, state: state.buffer };
  const worker = new Worker(new URL(thread, import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    env: threadEnvironment(process.env),
  });
  // The first update waits in the thread's queue, so that the first request finds it.
  const publisher = new Publisher(worker, state, options);
  let url: string;
  try {
    url = await listening(worker, options);
  } catch (error) {
    publisher.close();
    await worker.terminate();
    throw error;
  }
  worker.unref();
  worker.once("error", (error) => {
    publisher.close();
    const reason = errorText(error);
    warn?.(`the dashboard ended, the bot continues: ${reason}`);
  });
  const links = new Map<number, (link: string) => void>();
  worker.on("message", (message: PageThreadMessage) => {
    if (message.type === "link") {
      links.get(message.id)?.(message.link);
      links.delete(message.id);
    } else if (message.type === "warning") {
      warn?.(message.text);
    } else if (message.type === "command") {
      const { id, line, by } = message;
      void command(line, by).then((response) => tell(worker, { type: "response", id, response }));
    }
  });
  let lastLink = 0;
  return {
    url,
    loginLink(role) {
      lastLink += 1;
      const id = lastLink;
      tell(worker, { type: "login", id, role });
      return new Promise((resolve) => links.set(id, resolve));
    },
    async close() {
      publisher.close();
      await worker.terminate();
    },
  };
}

function tell(worker: Worker, order: PageThreadOrder): void {
  worker.postMessage(order, []);
}

function listening(worker: Worker, { port }: DashboardOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (message: PageThreadMessage) => {
      worker.off("error", reject);
      if (message.type === "listening") resolve(message.url);
      else if (message.type === "refused") reject(listenError(port, message));
    });
  });
}

function listenError(
  port: number,
  { code, reason }: Extract<PageThreadMessage, { type: "refused" }>,
): TouchlineError {
  return code === "EADDRINUSE"
    ? new TouchlineError("PORT_TAKEN", `Port ${port} is in use.`, {
        hint: "Set dashboard.port to another one, or to 0 for any free one.",
      })
    : new TouchlineError("LISTEN_FAILED", reason, { context: { code } });
}

/** Sends updates to the page's thread. */
class Publisher {
  readonly #worker: Worker;
  readonly #state: Int32Array;
  readonly #options: DashboardOptions;
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #nextMs = 0;
  #newestPointMs = 0;
  #strategies: ReturnType<DashboardOptions["strategies"]> | undefined;

  constructor(worker: Worker, state: Int32Array, options: DashboardOptions) {
    this.#worker = worker;
    this.#state = state;
    this.#options = options;
    this.#publish();
    this.#timer = setInterval(() => this.#look(), PUSH_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (performance.now() < this.#nextMs) return;
    if (this.#sent - Atomics.load(this.#state, 1) >= MAX_WAITING) return;
    this.#publish();
  }

  #publish(): void {
    const startMs = performance.now();
    const before = process.threadCpuUsage();
    const strategies = this.#options.strategies();
    if (strategies !== this.#strategies)
      tell(this.#worker, { type: "strategies", strategies: strategyParameters(strategies) });
    this.#strategies = strategies;
    const snapshot = this.#options.snapshot(this.#newestPointMs);
    for (const { history } of snapshot.panels) {
      this.#newestPointMs = Math.max(this.#newestPointMs, history.at(-1)?.[0] ?? 0);
    }
    tell(this.#worker, { type: "update", update: JSON.stringify(snapshot) });
    this.#sent += 1;
    const { user, system } = process.threadCpuUsage(before);
    const tookMs = (user + system) / 1_000;
    const waitMs = Atomics.load(this.#state, 0) > 0 ? 0 : IDLE_MS - PUSH_MS / 2;
    this.#nextMs = startMs + Math.max(waitMs, tookMs / MAX_SHARE);
  }
}
