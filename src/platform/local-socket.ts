import { chmodSync, lstatSync, renameSync, rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import type { LineConnection } from "../ports/line-connection.ts";
import { codeOf, isMissing } from "./file-errors.ts";
import { makeFolder } from "./folder.ts";
import { OWNER_ONLY_FOLDER, refuseOpen } from "./private-file.ts";
import { type BucketRate, TokenBucket } from "../base/token-bucket.ts";

/** Longest path of a Unix socket that every system takes, in bytes (macOS: 104 with the end). */
const MAX_SOCKET_PATH = 100;
/** Longest first line of a connection, which any process of this user may send, in characters. */
const MAX_REQUEST = 16_384;
/** Longest line in return, and of a connection that stays open, in characters. */
export const MAX_LINE = 1_048_576;
/** Connections at the same time, and how many may be opened; the process that listens has other work. */
const MAX_CONNECTIONS = 32;
const CONNECTIONS: BucketRate = { atOnce: 40, perSecond: 20 };
/** Connections that wait to be accepted: they are accepted in one go. */
const BACKLOG = 16;
/** A connection that has sent no whole request by then is closed. */
const REQUEST_MS = 10_000;
/** A peer that does not read, for example because it was stopped, is cut off after this time. */
const FLUSH_MS = 3_000;
/** A process that takes another one's place listens by then. */
const START_MS = 15_000;
const LOOK_MS = 50;
/** A peer with more unread data than this is cut off, in bytes. */
const MAX_UNREAD = 16_777_216;

export interface LocalServer {
  /**
   * Stops listening, closes connections without a whole request, lets responses that are under way and queued lines leave, within seconds,
   * and removes the socket's file. `startsAnew`: the file stays for the process that takes this one's place, for whom `askLocal` then waits.
   */
  close(options?: { readonly startsAnew?: boolean }): Promise<void>;
}

/** The line in return; or, for a connection that stays open, what takes it over. */
export type LocalResponse = string | ((connection: LineConnection) => void);

/**
 * Serves a Unix socket that only this user may open (mode 0600): one line in, one line out, then the connection ends, unless the
 * response takes it over. A socket that a dead process left at `path` is replaced. Rejects when it cannot listen, a living process
 * does, the file is no socket, or another user could take its place.
 */
export async function serveLocal(
  path: string,
  respond: (line: string) => Promise<LocalResponse>,
): Promise<LocalServer> {
  refuseLong(path);
  makeFolder(dirname(path), OWNER_ONLY_FOLDER);
  refuseOpen(path);
  await removeDead(path);
  const sockets = new Set<Socket>();
  /** Connections that have not sent their whole request. */
  const silent = new Set<Socket>();
  const responses = new Set<Promise<void>>();
  const opened = new TokenBucket(CONNECTIONS, performance.now());
  const server = createServer((socket) => {
    if (sockets.size >= MAX_CONNECTIONS || !opened.take(performance.now())) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    silent.add(socket);
    const served = serveOne(socket, (line) => {
      silent.delete(socket);
      return respond(line);
    }).finally(() => silent.delete(socket));
    responses.add(served);
    void served.finally(() => responses.delete(served));
  });
  // The file gets its mode when it is made, so that there is no moment in which another user could connect.
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ path, backlog: BACKLOG }, resolve);
    });
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
  server.unref();
  return {
    async close({ startsAnew = false } = {}) {
      // Node removes what is at the path, unless somebody else has.
      const isKept = startsAnew && lstatSync(path, { throwIfNoEntry: false }) !== undefined;
      if (isKept) renameSync(path, `${path}.anew`);
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      if (isKept) renameSync(`${path}.anew`, path);
      for (const socket of silent) socket.destroy();
      await Promise.all(responses);
      for (const socket of sockets) {
        socket.destroySoon();
        socket.resume();
      }
      const limit = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, FLUSH_MS);
      await closed;
      clearTimeout(limit);
    },
  };
}

/** Throws when the system would refuse the path, or, worse, cut it off. */
function refuseLong(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH) return;
  throw new Error(
    `${path} is ${bytes} bytes long, and a socket's path at most ${MAX_SOCKET_PATH}: set control.socket to a shorter one, or start in a folder nearer to it`,
  );
}

/** Removes the socket of a dead process. Rejects when a living one listens at it, or when the file is no socket. */
async function removeDead(path: string): Promise<void> {
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (file === undefined) return;
  if (!file.isSocket()) throw new Error(`${path} exists and is no socket`);
  const socket = createConnection(path);
  const isAlive = await new Promise<boolean>((resolve) => {
    // A process that hangs does not refuse: its queue of connections is full (EAGAIN).
    socket.once("error", (error) => resolve(!isUnserved(error)));
    socket.once("connect", () => resolve(true));
  });
  socket.destroy();
  if (isAlive) throw new Error(`another process listens at ${path}`);
  rmSync(path, { force: true });
}

