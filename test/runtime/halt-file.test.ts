import { spawnSync } from "node:child_process";
import { symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createStore } from "../../src/platform/store.ts";
import type { ReadFile } from "../../src/ports/store.ts";
import { HaltFile } from "../../src/runtime/halt-file.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { expectVerified, liveWorld, stopped } from "./live-world.ts";

const touch = (store: MemoryStore, text = ""): void => {
  store.openAppend("journal/HALT").append(new TextEncoder().encode(text));
};

describe("a HALT file in the journal's folder", () => {
  test("halts a running bot within about a second, over a restart too, until it is resumed", async () => {
    const world = await liveWorld(31);
    const first = await world.start();
    await world.clock.runFor(10_000);
    expect(world.openOrders(first)).toHaveLength(4);
    touch(world.store, "news at 14:30\n");
    await world.clock.runFor(2_500);
    expect(world.openOrders(first)).toEqual([]);
    await world.clock.runFor(30_000);
    expect(world.openOrders(first)).toEqual([]);
    expect(await stopped(world, first)).toMatchObject({ ok: true });

    const second = await world.start();
    const reasons = new Set<string | undefined>();
    second.observers.on(({ notes }) => {
      for (const note of notes) if (note.type === "quoteReason") reasons.add(note.reason);
    });
    await world.clock.runFor(10_000);
    expect(world.openOrders(second)).toEqual([]);
    expect(reasons).toContain("halted: news at 14:30");
    second.resume();
    await world.clock.runFor(10_000);
    expect(world.openOrders(second)).toHaveLength(4);
    expect(new HaltFile(world.store, "journal").read()).toBeUndefined();
    expect(await stopped(world, second)).toMatchObject({ ok: true });
    await expectVerified(world);
  });

  test("is not ended by an agent, which ends pauses only", async () => {
    const world = await liveWorld(33);
    const bot = await world.start();
    await world.clock.runFor(5_000);
    const agent = { who: "mcp", from: "here", isAgent: true } as const;
    bot.pause(undefined, agent);
    await world.clock.runFor(1_000);
    expect(bot.resume(undefined, true, agent).problem).toContain("only a person");
    expect(bot.resume(undefined, false, agent)).toMatchObject({ problem: undefined });
    // The bot has not seen it yet.
    touch(world.store, "news");
    const refused = "nothing was resumed, since only a person may end the halt (news)";
    expect(bot.resume(undefined, false, agent).problem).toBe(refused);
    await world.clock.runFor(2_500);
    expect(bot.resume(undefined, false, agent).problem).toBe(refused);
    await bot.halt("losses", "maker");
    await world.clock.runFor(1_000);
    expect(bot.resume("maker", false, agent).problem).toContain("the halt of maker (losses)");
    expect(world.openOrders(bot)).toEqual([]);
    await stopped(world, bot);
  });

  test("is written by a halt of the running bot; a full disk cannot keep the halt from acting", async () => {
    const world = await liveWorld(32);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    expect(await bot.halt("for lunch")).toBeUndefined();
    expect(new HaltFile(world.store, "journal").read()).toBe("for lunch");
    bot.resume();
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot)).toHaveLength(4);
    const { roomBytes } = world.store;
    world.store.roomBytes = 0;
    expect(await bot.halt("again")).toContain("a restart would end the halt");
    world.store.roomBytes = roomBytes;
    await world.clock.runFor(2_000);
    expect(world.openOrders(bot)).toEqual([]);
    await stopped(world, bot);
  });

  test("outlasts a resume of one strategy, as a pause of the whole bot does, and the operator learns why", async () => {
    const world = await liveWorld(33);
    const bot = await world.start();
    await world.clock.runFor(10_000);
    expect(bot.resume("maker").problem).toBeUndefined();
    for (const [act, state] of [
      [() => bot.pause(), "paused"],
      [() => bot.halt("news"), "halted"],
    ] as const) {
      await act();
      await world.clock.runFor(5_000);
      expect(bot.resume("maker").problem).toContain(`the whole bot is ${state}`);
      await world.clock.runFor(5_000);
      expect(world.openOrders(bot)).toEqual([]);
    }
    expect(bot.resume().problem).toBeUndefined();
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot)).toHaveLength(4);
    await stopped(world, bot);
    await expectVerified(world);
  });

  test("is gone after a resume although the disk had not confirmed it yet", async () => {
    const store = new MemoryStore();
    const file = new HaltFile(store, "journal");
    store.isStuck = true;
    const written = file.write("news");
    await Promise.resolve();
    file.remove();
    store.isStuck = false;
    expect(file.read()).toBeUndefined();
    await written;
    expect(file.read()).toBeUndefined();
    await file.write("again");
    expect(file.read()).toBe("again");
  });

  test("that the disk has not confirmed halts a bot that starts, and a resume ends it", async () => {
    const world = await liveWorld(34);
    world.store.isStuck = true;
    const haltFile = new HaltFile(world.store, "journal");
    const written = haltFile.write("news");
    const bot = await world.start({}, { haltFile });
    let placed = 0;
    bot.observers.on(({ effects }) => {
      placed += effects.filter(({ type }) => type === "place").length;
    });
    await world.clock.runFor(5_000);
    world.store.isStuck = false;
    await written;
    await world.clock.runFor(10_000);
    expect(placed).toBe(0);

    world.store.isStuck = true;
    const halted = bot.halt("again");
    await world.clock.runFor(3_000);
    expect(await halted).toContain("a restart would end the halt");
    bot.resume();
    world.store.isStuck = false;
    await world.clock.runFor(10_000);
    expect(world.openOrders(bot)).toHaveLength(4);
    expect(new HaltFile(world.store, "journal").read()).toBeUndefined();
    await stopped(world, bot);
  });

  test("stays when it cannot be removed, although the disk confirms it later", async () => {
    const store = new MemoryStore();
    const file = new HaltFile(store, "journal");
    store.isStuck = true;
    const written = file.write("news");
    const remove = store.remove.bind(store);
    store.remove = () => {
      throw new Error("EROFS");
    };
    expect(() => file.remove()).toThrow("EROFS");
    store.remove = remove;
    store.isStuck = false;
    await written;
    expect(file.read()).toBe("news");
  });

  test("may be empty or hold anything", () => {
    const store = new MemoryStore();
    const file = new HaltFile(store, "journal");
    expect(file.read()).toBeUndefined();
    touch(store);
    expect(file.read()).toBe("the HALT file exists");
    store.remove("journal/HALT");
    touch(store, `\u001b[31m${"x".repeat(5_000)}\nsecond line`);
    expect(file.read()).toBe(`[31m${"x".repeat(195)}…`);
    store.remove("journal/HALT");
    touch(store, "news\u202e at\u200b\r\n");
    expect(file.read()).toBe("news  at");
  });
});

