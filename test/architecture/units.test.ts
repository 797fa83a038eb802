import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const docs = path.resolve(import.meta.dirname, "../../docs");

it("every systemd unit in the docs has temporary files of its own", () => {
  const texts = readdirSync(docs)
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(path.join(docs, name), "utf8"));
  const services = texts.join("\n").split("[Service]\n").slice(1);
  expect(services.length).toBeGreaterThanOrEqual(2);
  for (const service of services) expect(service.split("```")[0]).toMatch(/^PrivateTmp=yes$/m);
});