/** Whether an error says that nobody listens. */
export function isUnserved(error: unknown): boolean {
  return codeOf(error) === "ECONNREFUSED" || isMissing(error);
}

async function serveOne(
  socket: Socket,
  respond: (line: string) => Promise<LocalResponse>,
): Promise<void> {
  try {
    const line = await readLine(socket, MAX_REQUEST, REQUEST_MS);
    const response = await respond(line);
    if (typeof response !== "string") {
      response(connectionOf(socket));
      return;
    }
    socket.resume();
    const limit = setTimeout(() => socket.destroy(), FLUSH_MS);
    await new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
      socket.end(`${response}\n`, () => resolve());
    });
    clearTimeout(limit);
  } catch {
    // The other side went away or sent no whole line: nobody waits for a response.
    socket.destroy();
  }
}

/** Opens a connection that stays open. Rejects when nobody listens (ENOENT, ECONNREFUSED), or perhaps another user does. */
export async function connectLocal(path: string): Promise<LineConnection> {
  return connectionOf(await connectOwn(path));
}

/** Connects to a process of this user. The socket is looked at before and after, since another user may begin to listen in between. */
async function connectOwn(path: string): Promise<Socket> {
  refuseLong(path);
  refuseOpen(path);
  const socket = createConnection(path);
  try {
    await connected(socket);
    lstatSync(path);
    refuseOpen(path);
    return socket;
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

function connectionOf(socket: Socket): LineConnection {
  // An error is followed by `close`.
  socket.on("error", () => undefined);
  return {
    send(line) {
      if (socket.destroyed || socket.writableEnded) return;
      socket.write(`${line}\n`);
      if (socket.writableLength > MAX_UNREAD) socket.destroy();
    },
    end() {
      socket.destroySoon();
      socket.resume();
    },
    onLine(listener) {
      let text = "";
      socket.setEncoding("utf8");
      socket.on("data", (part: string) => {
        const lines = (text + part).split("\n");
        text = lines.pop() ?? "";
        if (text.length > MAX_LINE) socket.destroy();
        for (const line of lines) listener(line);
      });
      socket.resume();
    },
    closed: new Promise((resolve) => {
      if (socket.destroyed) resolve();
      else socket.once("close", () => resolve());
    }),
  };
}

function connected(socket: Socket): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve();
    });
  });
}

/**
 * Sends one line to a local socket and returns the line that comes back. Rejects when nobody listens (ENOENT, ECONNREFUSED), perhaps
 * another user does, or no whole line came within `timeoutMs`. Where a socket was left or made a moment ago, the process that is to listen is starting.
 */
export async function askLocal(
  path: string,
  line: string,
  timeoutMs: number,
  untilMs = performance.now() + START_MS,
): Promise<string> {
  const socket = await connectOwn(path).catch((error: unknown) => {
    const left = lstatSync(path, { throwIfNoEntry: false });
    const ageMs = left === undefined ? Infinity : Math.abs(Date.now() - left.ctimeMs);
    if (!isUnserved(error) || ageMs > START_MS || performance.now() > untilMs) throw error;
    return undefined;
  });
  if (socket === undefined) {
    await after(LOOK_MS);
    return askLocal(path, line, timeoutMs, untilMs);
  }
  try {
    socket.write(`${line}\n`);
    return await readLine(socket, MAX_LINE, timeoutMs);
  } finally {
    socket.destroy();
  }
}

/** Leaves the socket paused, with what follows the line still to be read. */
function readLine(socket: Socket, longest: number, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose);
      settle();
    };
    const fail = (error: Error): void => finish(() => reject(error));
    const timer = setTimeout(() => fail(new Error(`no line within ${timeoutMs} ms`)), timeoutMs);
    const onClose = (): void => fail(new Error("the connection ended before a whole line"));
    const onData = (part: string): void => {
      text += part;
      const end = part.includes("\n") ? text.indexOf("\n") : -1;
      if (end < 0 && text.length <= longest) return;
      if (end < 0 || end > longest) {
        return fail(new Error(`a line of more than ${longest} characters`));
      }
      finish(() => {
        socket.pause();
        if (end + 1 < text.length) socket.unshift(text.slice(end + 1), "utf8");
        resolve(text.slice(0, end));
      });
    };
    socket.setEncoding("utf8");
    // Also for errors that follow the line, so that none is uncaught.
    socket.on("error", fail);
    socket.on("close", onClose);
    socket.on("data", onData);
  });
}
