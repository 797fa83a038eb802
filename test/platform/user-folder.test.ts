import path from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { homeFolder, userLockFolder } from "../../src/platform/user-folder.ts";

afterEach(() => vi.unstubAllEnvs());

describe("the folder of this user's locks", () => {
  test.each(["", "somewhere/below"])(
    "does not depend on the current folder when HOME is %j",
    (home) => {
      vi.stubEnv("HOME", home);
      expect(path.isAbsolute(userLockFolder() ?? "")).toBe(true);
    },
  );
});

test("a user that the machine does not know has no home folder", () => {
  const unknown = (): never => {
    throw new Error("uv_os_homedir returned ENOENT");
  };
  expect(homeFolder({ homedir: unknown, userInfo: unknown })).toBeUndefined();
});
