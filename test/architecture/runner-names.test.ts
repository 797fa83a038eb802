import { describe, expect, test } from "vitest";
import config from "../../vitest.config.ts";
import { checkRunnerNames } from "./runner-names.ts";
import { readSourceFiles, sourceFile } from "./source-file.ts";

const problems = (text: string) => checkRunnerNames([sourceFile("test/a.test.ts", text)]);

describe("locals with the name of one of vitest's functions", () => {
  test("stand in no test", () => {
    const files = readSourceFiles("test", "strategies", "templates");
    expect(files.length).toBeGreaterThan(200);
    expect(checkRunnerNames(files)).toEqual([]);
  });

  test.each([
    "const it = await world();",
    "let test: World;",
    "function describe(thrown: unknown) {}",
    "const { venue, it } = await open();",
    "const [it, bot] = await jump();",
    "async function stopped(it: World, bot: LiveBot) {}",
    "async function stopped(bot: LiveBot, it?: World) {}",
    "const run = (expect) => expect;",
    "worlds.map(it => it.close());",
    "const [...vi] = list;",
  ])("are found: %s", (text) => {
    expect(problems(text)).toHaveLength(1);
  });

  test.each([
    'import { describe, expect, it, vi } from "vitest";',
    'import {\n  expect,\n  test,\n} from "vitest";\nimport type { A } from "./a.ts";',
    'it("is called", () => { expect(it.each).toBeDefined(); });',
    'test.each([1])("%s", () => undefined);',
    'const scripts = { lint: "x", test: "touchline test" };',
    "const items = [first.test(text), view.it];",
    "// const it = world();\nconst name = `it`;",
  ])("are not seen in %s", (text) => {
    expect(problems(text)).toEqual([]);
  });
});

test("vitest fails a test that ends without an assertion", () => {
  expect(config.test?.expect).toMatchObject({ requireAssertions: true });
});
