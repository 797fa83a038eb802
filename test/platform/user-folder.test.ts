import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { userLockFolder } from "../../src/platform/user-folder.ts";

const database = vi.hoisted(() => ({ hasUser: true }));
vi.mock("node:os", async (load) => {
  const os = await load<typeof import("node:os")>();
  const unknown = (): never => {
    throw new Error("uv_os_homedir returned ENOENT");
  };
  return {
    ...os,
    homedir: () => (database.hasUser ? os.homedir() : unknown()),
    userInfo: () => (database.hasUser ? os.userInfo() : unknown()),
  };
});

afterEach(() => vi.unstubAllEnvs());

describe("the folder of this user's locks", () => {
  test.each(["", "somewhere/below"])(
    "does not depend on the current folder when HOME is %j",
    (home) => {
      vi.stubEnv("HOME", home);
      expect(path.isAbsolute(userLockFolder() ?? "")).toBe(true);
    },
  );

  test("is none for a user that the machine does not know", () => {
    database.hasUser = false;
    expect(userLockFolder()).toBeUndefined();
  });
});
