import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { backgroundFiles } from "../../src/platform/background-files.ts";
import { createDatabaseOpener } from "../../src/platform/database.ts";
import { writeSecretFile } from "../../src/platform/keystore-file.ts";
import { isReadableByOthers, openToOthers } from "../../src/platform/private-file.ts";
import { createStore } from "../../src/platform/store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Everything that touchline writes by itself, each into a folder of its own. */
const writers: Readonly<Record<string, (file: string) => unknown>> = {
  "a journal": (file) => createStore().openAppend(file).close(),
  "a keystore": (file) => writeSecretFile(file, "{}"),
  "a database": (file) => {
    const database = createDatabaseOpener().open(file);
    database.exec("CREATE TABLE t (a)");
    const modes = ["", ".lock", "-wal", "-shm"].filter((end) => existsSync(file + end));
    for (const end of modes) expect(modeOf(file + end)).toBe(0o600);
    database.close();
  },
};

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

const umask = process.umask();
afterEach(() => {
  process.umask(umask);
});

describe.skipIf(process.platform === "win32").each(Object.entries(writers))("%s", (_, write) => {
  it.each([0o000, 0o022, 0o077, 0o277])("is its owner's alone under umask %o", async (mask) => {
    const folder = path.join(temporaryFolder(), "new", "deep");
    process.umask(mask);
    const written = write(path.join(folder, "file"));
    process.umask(umask);
    await written;
    expect(modeOf(folder)).toBe(0o700);
    expect(modeOf(path.dirname(folder))).toBe(0o700);
    expect(modeOf(path.join(folder, "file"))).toBe(0o600);
  });

  it("is not written through a symbolic link", async () => {
    const folder = temporaryFolder();
    const target = path.join(folder, "target");
    writeFileSync(target, "theirs");
    symlinkSync(target, path.join(folder, "file"));
    await expect(async () => write(path.join(folder, "file"))).rejects.toThrow();
    expect(statSync(target).size).toBe(6);
  });
});

it("a lock and a compressed segment are their owner's alone, and go through no link", async () => {
  const folder = temporaryFolder();
  process.umask(0);
  expect(createStore().lock(path.join(folder, "locked"))).toBe(true);
  expect(modeOf(path.join(folder, "locked"))).toBe(0o700);
  expect(modeOf(path.join(folder, "locked", "lock.db"))).toBe(0o600);
  await backgroundFiles.write(path.join(folder, "part"), new Uint8Array([1]), 1_000);
  expect(modeOf(path.join(folder, "part"))).toBe(0o600);

  const target = path.join(folder, "target");
  mkdirSync(path.join(folder, "linked"));
  symlinkSync(target, path.join(folder, "linked", "lock.db"));
  expect(() => createStore().lock(path.join(folder, "linked"))).toThrow(/symbolic link/);
  expect(existsSync(target)).toBe(false);
});

it.skipIf(process.platform === "win32").each([0o000, 0o277, 0o777])(
  "a HALT file and a compressed segment can be read by their owner only, under umask %o",
  async (mask) => {
    const file = path.join(temporaryFolder(), "HALT");
    process.umask(mask);
    const written = backgroundFiles.write(file, new Uint8Array([1]), 1_000);
    await written.finally(() => process.umask(umask));
    expect(modeOf(file)).toBe(0o600);
  },
);

it("a HALT file and a compressed segment are not written into what has the name of their unfinished part", async () => {
  const folder = temporaryFolder();
  const [file, target] = [path.join(folder, "HALT"), path.join(folder, "target")];
  writeFileSync(target, "theirs", { mode: 0o666 });
  for (const link of [linkSync, symlinkSync]) {
    link(target, `${file}.part`);
    await backgroundFiles.write(file, new Uint8Array([1]), 1_000);
    expect(readFileSync(target, "utf8")).toBe("theirs");
    expect(readFileSync(file)).toHaveLength(1);
    expect(modeOf(file)).toBe(0o600);
  }
});

