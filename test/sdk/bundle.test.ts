import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "vite";
import { afterAll, expect, test } from "vitest";

/** What a bundler keeps of the client: no more than a program uses. */

const root = path.join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(path.join(tmpdir(), "touchline-bundle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Modules of ours, and names of libraries, that stay in the bundle of `code`. */
async function modulesOf(code: string): Promise<readonly string[]> {
  const entry = path.join(folder, "entry.ts");
  writeFileSync(entry, code);
  const built = await build({
    root,
    configFile: false,
    logLevel: "silent",
    resolve: {
      alias: [
        { find: /^touchline\/venue$/, replacement: path.join(root, "src/sdk/index.ts") },
        {
          find: /^touchline\/venue\/(endpoints|commands)\/(.*)$/,
          replacement: path.join(root, "src/spec/$1/$2.ts"),
        },
      ],
    },
    build: {
      write: false,
      minify: false,
      target: "es2024",
      ssr: entry,
      rollupOptions: { external: [/^node:/, /node_modules/] },
    },
  });
  const outputs = [built].flat().flatMap((each) => ("output" in each ? each.output : []));
  const chunks = outputs.flatMap((each) => (each.type === "chunk" ? [each] : []));
  return chunks.flatMap((chunk) => [
    ...Object.entries(chunk.modules).flatMap(([file, { renderedLength }]) =>
      renderedLength > 0 ? [path.relative(root, file)] : [],
    ),
    ...chunk.imports,
  ]);
}

test("a program that asks one question has one endpoint, and no library for sockets", async () => {
  const modules = await modulesOf(`
    import { callVenue, fetchHttp } from "touchline/venue";
    import { depth } from "touchline/venue/endpoints/depth";
    export const book = callVenue({ http: fetchHttp(), rest: "http://v" }, depth, { marketId: "1_2" });
  `);
  expect(modules).toContain("src/spec/endpoints/depth.ts");
  expect(modules.filter((each) => each.startsWith("src/spec/endpoints/"))).toHaveLength(1);
  const heavy = /exchange|venue\/|platform\/(http|socket|server|keystore|database)|commands/;
  expect(modules.filter((each) => heavy.test(each) && !each.includes("gateway"))).toEqual([]);
  expect(modules.filter((each) => /ws$|undici|ethers|pino|p-queue/.test(each))).toEqual([]);
});

test("the whole client has no paper venue in it", async () => {
  const modules = await modulesOf(`
    import { connectVenue } from "touchline/venue";
    export const venue = connectVenue({ rest: "http://v", chainId: 1 });
  `);
  expect(modules).toContain("src/sdk/connect-venue.ts");
  expect(modules.filter((each) => /src\/(exchange|venue)\//.test(each))).toEqual([]);
});
