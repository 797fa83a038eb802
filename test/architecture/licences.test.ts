import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      license: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
      integrity: z.string().optional(),
    }),
  ),
});
const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
const own = z
  .object({ allowScripts: z.record(z.string(), z.boolean()) })
  .parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")));
const packages = Object.entries(lockfile.parse(JSON.parse(text)).packages);
const installed = packages.filter(([path]) => path.startsWith("node_modules/"));
const shipped = installed.filter(([, { dev, link }]) => dev !== true && link !== true);

it("what is installed with the package has a licence that asks for no more than its notice", () => {
  const licences = new Set(shipped.map(([, { license }]) => license));
  expect(shipped.length).toBeGreaterThan(20);
  expect(licences).toEqual(new Set(["0BSD", "Apache-2.0", "BlueOak-1.0.0", "ISC", "MIT"]));
});

it("only secp256k1 has an install script, and every package a checksum", () => {
  const scripts = shipped.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  expect(scripts.map(([path]) => path)).toEqual(["node_modules/secp256k1"]);
  // npm heeds this in a clone only, not where the package is a dependency.
  expect(own.allowScripts).toEqual({ secp256k1: false });
  const said = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
  expect(said).toContain("npm runs the one of `secp256k1`");
  const unchecked = installed.filter(
    ([, { link, integrity }]) => link !== true && integrity === undefined,
  );
  expect(unchecked.map(([path]) => path)).toEqual([]);
});
