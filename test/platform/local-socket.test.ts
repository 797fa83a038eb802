import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createConnection, type Socket } from "node:net";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { askLocal, connectLocal, serveLocal } from "../../src/platform/local-socket.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function socketPath(): string {
  return path.join(temporaryFolder(), "bot", "control.sock");
}

describe("a local socket", () => {
  it("answers each line once, and only its own user may open it", async () => {
    const at = socketPath();
    const server = await serveLocal(at, async (line) => line.toUpperCase());
    expect(statSync(at).mode & 0o777).toBe(0o600);
    const lines = await Promise.all(["a", "b", "ü"].map((line) => askLocal(at, line, 5_000)));
    expect(lines).toEqual(["A", "B", "Ü"]);
    await server.close();
    expect(existsSync(at)).toBe(false);
    await expect(askLocal(at, "a", 5_000)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("may stay open for its taker: lines pass both ways, and what is queued leaves before it closes", async () => {
    const at = socketPath();
    const received: string[] = [];
    const server = await serveLocal(at, async (first) => (connection) => {
      received.push(first);
      connection.onLine((line) => {
        received.push(line);
        connection.send(line.toUpperCase());
      });
      void connection.closed.then(() => received.push("closed"));
    });
    const connection = await connectLocal(at);
    const answers: string[] = [];
    connection.onLine((line) => answers.push(line));
    connection.send("hello");
    connection.send("a");
    connection.send("ü");
    await expect.poll(() => answers).toEqual(["A", "Ü"]);
    expect(received).toEqual(["hello", "a", "ü"]);
    connection.end();
    await expect.poll(() => received.at(-1)).toBe("closed");

    const second = await connectLocal(at);
    const last: string[] = [];
    second.onLine((line) => last.push(line));
    second.send("hello");
    await expect.poll(() => received.at(-1)).toBe("hello");
    second.send("goodbye");
    await expect.poll(() => received.at(-1)).toBe("goodbye");
    await server.close();
    await second.closed;
    expect(last).toEqual(["GOODBYE"]);
    await expect(connectLocal(at)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("lets a request wait for the process that takes the place of the one that listened", async () => {
    const at = socketPath();
    const first = await serveLocal(at, async () => "first");
    await first.close({ startsAnew: true });
    const asked = askLocal(at, "a", 5_000);
    await expect(connectLocal(at)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    const second = await serveLocal(at, async () => "second");
    expect(await asked).toBe("second");
    await second.close();
  });

  it("closes although a connection has sent nothing, or half a request", async () => {
    // No time passes, so nothing ends because it has waited long enough.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const at = socketPath();
    const server = await serveLocal(at, async (line) => line);
    const silent = createConnection(at);
    const half = createConnection(at);
    await new Promise((resolve) => half.once("connect", resolve));
    half.write("half");
    expect(await askLocal(at, "a", 5_000)).toBe("a");
    const closed = [silent, half].map(
      (socket) => new Promise((resolve) => socket.once("close", resolve)),
    );
    for (const socket of [silent, half]) socket.resume();
    await server.close();
    await Promise.all(closed);
    vi.useRealTimers();
  });

  it("closes although a peer was stopped and reads nothing of what is queued, a response or lines", async () => {
    const at = socketPath();
    const taken = Promise.withResolvers<void>();
    // More than a socket's buffers take.
    const much = "x".repeat(900_000);
    const server = await serveLocal(at, async (first) =>
      first === "status"
        ? much
        : (connection) => {
            for (let count = 0; count < 10; count += 1) connection.send(much);
            taken.resolve();
          },
    );
    const peers = ["guard", "status"].map((line) => {
      const socket = createConnection(at);
      socket.write(`${line}\n`);
      return socket;
    });
    await taken.promise;
    // Until the response is under way, too.
    await new Promise((resolve) => peers[1]?.once("readable", resolve));
    await server.close();
    expect(existsSync(at)).toBe(false);
    for (const socket of peers) socket.destroy();
  });

  it("replaces the socket that a dead process left", async () => {
    const at = socketPath();
    const first = await serveLocal(at, async () => "first");
    linkSync(at, `${at}.left`);
    await first.close();
    renameSync(`${at}.left`, at);
    const server = await serveLocal(at, async () => "second");
    expect(await askLocal(at, "x", 5_000)).toBe("second");
    await server.close();
  });

  it("leaves a socket to the living process that listens at it", async () => {
    const at = socketPath();
    const first = await serveLocal(at, async () => "first");
    await expect(serveLocal(at, async () => "second")).rejects.toThrow("another process listens");
    expect(await askLocal(at, "x", 5_000)).toBe("first");
    await first.close();
  });

  it("leaves a socket to a living process that hangs and has more connections waiting than fit", async () => {
    const at = path.join(temporaryFolder(), "control.sock");
    const listens = `require("net").createServer().listen({ path: process.argv[1], backlog: 1 }, () => console.log("up"))`;
    const bot = spawn(process.execPath, ["-e", listens, at], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await new Promise((resolve) => bot.stdout.once("data", resolve));
    bot.kill("SIGSTOP");
    const waiting: Socket[] = [];
    const isFull = (): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = createConnection(at);
        waiting.push(socket);
        socket.once("connect", () => resolve(false));
        socket.once("error", () => resolve(true));
      });
    for (let count = 0; !(await isFull()); count += 1) expect(count).toBeLessThan(100);
    await expect(serveLocal(at, async () => "stolen")).rejects.toThrow("another process listens");
    expect(existsSync(at)).toBe(true);
    for (const socket of waiting) socket.destroy();
    bot.kill("SIGKILL");
  });

  it("says that a path is too long for the system, to the server and to the client", async () => {
    const at = path.join(temporaryFolder(), "a".repeat(120), "control.sock");
    const message = /is \d+ bytes long, and a socket's path at most 100.*control\.socket/;
    await expect(serveLocal(at, async () => "")).rejects.toThrow(message);
    await expect(askLocal(at, "x", 5_000)).rejects.toThrow(message);
  });

  it.runIf(process.getuid?.() === 0)(
    "is not spoken to where another user may be the one that listens",
    async () => {
      const folder = temporaryFolder();
      const at = path.join(folder, "control.sock");
      const server = await serveLocal(at, async () => "an impostor's answer");
      const refused = { code: "FILE_REFUSED", message: expect.stringContaining("another user") };
      chmodSync(folder, 0o1777);
      expect(await askLocal(at, "x", 5_000)).toBe("an impostor's answer");
      chownSync(at, 60_002, 60_002);
      await expect(askLocal(at, "x", 5_000)).rejects.toMatchObject(refused);
      await expect(connectLocal(at)).rejects.toMatchObject(refused);
      chownSync(at, 0, 0);
      // The other one listens only after the first look.
      const connecting = connectLocal(at);
      chownSync(at, 60_002, 60_002);
      await expect(connecting).rejects.toMatchObject(refused);
      await server.close();
      chmodSync(folder, 0o755);
      vi.spyOn(process, "getuid").mockReturnValue(60_001);
      chownSync(folder, 60_002, 60_002);
      for (const speaking of [askLocal(at, "x", 5_000), serveLocal(at, async () => "")]) {
        await expect(speaking).rejects.toMatchObject(refused);
      }
      vi.restoreAllMocks();
    },
  );

  it("removes no file that is no socket", async () => {
    const at = path.join(temporaryFolder(), "bot.yaml");
    writeFileSync(at, "mine");
    await expect(serveLocal(at, async () => "")).rejects.toThrow("is no socket");
    expect(readFileSync(at, "utf8")).toBe("mine");
  });

  it("lets a response that is under way finish when it closes", async () => {
    const at = socketPath();
    let answer: (line: string) => void = () => undefined;
    let received: () => void = () => undefined;
    const isReceived = new Promise<void>((resolve) => {
      received = resolve;
    });
    const server = await serveLocal(at, () => {
      received();
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    const asked = askLocal(at, "x", 5_000);
    await isReceived;
    const closed = server.close();
    answer("done");
    expect(await asked).toBe("done");
    await closed;
  });

  it("drops a connection that sends no end of line, and serves the others meanwhile", async () => {
    const at = socketPath();
    const server = await serveLocal(at, async () => "here");
    const flood = createConnection(at);
    const closed = new Promise<void>((resolve) => {
      flood.once("close", () => resolve());
    });
    flood.on("error", () => undefined);
    flood.write("x".repeat(2_000_000));
    expect(await askLocal(at, "x", 5_000)).toBe("here");
    await closed;
    await server.close();
    expect(flood.destroyed).toBe(true);
  });

  it("reads no line that is longer than any request", async () => {
    const at = socketPath();
    const server = await serveLocal(at, async () => "read");
    await expect(askLocal(at, "x".repeat(20_000), 5_000)).rejects.toThrow("connection ended");
    expect(await askLocal(at, "x".repeat(10_000), 5_000)).toBe("read");
    await server.close();
  });

  it("keeps 32 connections at most, so that a flood of them does not hold up its process", async () => {
    const at = socketPath();
    const server = await serveLocal(at, async () => "here");
    let ended = 0;
    const silent = Array.from({ length: 100 }, () => {
      const socket = createConnection(at);
      socket.on("error", () => undefined);
      socket.on("close", () => (ended += 1));
      return socket;
    });
    await expect.poll(() => ended).toBeGreaterThanOrEqual(68);
    for (const socket of silent) socket.destroy();
    await expect.poll(() => ended).toBe(100);
    await expect.poll(() => askLocal(at, "x", 5_000).catch(() => "refused")).toBe("here");
    await server.close();
  });

  it("answers 40 requests at once, then 20 a second", async () => {
    const at = socketPath();
    const server = await serveLocal(at, async () => "here");
    const startMs = performance.now();
    let answered = 0;
    for (let request = 0; request < 120; request += 1) {
      if ((await askLocal(at, "x", 5_000).catch(() => "refused")) === "here") answered += 1;
    }
    const seconds = (performance.now() - startMs) / 1000;
    expect(answered).toBeGreaterThanOrEqual(40);
    expect(answered).toBeLessThanOrEqual(40 + Math.ceil(20 * seconds));
    await server.close();
  });

  it("gives up on a server that does not answer", async () => {
    const at = socketPath();
    const server = await serveLocal(
      at,
      () => new Promise((resolve) => setTimeout(resolve, 300, "late")),
    );
    await expect(askLocal(at, "x", 50)).rejects.toThrow("no line within 50 ms");
    await server.close();
  });
});
