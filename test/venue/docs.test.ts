import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadVenueConfig, venueConfigFrom } from "../../src/config/load-venue-config.ts";
import { parseYaml } from "../../src/config/parse-yaml.ts";
import type { VenueDocument } from "../../src/venue/config.ts";
import { faultKinds } from "../../src/venue/faults/fault-kinds.ts";
import { testVenue } from "../support/venue.ts";

const file = new URL("../../docs/paper-venue.md", import.meta.url);
const text = readFileSync(file, "utf8");
const examples = [...text.matchAll(/```yaml\n([^]*?)```/g)].map((match) => match[1] ?? "");

function configOf(yaml: string) {
  return venueConfigFrom(
    parseYaml({ file: "docs/paper-venue.md", text: yaml, env: {}, overrides: [] }),
  );
}

test("docs/paper-venue.md lists the fault kinds of the code (UPDATE_DOCS=1 writes them)", () => {
  const head = ["| kind | does | own keys |", "|---|---|---|"];
  const rows = faultKinds.map(({ name, summary, options }) => {
    const keys = Object.keys(options).map((key) => `\`${key}\``);
    return `| \`${name}\` | ${summary} | ${keys.join(", ")} |`;
  });
  const between = /(<!-- kinds: .*? -->\n)[^]*?(?=<!-- end of kinds -->)/;
  const table = text.replace(
    between,
    (_, mark: string) => `${mark}${[...head, ...rows].join("\n")}\n`,
  );
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, table);
  expect(readFileSync(file, "utf8")).toBe(table);
});

test("its settings are the defaults except for those it demonstrates", () => {
  const [settings = ""] = examples;
  const config = configOf(settings);
  const usual = configOf("{}");
  expect({
    ...config,
    accounts: {},
    faucet: usual.faucet,
    flow: "none",
    rateLimit: usual.rateLimit,
  }).toEqual(usual);
  expect(loadVenueConfig(undefined).faucet).toEqual(config.faucet);
});

test("each fault kind has an example that a venue starts with", async () => {
  const [, example = ""] = examples;
  const source = parseYaml({ file: "an example", text: example, env: {}, overrides: [] });
  const { venue } = await testVenue(source.value as VenueDocument);
  await venue.close();
  const { faults } = configOf(example);
  expect(faults.map(({ kind }) => kind)).toEqual(faultKinds.map(({ name }) => name));
});
