import { existsSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { Touchline } from "../support/touchline-process.ts";

test("the page of several bots writes its link into a file of its owner's where output is no terminal", async () => {
  const page = new Touchline(["dashboard", "http://127.0.0.1:1", "--port", "0"]);
  const line = await page.line("dashboard");
  const file = String(line["linkFile"]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const link = readFileSync(file, "utf8").trim();
  expect(link).toMatch(new RegExp(`^${String(line["url"])}/login\\?code=`));
  expect(JSON.stringify(page.lines) + page.stderr).not.toContain("code=");
  expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
  page.kill("SIGTERM");
  expect(await page.exit).toBe(0);
  expect(existsSync(file)).toBe(false);
});
