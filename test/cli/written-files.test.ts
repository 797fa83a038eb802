import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { makeProject } from "../../src/cli/project.ts";
import { strategyFiles, writeNew } from "../../src/cli/scaffold.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const GROUP_OR_OTHERS_WRITE = 0o022;
const umask = process.umask();
afterEach(() => {
  process.umask(umask);
});

/** The files and folders below a folder that others than their owner may change. */
function openToOthers(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => (statSync(path.join(folder, name)).mode & GROUP_OR_OTHERS_WRITE) !== 0);
}

describe.skipIf(process.platform === "win32")("under a umask that takes nothing away", () => {
  it("the files and folders of a new project can be changed by their owner only", () => {
    const folder = temporaryFolder();
    process.umask(0);
    makeProject(path.join(folder, "project"), "my-own");
    expect(readdirSync(path.join(folder, "project"))).toContain("bot.yaml");
    expect(openToOthers(folder)).toEqual([]);
  });

  it("a new strategy can be changed by its owner only", () => {
    const folder = temporaryFolder();
    process.umask(0);
    writeNew(strategyFiles(path.join(folder, "strategies"), "my-own"));
    expect(readdirSync(path.join(folder, "strategies"))).toHaveLength(2);
    expect(openToOthers(folder)).toEqual([]);
  });
});

it.skipIf(process.platform === "win32")(
  "a stricter umask stays stricter for the files of a new project",
  () => {
    const folder = temporaryFolder();
    process.umask(0o077);
    makeProject(path.join(folder, "project"), "my-own");
    expect(statSync(path.join(folder, "project")).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, "project", "bot.yaml")).mode & 0o777).toBe(0o600);
  },
);
