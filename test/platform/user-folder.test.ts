import path from "node:path";
import { describe, expect, test } from "vitest";
import { userLockFolder } from "../../src/platform/user-folder.ts";

describe("the folder of this user's locks", () => {
  test.each(["", "somewhere/below"])(
    "does not depend on the current folder when HOME is %j",
    (home) => {
      const { HOME } = process.env;
      process.env["HOME"] = home;
      try {
        expect(path.isAbsolute(userLockFolder())).toBe(true);
      } finally {
        if (HOME === undefined) delete process.env["HOME"];
        else process.env["HOME"] = HOME;
      }
    },
  );
});
