import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "vite";
import { afterAll, expect, test } from "vitest";

/** Tests that a bundle has only the parts of the client that a program uses. */

const root = path.join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(path.join(tmpdir(), "touchline-bundle-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Our modules and the libraries in the bundle of `code`. */
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
        { find: /^touchline\/venue\/parts$/, replacement: path.join(root, "src/sdk/parts.ts") },
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

test("the bundle of a program with one query has one endpoint and no socket library", async () => {
  const modules = await modulesOf(`
    import { callVenue, fetchHttp } from "touchline/venue/parts";
    import { depth } from "touchline/venue/endpoints/depth";
    export const book = callVenue({ http: fetchHttp(), rest: "http://v" }, depth, { marketId: "1_2" });
  `);
  expect(modules).toContain("src/spec/endpoints/depth.ts");
  expect(modules.filter((each) => each.startsWith("src/spec/endpoints/"))).toHaveLength(1);
  const heavy = /exchange|venue\/|platform\/(http|socket|server|keystore|database)|commands/;
  expect(modules.filter((each) => heavy.test(each) && !each.includes("gateway"))).toEqual([]);
  expect(modules.filter((each) => /ws$|undici|ethers|pino|p-queue/.test(each))).toEqual([]);
});

test("the bundle of a page's client has no Node module and no paper venue", async () => {
  const modules = await modulesOf(`
    import { connectVenueOn, webClientPorts } from "touchline/venue/parts";
    export const venue = webClientPorts().then((ports) => connectVenueOn({ rest: "http://v", chainId: 1, ports }));
  `);
  expect(modules).toContain("src/platform/web-socket.ts");
  expect(
    modules.filter((each) => /^node:|(^|\/)(ws|undici|pino|hash-wasm|secp256k1)$/.test(each)),
  ).toEqual([]);
  expect(modules.filter((each) => /src\/(exchange|venue|journal|kernel)\//.test(each))).toEqual([]);
  const node = /platform\/(http|socket|server|keystore|database|crypto-native|key-source)\.ts/;
  expect(modules.filter((each) => node.test(each))).toEqual([]);
});

test("the bundle of a program that signs one command has only that command's schema", async () => {
  const modules = await modulesOf(`
    import { signTransaction } from "touchline/venue/parts";
    import { cancel } from "touchline/venue/commands/cancel";
    export const signed = (signing, orderId, nonce) => signTransaction(signing, cancel, { orderId }, nonce);
  `);
  const specs = modules.filter((each) => /^src\/spec\/(commands|endpoints|channels)/.test(each));
  expect(specs).toEqual(["src/spec/commands/cancel.ts"]);
  expect(
    modules.filter((each) => /^src\/(gateway|platform|venue|exchange|book)\//.test(each)),
  ).toEqual([]);
});

test("the bundle of the whole client has no paper venue", async () => {
  const modules = await modulesOf(`
    import { connectVenue } from "touchline/venue";
    export const venue = connectVenue({ rest: "http://v", chainId: 1 });
  `);
  expect(modules).toContain("src/sdk/connect-venue.ts");
  expect(modules.filter((each) => /src\/(exchange|venue)\//.test(each))).toEqual([]);
});
