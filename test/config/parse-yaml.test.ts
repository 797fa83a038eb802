import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseYaml, variableNames } from "../../src/config/parse-yaml.ts";
import { problemLine } from "../../src/config/problem.ts";

const schema = z.strictObject({
  venue: z.strictObject({ rest: z.string(), chainId: z.int().min(1) }),
  flow: z.union([z.literal("none"), z.strictObject({ replay: z.string() })]).default("none"),
  signer: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("env"), name: z.string() }),
      z.strictObject({ type: z.literal("file"), path: z.string() }),
    ])
    .optional(),
  level: z.enum(["debug", "info"]).default("info"),
  rate: z.number().max(100).optional(),
  strategies: z
    .array(z.strictObject({ name: z.string(), params: z.unknown().optional() }))
    .default([]),
});

function problems(
  text: string,
  options: { env?: Record<string, string>; overrides?: string[] } = {},
) {
  const source = parseYaml({
    file: "bot.yaml",
    text,
    env: options.env ?? {},
    overrides: options.overrides ?? [],
  });
  if (source.value !== undefined) source.validate(schema);
  return source.problems.map(problemLine);
}

const good = "venue:\n  rest: http://a\n  chainId: 1\n";

describe("places of problems", () => {
  const cases: readonly [name: string, text: string, expected: readonly string[]][] = [
    ["nothing wrong", good, []],
    ["an empty file", "# nothing\n", ["bot.yaml:1:1: is empty"]],
    ["a list at the top", "- a\n", ["bot.yaml:1:1: is a list, must be a map of keys"]],
    [
      "a missing key, shown at the map it belongs to",
      "level: info\nvenue:\n  rest: http://a\n",
      ["bot.yaml:2:1: venue.chainId: is missing, must be a number"],
    ],
    [
      "a missing map, shown at the start",
      "level: info\n",
      ["bot.yaml:1:1: venue: is missing, must be a map of keys"],
    ],
    [
      "an empty value, shown at its key",
      "venue:\n  rest:\n  chainId: 1\n",
      ["bot.yaml:2:3: venue.rest: is empty, must be text"],
    ],
    [
      "an empty value that a schema would take as null",
      `${good}strategies:\n  - name: a\n    params:\n      most: # later\n      least: null\n      steps: [{ at }, { at: ~ }, { at: &here }]\n`,
      ["7:7: most", "9:17: steps[0].at", "9:36: steps[2].at"].map(
        (place) =>
          `bot.yaml:${place.replace(" ", " strategies[0].params.")}: is empty: give it a value, remove it, or write null where that turns something off`,
      ),
    ],
    [
      "an unknown key, shown at the key",
      `${good}levl: info\n`,
      ["bot.yaml:4:1: levl: is not a known key, did you mean level?"],
    ],
    [
      "an unknown key that is like no other",
      "venue: { rest: a, chainId: 1, qqqqq: 1 }\n",
      ["bot.yaml:1:31: venue.qqqqq: is not a known key, allowed: rest, chainId"],
    ],
    [
      "several at once",
      "venue:\n  rest: 5\n  chainId: 0\nflow: nome\nrate: 101\n",
      [
        "bot.yaml:2:9: venue.rest: is a number, must be text",
        "bot.yaml:3:12: venue.chainId: is too small, at least 1",
        "bot.yaml:4:7: flow: is not valid, must be none or a map of keys",
        "bot.yaml:5:7: rate: is too large, at most 100",
      ],
    ],
    [
      "not a whole number",
      "venue: { rest: a, chainId: 1.5 }\n",
      ["bot.yaml:1:28: venue.chainId: is not a whole number"],
    ],
    [
      "the branch of a union that was meant",
      `${good}flow:\n  replya: x\n`,
      [
        "bot.yaml:4:1: flow.replay: is missing, must be text",
        "bot.yaml:5:3: flow.replya: is not a known key, did you mean replay?",
      ],
    ],
    [
      "an unknown type of a union",
      `${good}signer: { type: evn, name: K }\n`,
      ["bot.yaml:4:17: signer.type: is not valid, must be env or file"],
    ],
    [
      "a value that is not one of few",
      `${good}level: inof\n`,
      ["bot.yaml:4:8: level: is not allowed, must be debug or info; did you mean info?"],
    ],
    [
      "inside a list",
      `${good}strategies:\n  - name: a\n  - nam: b\n`,
      [
        "bot.yaml:6:5: strategies[1].name: is missing, must be text",
        "bot.yaml:6:5: strategies[1].nam: is not a known key, did you mean name?",
      ],
    ],
    [
      "a key twice, and what else is wrong",
      `${good}level: info\nlevel: debug\nrate: x\n`,
      [
        "bot.yaml:5:1: level: occurs twice in the same map, keep one",
        "bot.yaml:6:7: rate: is text, must be a number",
      ],
    ],
    [
      "through an anchor and a merge key",
      `base: &b\n  rest: 5\nvenue:\n  <<: *b\n  chainId: 1\n`,
      [
        "bot.yaml:2:9: venue.rest: is a number, must be text",
        "bot.yaml:1:1: base: is not a known key, allowed: venue, flow, signer, level, rate, strategies",
      ],
    ],
    [
      "an anchor that is not there",
      `${good}level: *nope\n`,
      ["bot.yaml:4:8: *nope refers to an anchor that does not exist"],
    ],
    [
      "more digits than a number holds",
      `${good}rate: 1.12345678901234567890\n`,
      ["bot.yaml:4:7: has more digits than a number can hold, put it into quotes"],
    ],
    ["a tab", "venue:\n\trest: a\n", ["bot.yaml:2:1: a tab is used for indentation, use spaces"]],
    [
      "a missing quote",
      'venue: { rest: "a }\n',
      ['bot.yaml:2:1: is not valid YAML: missing closing "quote'],
    ],
    [
      "an unquoted variable in a flow map",
      // biome-ignore lint: the braces are YAML
      "venue: { rest: ${REST}, chainId: 1 }\n",
      ['bot.yaml:1:17: inside { } or [ ] a variable must be in quotes: "${NAME}"'],
    ],
  ];
  test.each(cases)("%s", (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  test("are right with CRLF and a byte order mark", () => {
    expect(problems("\uFEFFvenue:\r\n  rest: a\r\n  chainId: x\r\n")).toEqual([
      "bot.yaml:3:12: venue.chainId: is text, must be a number",
    ]);
  });
});

describe("variables", () => {
  const read = (text: string, env: Record<string, string>) =>
    parseYaml({ file: "bot.yaml", text, env });

  test("stand anywhere in a text or a key, and become numbers when unquoted", () => {
    const source = read(
      'a: http://${HOST}:1\n"${KEY}": x\nb: ${PORT}\nc: "${PORT}"\nd: $${HOST}\n',
      {
        HOST: "h",
        KEY: "k",
        PORT: "80",
      },
    );
    expect(source.problems).toEqual([]);
    expect(source.value).toEqual({ a: "http://h:1", k: "x", b: 80, c: "80", d: "${HOST}" });
  });

  test("cannot inject YAML structure", () => {
    const source = read("a: ${X}\nb: ${Y}\n", { X: "[1, 2]", Y: "text # no comment" });
    expect(source.value).toEqual({ a: "[1, 2]", b: "text # no comment" });
  });

  test("are a problem with its place when they are not set", () => {
    expect(problems(`${good}level: \${NOPE}\n`)).toEqual([
      "bot.yaml:4:8: the environment variable NOPE is not set",
    ]);
  });

  test("have a default for one that is not set or empty", () => {
    const text = 'a: ${A:-0.5}\nb: "${B:-x:-y}"\nc: "${C:-}"\nd: ${D:-8}\n';
    const source = read(text, { B: "", D: "9" });
    expect(source.problems).toEqual([]);
    expect(source.value).toEqual({ a: 0.5, b: "x:-y", c: "", d: 9 });
    expect([...variableNames(text)]).toEqual(["A", "B", "C", "D"]);
  });

  test.each(["${A:?no}", "${A-1}", "${A:-${B}}", "${}", "${1A:-2}"])(
    "are a problem in the form %s, set or not",
    (form) => {
      for (const env of [{}, { A: "info", B: "info" }]) {
        const [line] = problems(`${good}level: '${form}'\n`, { env });
        expect(line).toMatch(/^bot.yaml:4:8: .* is neither \$\{NAME\} nor \$\{NAME:-default\}$/);
      }
    },
  );

  test("never show their values", () => {
    const lines = problems(`${good}level: \${SECRET}\nrate: \${SECRET}\n`, {
      env: { SECRET: "hunter2" },
    });
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain("hunter2");
  });
});

describe("overrides", () => {
  const value = (text: string, overrides: string[]) => {
    const source = parseYaml({ file: "bot.yaml", text, env: {}, overrides });
    expect(source.problems).toEqual([]);
    return source.value;
  };

  test("set values, make maps and reach into lists by position or name", () => {
    const text = "list:\n  - name: one\n    a: 1\n  - name: two\n";
    expect(
      value(text, ["x.y.z=0.1%", "list.0.a=2", "list.two.b=[3]", "list[1].c='4'", "list.one.d="]),
    ).toEqual({
      x: { y: { z: "0.1%" } },
      list: [
        { name: "one", a: 2, d: "" },
        { name: "two", b: [3], c: "4" },
      ],
    });
  });

  test("apply to an empty file and over a variable that is not set", () => {
    expect(value("", ["a=1"])).toEqual({ a: 1 });
    expect(value("a: ${NOPE}\n", ["a=1"])).toEqual({ a: 1 });
  });

  test.each([
    ["rate=x", "--set rate: rate: is text, must be a number"],
    ["venue.chainId=0", "--set venue.chainId: venue.chainId: is too small, at least 1"],
    ["venue.chian=1", "--set venue.chian: venue.chian: is not a known key, allowed: rest, chainId"],
    ["rate", "--set rate: is not of the form path.to.key=value"],
    ["strategies.3.name=a", "--set strategies.3.name: strategies: has no entry 3"],
    [
      "level.deep=a",
      "--set level.deep: level.deep: cannot be set: its parent is not a map of keys",
    ],
    ["level={", "--set level: its value is not valid YAML"],
    ["rate=*nobody", "--set rate: *nobody refers to an anchor that does not exist"],
    [
      "rate=0.12345678901234567890",
      "--set rate: has more digits than a number can hold, put it into quotes",
    ],
  ])("a wrong one names its flag: %s", (override, expected) => {
    const text = `${good}level: info\nstrategies: [{ name: a }]\n`;
    expect(problems(text, { overrides: [override] })).toEqual([expected]);
  });
});
