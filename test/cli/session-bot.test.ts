import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectVenue, openSigner, type Venue } from "../../src/sdk/index.ts";
import { startPaperVenue } from "../../src/sdk/paper-venue.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { botYaml } from "../support/bot-yaml.ts";
import { useQuickScrypt } from "../support/quick-scrypt.ts";
import { type Ran, runLine } from "./run-line.ts";

/** A bot that signs as a session wallet, as configured and run by the command line over real sockets. */

const env = { OWNER_KEY: `0x${"66".repeat(32)}`, PASSWORD: "correct horse battery" };
useQuickScrypt();

let paper: RunningVenue;
let venue: Venue;
let folder = "";
let owner = "";
beforeAll(async () => {
  paper = await startPaperVenue();
  venue = await connectVenue({ rest: paper.rest, chainId: 1001 });
  folder = mkdtempSync(path.join(tmpdir(), "touchline-session-"));
  owner = (await openSigner(env.OWNER_KEY)).address;
});
afterAll(async () => {
  await venue.close();
  await paper.close();
  rmSync(folder, { recursive: true, force: true });
});

function configWith(renew: string): string {
  const file = path.join(folder, "bot.yaml");
  const account = `account:
  owner: "${owner}"
  signer:
    type: session
    key: { type: keystore, path: session.json, password: { env: PASSWORD } }
${renew}
log: { level: error }`;
  writeFileSync(file, botYaml({ venue: paper, account }));
  return file;
}

/** Until the bot has started and then `isDone`, however slow the machine is. */
function run(file: string, isDone = async () => true): Promise<Ran> {
  const hasStarted = (out: string) => out.includes('"event":"run"');
  return runLine(["run", file, "--json"], env, (out) => hasStarted(out) && eventually(isDone));
}

async function eventually(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 100));
}

const hasOpenOrder = async () => (await venue.orderOpen({ address: owner })).length > 0;

test("trades as its session wallet, never with the owner's key", async () => {
  const file = configWith("");
  const keystore = path.join(folder, "session.json");
  const create = `session create --session-keystore ${keystore} --password-env PASSWORD --owner-env OWNER_KEY --config ${file}`;
  expect(await runLine([...create.split(" "), "--json"], env)).toMatchObject({ code: 0 });
  const ran = await run(file, hasOpenOrder);
  expect(ran).toMatchObject({ code: 0, events: [{ event: "run", owner }, { event: "summary" }] });
  expect(Number(ran.events[1]?.["quotesPlaced"])).toBeGreaterThan(0);
  expect(ran.events[1]).toMatchObject({ ordersLeft: 0 });
  const [session] = await venue.sessionList({ address: owner });
  const ls = await runLine(["journal", "ls", path.join(folder, "journal"), "--json"], env);
  expect(ls.events[0]).toMatchObject({
    runs: [{ owner, signer: session?.sessionAddress.toLowerCase() }],
  });
});

test("does not start without an active session unless it may create one", async () => {
  const [session] = await venue.sessionList({ address: owner });
  const gone = `session delete ${session?.sessionAddress} --owner-env OWNER_KEY --config ${configWith("")}`;
  expect(await runLine(gone.split(" "), env)).toMatchObject({ code: 0 });
  const refused = await run(configWith(""));
  expect(refused).toMatchObject({ code: 1, events: [{ code: "SESSION_NOT_APPLIED" }] });

  // A supervisor may start it again and again.
  const refuses = "    renew: { owner: { type: command, command: [/bin/false] }, keys: ./refused }";
  expect(await run(configWith(refuses))).toMatchObject({
    code: 1,
    events: [{ code: "OWNER_SIGNATURE" }],
  });
  expect(readdirSync(path.join(folder, "refused"))).toEqual([]);

  const renew = "    renew: { owner: { type: env, name: OWNER_KEY }, keys: ./sessions }";
  expect(await run(configWith(renew))).toMatchObject({ code: 0 });
  expect(readdirSync(path.join(folder, "sessions"))).toHaveLength(1);
  // The next start finds that key again.
  expect(await run(configWith(renew))).toMatchObject({ code: 0 });
  expect(readdirSync(path.join(folder, "sessions"))).toHaveLength(1);

  const noOwner = renew.replace("OWNER_KEY", "NO_KEY");
  const checked = await run(configWith(noOwner));
  expect(checked).toMatchObject({ code: 2 });
  expect(checked.err).toContain("account.signer.renew.owner.name");
});