it("knows a file that other users can read", () => {
  const file = path.join(temporaryFolder(), "key.json");
  writeFileSync(file, "{}");
  chmodSync(file, 0o600);
  expect(isReadableByOthers(file)).toBe(false);
  for (const mode of [0o604, 0o640]) {
    chmodSync(file, mode);
    expect(isReadableByOthers(file)).toBe(true);
  }
  expect(isReadableByOthers(`${file}.none`)).toBe(false);
});

it.skipIf(process.platform === "win32")(
  "a keystore for which there is not room enough is an error, and leaves no part of itself",
  () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "key.json");
    const writer = new URL("../../src/platform/keystore-file.ts", import.meta.url).href;
    const code = `
      import { writeSecretFile } from "${writer}";
      await writeSecretFile(${JSON.stringify(file)}, "x".repeat(5_000)).then(
        () => console.log("written"),
        ({ code, message }) => console.log(code, message),
      );`;
    // Files have 1 to 4 KiB at most, in whatever unit the shell counts: the system takes a part of the text and reports no error.
    const args = ["-c", 'ulimit -f 2; exec "$@"', "sh", process.execPath];
    const options = { encoding: "utf8" } as const;
    const run = spawnSync("/bin/sh", [...args, "--input-type=module", "-e", code], options);
    expect(run.stdout).toMatch(/^WRITE_FAILED Cannot write to \S+key\.json: EFBIG/);
    expect(existsSync(file)).toBe(false);
  },
);

/** A folder like /tmp, with a folder `made` in it that another user made. */
function besideAnother(): { readonly shared: string; readonly made: string } {
  const shared = temporaryFolder();
  chmodSync(shared, 0o1777);
  const made = path.join(shared, "made");
  mkdirSync(made);
  chownSync(made, 60_002, 60_002);
  return { shared, made };
}

it.runIf(process.getuid?.() === 0)("a file that a group may write is open to others", () => {
  const file = path.join(temporaryFolder(), "maker.ts");
  writeFileSync(file, "");
  chownSync(file, 0, 60_002);
  chmodSync(file, 0o644);
  expect(openToOthers(file)).toBeUndefined();
  chmodSync(file, 0o664);
  expect(openToOthers(file)).toEqual({ place: file, by: "group" });
});

describe.runIf(process.getuid?.() === 0)("what another user made in a folder like /tmp", () => {
  it("is open to others, and so is all below it", () => {
    const { shared, made } = besideAnother();
    const open = { place: made, by: "owner" };
    mkdirSync(path.join(made, "ours"));
    for (const below of ["", "ours", "missing", "ours/missing"])
      expect(openToOthers(path.join(made, below))).toEqual(open);
    mkdirSync(path.join(shared, "ours"));
    for (const ours of ["", "ours", "ours/missing", "missing"])
      expect(openToOthers(path.join(shared, ours))).toBeUndefined();
    const link = path.join(shared, "link");
    symlinkSync(path.join(shared, "ours"), link);
    expect(openToOthers(link)).toBeUndefined();
    lchownSync(link, 60_002, 60_002);
    expect(openToOthers(link)).toEqual({ place: link, by: "owner" });
  });

  it("is open to others in a folder of a group, too", () => {
    const { shared, made } = besideAnother();
    chmodSync(shared, 0o1770);
    expect(openToOthers(made)).toEqual({ place: made, by: "owner" });
  });

  it("is open to others in any folder, unless this user is root, who works for all", () => {
    const { shared, made } = besideAnother();
    chmodSync(shared, 0o755);
    expect(openToOthers(path.join(made, "control.sock"))).toBeUndefined();
    vi.spyOn(process, "getuid").mockReturnValue(60_001);
    for (const place of [made, path.join(made, "control.sock")]) {
      expect(openToOthers(place)).toEqual({ place: made, by: "owner" });
    }
    vi.restoreAllMocks();
  });

  it("holds no lock of this user, which the other one could hold or remove", () => {
    const { shared, made } = besideAnother();
    const lock = (folder: string): boolean => createStore().lock(folder, { isPrivate: true });
    expect(() => lock(path.join(made, "market"))).toThrow(
      expect.objectContaining({
        code: "LOCK_FAILED",
        message: expect.stringContaining(`another user made ${made}`),
      }),
    );
    expect(lock(path.join(shared, "ours", "market"))).toBe(true);
  });
});
