import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createStore } from "../../src/platform/store.ts";

const folder = mkdtempSync(join(tmpdir(), "touchline-store-"));
const holders: ChildProcess[] = [];
const full = fullDisk();
afterAll(() => {
  if (full !== undefined) spawnSync("umount", [full]);
  for (const holder of holders) holder.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** A folder on a disk of its own without space; undefined where this user may not mount one. */
function fullDisk(): string | undefined {
  const path = join(folder, "full");
  mkdirSync(path);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", path]);
  if (mounted.status !== 0) return undefined;
  try {
    writeFileSync(join(path, "fill"), new Uint8Array(1_000_000));
  } catch {
    // Written up to the last byte.
  }
  return path;
}

describe("store on disk", () => {
  it("appends, syncs in groups, cuts a torn tail and lists sorted", async () => {
    const store = createStore();
    const path = join(folder, "deep", "b.log");
    const file = store.openAppend(path);
    file.append(new Uint8Array([1, 2, 3]));
    const syncs = [file.sync(), file.sync()];
    file.append(new Uint8Array([4]));
    await Promise.all([...syncs, file.sync()]);
    file.close();
    file.close();
    const again = store.openAppend(path, { truncateTo: 2 });
    expect(again.size).toBe(2);
    again.append(new Uint8Array([9]));
    again.close();
    expect([...(store.read(path) ?? [])]).toEqual([1, 2, 9]);
    store.openAppend(join(folder, "deep", "a.log")).close();
    expect(store.list(join(folder, "deep"))).toEqual(["a.log", "b.log"]);
    expect(store.list(join(folder, "none"))).toEqual([]);
    expect(store.read(join(folder, "none"))).toBeUndefined();
  });

  it("does not call a file durable that was removed or replaced meanwhile", async () => {
    const store = createStore();
    const path = join(folder, "gone", "000001.log");
    const removed = store.openAppend(path);
    removed.append(new Uint8Array([1]));
    await removed.sync();
    rmSync(join(folder, "gone"), { recursive: true });
    removed.append(new Uint8Array([2]));
    const failure = { code: "WRITE_FAILED", message: expect.stringContaining("was removed") };
    await expect(removed.sync()).rejects.toMatchObject(failure);
    const replaced = store.openAppend(path);
    replaced.append(new Uint8Array([3]));
    await replaced.sync();
    rmSync(path);
    writeFileSync(path, new Uint8Array([3]));
    replaced.append(new Uint8Array([4]));
    await expect(replaced.sync()).rejects.toMatchObject(failure);
    for (const file of [removed, replaced]) file.close();
  });

  it("writes a whole file in one step, or says that it cannot", async () => {
    const store = createStore();
    const path = join(folder, "whole", "HALT");
    for (const text of ["news", "a longer text", ""]) {
      await store.write(path, new TextEncoder().encode(text));
      expect(new TextDecoder().decode(store.read(path))).toBe(text);
    }
    expect(store.list(join(folder, "whole"))).toEqual(["HALT"]);
    const problem = { code: "WRITE_FAILED", context: { path: join(path, "below") } };
    await expect(store.write(join(path, "below"), new Uint8Array())).rejects.toMatchObject(problem);
  });

  it("says why a folder cannot be locked when no other process holds the lock", () => {
    const damaged = join(folder, "damaged");
    mkdirSync(damaged);
    writeFileSync(
      join(damaged, "lock.db"),
      "no database, but long enough to be read as one".repeat(9),
    );
    expect(() => createStore().lock(damaged)).toThrow(
      expect.objectContaining({ code: "LOCK_FAILED", hint: expect.stringContaining("damaged") }),
    );
    const folderAsFile = join(folder, "folder-as-file");
    mkdirSync(join(folderAsFile, "lock.db"), { recursive: true });
    expect(() => createStore().lock(folderAsFile)).toThrow(
      expect.objectContaining({ code: "LOCK_FAILED" }),
    );
  });

  it.skipIf(full === undefined)(
    "says that the disk is full, and not that another process holds the lock",
    () => {
      for (const lock of [full ?? "", join(full ?? "", "new")]) {
        expect(() => createStore().lock(lock)).toThrow(
          expect.objectContaining({
            code: "LOCK_FAILED",
            message: expect.stringContaining("disk is full"),
            hint: expect.stringContaining("No other bot"),
          }),
        );
      }
    },
  );

  it("locks a folder against this and other processes until the holder is killed", async () => {
    const locked = join(folder, "locked");
    const script = join(folder, "hold.ts");
    writeFileSync(
      script,
      `import { createStore } from ${JSON.stringify(join(import.meta.dirname, "../../src/platform/store.ts"))};
       process.stdout.write(createStore().lock(${JSON.stringify(locked)}) ? "held" : "no");
       setInterval(() => undefined, 1000);`,
    );
    const holder = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "ignore"] });
    holders.push(holder);
    const said = await new Promise<string>((resolve) =>
      holder.stdout.once("data", (data: Buffer) => resolve(data.toString())),
    );
    expect(said).toBe("held");
    const store = createStore();
    expect(store.lock(locked)).toBe(false);
    const gone = new Promise((resolve) => holder.once("exit", resolve));
    holder.kill("SIGKILL");
    await gone;
    expect(store.lock(locked)).toBe(true);
    expect(store.lock(locked)).toBe(false);
    expect(createStore().lock(locked)).toBe(false);
    expect(() => readFileSync(join(locked, "lock.db"))).not.toThrow();
  });
});

it.skipIf(full === undefined)(
  "a disk that is full keeps no part of a record or of a HALT file, and is named as the reason",
  async () => {
    const disk = full ?? "";
    // Room for one record and a part of the next one.
    truncateSync(join(disk, "fill"), 4_096);
    const store = createStore();
    const failure = { code: "WRITE_FAILED", message: expect.stringContaining("no space left") };
    const [journal, halt] = [join(disk, "000001.journal"), join(disk, "HALT")];
    const file = store.openAppend(journal);
    file.append(new Uint8Array(6_000));
    expect(() => file.append(new Uint8Array(9_000))).toThrow(expect.objectContaining(failure));
    file.close();
    expect(statSync(journal).size).toBe(6_000);
    await expect(store.write(halt, new Uint8Array(9_000))).rejects.toMatchObject(failure);
    expect(readdirSync(disk).filter((name) => name.startsWith("HALT"))).toEqual([]);
  },
);