const renewSoon =
  "    renew: { owner: { type: env, name: OWNER_KEY }, before: 60s, lifetime: 120s, keys: ./renewed }\n    stopBefore: 15s";

/** Gives its address. */
async function createSession(file: string, expires: string): Promise<string> {
  const keystore = path.join(folder, "session.json");
  rmSync(keystore, { force: true });
  const create = `session create --session-keystore ${keystore} --password-env PASSWORD --owner-env OWNER_KEY --config ${file} --expires ${expires} --name bot`;
  const made = await runLine([...create.split(" "), "--json"], env);
  expect(made, made.err).toMatchObject({ code: 0 });
  return String(made.events[0]?.["sessionAddress"]);
}

test("renews in time over real sockets, and list and journal show both sessions", async () => {
  const file = configWith(renewSoon);
  await createSession(file, "64s");
  rmSync(path.join(folder, "journal"), { recursive: true, force: true });
  const hasRenewed = async () => {
    const sessions = await venue.sessionList({ address: owner });
    return sessions.filter(({ applied, name }) => applied && name === "bot").length === 2;
  };
  expect(await run(file, hasRenewed)).toMatchObject({
    code: 0,
    events: [{ event: "run" }, { event: "summary", ordersLeft: 0 }],
  });
  expect(readdirSync(path.join(folder, "renewed"))).toHaveLength(1);
  // The first one is left with less than a minute soon.
  const units = async () => {
    const list = await runLine(["session", "list", "--config", file, "--address", owner], env);
    const rows = list.out.split("\n").filter((line) => /^bot .* in .* yes\s*$/.test(line));
    return new Set(rows.map((row) => / in \d+ (s|min)/.exec(row)?.[1]));
  };
  await expect.poll(units, { interval: 500 }).toEqual(new Set(["min", "s"]));
  const journal = path.join(folder, "journal");
  const verified = await runLine(["journal", "verify", journal, "--json"], env);
  expect(verified).toMatchObject({ code: 0, events: [{ identical: true }] });
  expect(verified.events[0]?.["recovered"]).toBe(verified.events[0]?.["signed"]);
  // A start in the middle of the handover takes the one that lasts longest.
  expect(await run(file)).toMatchObject({ code: 0 });
  const ls = await runLine(["journal", "ls", journal, "--json"], env);
  const [newest] = readdirSync(path.join(folder, "renewed"));
  expect(JSON.stringify(ls.events)).toContain(newest?.replace("session-", "").replace(".json", ""));
  expect(readdirSync(path.join(folder, "renewed"))).toHaveLength(1);
});

test("stops with a reason when its session is deleted from outside", async () => {
  const file = configWith("");
  // One that always has something to sign.
  const busy = readFileSync(file, "utf8").replace("tolerance: 0.2%", "tolerance: 0%");
  // No cancel of it is accepted, so it waits for all of this time.
  writeFileSync(file, `${busy}\ntiming: { stop: 2s }\n`);
  const wallet = await createSession(file, "1h");
  // It ends by itself.
  const running = run(file, () => new Promise(() => undefined));
  await eventually(hasOpenOrder);
  const gone = `session delete ${wallet} --owner-env OWNER_KEY --config ${file}`;
  const deleted = await runLine(gone.split(" "), env);
  expect(deleted, deleted.err).toMatchObject({ code: 0 });
  const ran = await running;
  expect(ran.code).toBe(1);
  expect(ran.err).toMatch(/is not active any more|does not take our signature any more/);
  expect(ran.err).toContain("Orders in question: 0x");
});
