import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { alertEvents, alertKinds } from "../../src/domain/alert-codes.ts";
import { readSourceFiles } from "../architecture/source-file.ts";

/** Codes that only the log has, and the states of orders. */
const others = new Set(
  "LIMIT_DERIVED LIMIT_KEPT LIMIT_DEFAULT TP_LEG SL_LEG PARTIALLY_FILLED PENDING_NEW".split(" "),
);
/** Where the bot makes notes and warnings, and what their codes look like there. */
const rooms =
  /^src\/((kernel|orders|gateway|session)\/|sources\/price-feed|runtime\/(bot|live|unsent-orders|assemble-bot)\.ts|cli\/(bot-alerts|commands\/guard)\.ts)/;
const written =
  /(?:\bcode: |\bwarn\(\s*|[#\s]tell\(|\? |: )"([A-Z]+(?:_[A-Z]+)+)"|^ {2}\| "([A-Z]+(?:_[A-Z]+)+)"$/gm;

test("every code that the bot notes is in the list of alerts", () => {
  const files = readSourceFiles("src").filter(({ path }) => rooms.test(path));
  const codes = files.flatMap(({ path, text }) =>
    [...text.matchAll(written)].map(([, one, other]) => [one ?? other, path]),
  );
  const missing = codes.filter(([code = ""]) => !alertKinds.has(code) && !others.has(code));
  expect(missing).toEqual([]);
  expect(codes.length).toBeGreaterThan(60);
});

test("every code of the list is one that the bot says", () => {
  const texts = readSourceFiles("src")
    .filter(({ path }) => path !== "src/domain/alert-codes.ts")
    .map(({ text }) => text);
  const made = /^(OPERATOR|ACCOUNT)_/;
  const unsaid = [...alertKinds.keys()].filter(
    (code) => !made.test(code) && !texts.some((text) => text.includes(`"${code}"`)),
  );
  expect(unsaid).toEqual([]);
});

const place = /(<!-- codes: made from the code, UPDATE_DOCS=1 -->\n)[^]*?(<!-- end of codes -->)/;

test("docs/alerts.md has every code (UPDATE_DOCS=1 writes them)", () => {
  const file = new URL("../../docs/alerts.md", import.meta.url);
  const text = readFileSync(file, "utf8");
  const cell = (event: string, severity: string) =>
    [...alertKinds]
      .filter(([, kind]) => kind.event === event && kind.severity === severity)
      .map(([code]) => `\`${code}\``)
      .join(", ");
  const rows = alertEvents.map((event) => {
    const cells = ["critical", "warning", "info"].map((severity) => cell(event, severity));
    return `| \`${event}\` | ${cells.join(" | ")} |`;
  });
  const head = ["| event | critical | warning | info |", "|---|---|---|---|"];
  const table = [...head, ...rows, ""].join("\n");
  expect(text).toMatch(place);
  const wanted = text.replace(place, (_, begin: string, end: string) => begin + table + end);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
  expect(readFileSync(file, "utf8")).toBe(wanted);
});