test("a link to nothing in the place of a HALT file halts", () => {
  const folder = temporaryFolder();
  symlinkSync("/no/such/file", `${folder}/HALT`);
  expect(new HaltFile(createStore(), folder).read()).toBe("the HALT file cannot be read");
});

test("of a HALT file that is huge, only the beginning is read", () => {
  const folder = temporaryFolder();
  writeFileSync(`${folder}/HALT`, "news\n");
  truncateSync(`${folder}/HALT`, 1_000_000_000);
  const store = createStore();
  let most = 0;
  const openRead = (path: string): ReadFile | undefined => {
    const file = store.openRead(path);
    return file && { ...file, read: (into, at) => file.read(into, ((most = into.length), at)) };
  };
  const read = (path: string): Uint8Array | undefined => {
    const bytes = store.read(path);
    most = bytes?.length ?? 0;
    return bytes;
  };
  expect(new HaltFile({ ...store, openRead, read }, folder).read()).toBe("news");
  expect(most).toBeLessThan(4_096);
});

test.skipIf(process.platform === "win32").each(["a pipe", "a device"])(
  "%s in the place of a HALT file halts, and is not read, which might never end",
  (kind) => {
    const folder = temporaryFolder();
    const path = `${folder}/HALT`;
    if (kind === "a pipe") spawnSync("mkfifo", [path]);
    else symlinkSync("/dev/zero", path);
    // In a process of its own, which can be ended.
    const at = (file: string): string => new URL(`../../src/${file}`, import.meta.url).href;
    const code = `
      import { createStore } from "${at("platform/store.ts")}";
      import { HaltFile } from "${at("runtime/halt-file.ts")}";
      console.log(new HaltFile(createStore(), ${JSON.stringify(folder)}).read());`;
    const args = ["--max-old-space-size=100", "--input-type=module", "-e", code];
    const { stdout } = spawnSync(process.execPath, args, { timeout: 20_000, encoding: "utf8" });
    expect(stdout).toBe("the HALT file exists\n");
  },
);
