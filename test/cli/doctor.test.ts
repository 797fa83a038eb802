import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { checks } from "../../src/cli/doctor/run-checks.ts";
import type { OrderId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { createStore } from "../../src/platform/store.ts";
import { connectVenue, limitOrder, openSigner, ownerOf } from "../../src/sdk/index.ts";
import { startPaperVenue } from "../../src/sdk/paper-venue.ts";
import type { VenueDocument } from "../../src/venue/config.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { headerOf, place } from "../journal/journal-fixture.ts";
import { botYaml, ENV_KEY_ACCOUNT } from "../support/bot-yaml.ts";
import { serveLoopback } from "../support/loopback-server.ts";
import { useQuickScrypt } from "../support/quick-scrypt.ts";
import { type Ran, runLine } from "./run-line.ts";

/** `doctor` as typed, against paper venues over real sockets: all good, and one ill after the other. */

const env = { TOUCHLINE_KEY: `0x${"a1".repeat(32)}`, SESSION_KEY: `0x${"a2".repeat(32)}` };
const maker = await openSigner({ type: "env", name: "MAKER" }, { MAKER: `0x${"a3".repeat(32)}` });
const owner = await openSigner(env.TOUCHLINE_KEY);
const session = await openSigner(env.SESSION_KEY);
const money = { "1": "100", "2": "250000" };
useQuickScrypt();

const folder = mkdtempSync(path.join(tmpdir(), "touchline-doctor-"));
const opened: RunningVenue[] = [];
afterEach(async () => {
  for (const venue of opened.splice(0)) await venue.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A venue with a bid and an ask in market 1_2. */
async function venueWith(config: VenueDocument = {}): Promise<RunningVenue> {
  const paper = await startPaperVenue({
    config: { accounts: { [owner.address]: money, [maker.address]: money }, ...config },
  });
  opened.push(paper);
  const venue = await connectVenue({ rest: paper.rest, chainId: 1001 });
  const wallet = venue.wallet({ signer: maker });
  const quote = { marketId: "1_2", quantity: "0.5" };
  await wallet.order(limitOrder({ ...quote, side: "BUY", price: "1800" }));
  await wallet.order(limitOrder({ ...quote, side: "SELL", price: "1801" }));
  await venue.close();
  return paper;
}

function botFor(paper: Pick<RunningVenue, "rest" | "ws">, account: string): string {
  const file = path.join(folder, "bot.yaml");
  writeFileSync(file, botYaml({ venue: paper, account }));
  return file;
}

const ownSession = `account: { owner: "${owner.address}", signer: { type: session, key: { type: env, name: SESSION_KEY } } }`;

async function doctor(file: string, ...set: readonly string[]): Promise<Ran> {
  const ran = await runLine(
    ["doctor", file, "--json", ...set.flatMap((each) => ["--set", each])],
    env,
  );
  for (const { check, status, hint } of ran.events) {
    if (check === "all" || (status !== "problem" && status !== "warning")) continue;
    expect(hint, String(check)).toEqual(expect.any(String));
  }
  for (const key of Object.values(env)) expect(ran.out + ran.err).not.toContain(key.slice(2));
  return ran;
}

/** What it said of one thing. */
function of(ran: Ran, check: string): Record<string, unknown> | undefined {
  return ran.events.find((event) => event["check"] === check);
}

function ills(ran: Ran): readonly unknown[] {
  return ran.events
    .filter(({ status, check }) => status === "problem" && check !== "all")
    .map(({ check }) => check);
}

test("every check passes on a sound setup: exit 0, as JSON lines and as a table", async () => {
  const file = botFor(await venueWith(), ENV_KEY_ACCOUNT);
  const ran = await doctor(file);
  expect(ran.events.map(({ event }) => event)).toEqual(ran.events.map(() => "doctor"));
  expect(ran.events.map(({ check, status }) => [check, status])).toEqual([
    ...checks.map(({ name }) => [name, "ok"]),
    ["all", "ok"],
  ]);
  expect(ran.code).toBe(0);
  expect(of(ran, "balances")).toMatchObject({
    balances: [
      { token: "ETH", unlocked: "100" },
      { token: "USDT", unlocked: "250000" },
    ],
  });
  expect(of(ran, "rate-limit")).toMatchObject({ sent: 40, refused: 0 });
  const words = await runLine(["doctor", file], env);
  expect(words.out).toContain(`${owner.address} signs with the owner's own key`);
  expect(words.out).toMatch(/No problem\.\n$/);
});

test("a wrong chain id is found by a signed cancel of a random order id", async () => {
  const ran = await doctor(botFor(await venueWith(), ENV_KEY_ACCOUNT), "venue.chainId=1002");
  expect(ran.code).toBe(1);
  expect(ills(ran)).toEqual(["probe"]);
  expect(of(ran, "probe")).toMatchObject({
    message: expect.stringContaining("1002, not 1001"),
    hint: expect.stringContaining("venue.chainId"),
  });
});

test("a price source that gives no price, or is a market that the venue does not have, is a problem", async () => {
  const prices = await serveLoopback({
    respond: () => ({ status: 200, body: '{"price":"1.5"}' }),
  });
  const url = `http://127.0.0.1:${prices.port}`;
  const good = `{ type: json, url: "${url}", price: price }`;
  const bad = `{ type: json, url: "${url}", price: prise }`;
  const absent = '{ type: market, market: "9_2" }';
  const ran = await doctor(
    botFor(await venueWith(), ENV_KEY_ACCOUNT),
    `sources={ good: ${good}, bad: ${bad}, absent: ${absent} }`,
  );
  await prices.close();
  expect(ills(ran)).toEqual(["markets", "sources"]);
  expect(ran.events.filter(({ check }) => check === "sources")).toMatchObject([
    { status: "ok", source: "good", bid: 1.5, ask: 1.5 },
    { source: "bad", message: expect.stringContaining("no number at prise") },
  ]);
});

test("a key that does not belong to the owner is a problem", async () => {
  const file = botFor(await venueWith(), ENV_KEY_ACCOUNT);
  const ran = await doctor(file, `account.owner=${maker.address}`);
  expect(ran.code).toBe(1);
  expect(ills(ran)).toEqual(["signer", "probe"]);
  expect(of(ran, "signer")?.["message"]).toContain("no session wallet of the owner");
  expect(of(ran, "probe")?.["hint"]).toContain("do not belong together");
});

describe("a session wallet", () => {
  async function withSession(lifeSec: number): Promise<RunningVenue> {
    const paper = await venueWith();
    const venue = await connectVenue({ rest: paper.rest, chainId: 1001 });
    const expirySec = Math.floor((await venue.nowMs()) / 1000) + lifeSec;
    const change = { owner: ownerOf(owner), signer: session, expirySec };
    await venue.createSession({ ...change, name: "bot" });
    await venue.close();
    return paper;
  }

  test("that was never created is a problem", async () => {
    const ran = await doctor(botFor(await venueWith(), ownSession));
    expect(ran.code).toBe(1);
    expect(of(ran, "signer")).toMatchObject({
      status: "problem",
      hint: expect.stringContaining("touchline session create"),
    });
    expect(of(ran, "probe")).toMatchObject({ status: "skipped" });
  });

  test("that lasts passes: its end is shown, and the venue accepts its signature", async () => {
    const ran = await doctor(botFor(await withSession(20 * 86_400), ownSession));
    expect(ran.code).toBe(0);
    expect(of(ran, "signer")).toMatchObject({ status: "ok", applied: true });
    expect(of(ran, "signer")?.["message"]).toMatch(/expires in (20 d|19 d 23 h)/);
    expect(of(ran, "probe")).toMatchObject({ status: "ok" });
  });

  test("that ends soon and is not renewed is a warning, one that ends too soon a problem", async () => {
    const file = botFor(await withSession(3600), ownSession);
    const soon = await doctor(file);
    expect(soon.code).toBe(0);
    expect(of(soon, "signer")).toMatchObject({
      status: "warning",
      message: expect.stringMatching(/expires in (1 h|59 min)/),
      hint: expect.stringContaining("touchline session extend"),
    });
    const tooSoon = await doctor(file, "account.signer.stopBefore=2h");
    expect(tooSoon.code).toBe(1);
    expect(ills(tooSoon)).toEqual(["signer"]);
  });

  test("that has ended is a problem", async () => {
    const file = botFor(await withSession(2), ownSession);
    await expect
      .poll(async () => of(await doctor(file), "signer")?.["message"])
      .toMatch(/is a session wallet that expired .* ago of/);
    expect((await doctor(file)).code).toBe(1);
  });

  test("that was deleted is a problem", async () => {
    const paper = await withSession(3600);
    const venue = await connectVenue({ rest: paper.rest, chainId: 1001 });
    const [made] = await venue.sessionList({ address: owner.address });
    const expirySec = made?.expiry ?? 0;
    await venue.deleteSession({ owner: ownerOf(owner), signer: session, expirySec });
    await venue.close();
    const ran = await doctor(botFor(paper, ownSession));
    expect(ran.code).toBe(1);
    expect(of(ran, "signer")?.["message"]).toContain("not applied");
  });

  test("that does not exist yet passes when the bot may create it", async () => {
    const renew =
      "renew: { owner: { type: env, name: TOUCHLINE_KEY }, keys: ./keys, password: { env: TOUCHLINE_KEY } }";
    const account = ownSession.replace("name: SESSION_KEY }", `name: SESSION_KEY }, ${renew}`);
    const ran = await doctor(botFor(await venueWith(), account));
    expect(ran.code).toBe(0);
    expect(of(ran, "signer")).toMatchObject({
      status: "warning",
      hint: expect.stringContaining("creates a new session"),
    });
  });

  test("configured as an owner's key signs, with a warning that nothing renews it", async () => {
    const account = `account: { owner: "${owner.address}", signer: { type: env, name: SESSION_KEY } }`;
    const ran = await doctor(botFor(await withSession(3600), account));
    expect(ran.code).toBe(0);
    expect(of(ran, "signer")).toMatchObject({ status: "warning" });
    expect(of(ran, "probe")).toMatchObject({ status: "ok" });
  });
});

test("a venue clock 90 s ahead is a warning, and nonces follow it", async () => {
  const paper = await venueWith({ faults: [{ kind: "clock-skew", skew: "90s" }] });
  const ran = await doctor(botFor(paper, ENV_KEY_ACCOUNT));
  expect(ran.code).toBe(0);
  expect(of(ran, "clock")).toMatchObject({
    status: "warning",
    message: expect.stringMatching(/its clock is 1m (29|30)s ahead of ours/),
    hint: expect.stringContaining("NTP"),
  });
  expect(of(ran, "probe")).toMatchObject({ status: "ok" });
});

test("a wrong keystore password is a problem, settings that lose money a warning", async () => {
  const paper = await venueWith();
  const file = path.join(folder, "key.json");
  const made = `keystore import ${file} --key-env TOUCHLINE_KEY --password-env RIGHT`;
  await runLine(made.split(" "), { ...env, RIGHT: "correct horse battery" });
  const account = `account: { signer: { type: keystore, path: key.json, password: { env: SESSION_KEY } } }`;
  const wrong = await doctor(botFor(paper, account));
  expect(ills(wrong)).toEqual(["signer"]);
  expect(of(wrong, "signer")).toMatchObject({ code: "PASSWORD_WRONG" });
  const greedy = await doctor(
    botFor(paper, ENV_KEY_ACCOUNT),
    "strategies.0.params.bidSpread=0.001%",
    "strategies.0.params.askSpread=0.001%",
  );
  expect(greedy.code).toBe(0);
  expect(greedy.events.filter((event) => event["check"] === "markets")).toMatchObject([
    { status: "ok" },
    { status: "warning", message: expect.stringContaining("a tick is 0.0056%") },
    { status: "warning", message: expect.stringContaining("loses money") },
    { status: "warning", strategy: "maker" },
  ]);
});

test("an unknown market and an inactive one are problems", async () => {
  const paper = await venueWith({
    tokens: [
      { tokenId: "1", symbol: "ETH", decimals: 18 },
      { tokenId: "2", symbol: "USDT", decimals: 6 },
      { tokenId: "3", symbol: "OLD", decimals: 6 },
    ],
    markets: [
      { base: "1", quote: "2" },
      { base: "3", quote: "2", listed: false },
    ],
  });
  const unknown = await doctor(botFor(paper, ENV_KEY_ACCOUNT), "strategies.0.market=1_3");
  expect(unknown.code).toBe(1);
  expect(ills(unknown)).toEqual(["markets"]);
  expect(of(unknown, "markets")?.["hint"]).toContain("1_2, 3_2");
  expect(of(unknown, "balances")).toMatchObject({ status: "skipped" });
  const closed = await doctor(botFor(paper, ENV_KEY_ACCOUNT), "strategies.0.market=3_2");
  expect(ills(closed)).toEqual(["markets"]);
});

test("an account without funds or with too little is reported", async () => {
  const none = await doctor(
    botFor(await venueWith({ accounts: { [maker.address]: money } }), ENV_KEY_ACCOUNT),
  );
  expect(none.code).toBe(1);
  expect(ills(none)).toEqual(["balances"]);
  expect(of(none, "balances")?.["hint"]).toContain(`${owner.address} has no ETH or USDT`);
  const accounts = { [maker.address]: money, [owner.address]: { "2": "5" } };
  const half = await doctor(botFor(await venueWith({ accounts }), ENV_KEY_ACCOUNT));
  expect(half.code).toBe(0);
  expect(of(half, "balances")).toMatchObject({
    status: "warning",
    hint: "Without ETH, only one side can be quoted.",
  });
});

test("a venue that is down and an address of another service are problems", async () => {
  const paper = await venueWith();
  const file = botFor(paper, ENV_KEY_ACCOUNT);
  await paper.close();
  opened.length = 0;
  const down = await doctor(file);
  expect(down.code).toBe(1);
  expect(ills(down)).toEqual(["clock"]);
  expect(of(down, "clock")?.["hint"]).toContain("touchline venue");
  expect(of(down, "probe")).toMatchObject({ status: "skipped" });
  const other = await doctor(
    botFor(await venueWith(), ENV_KEY_ACCOUNT),
    `venue.ws=ws://127.0.0.1:1/ws`,
  );
  expect(ills(other)).toEqual(["stream"]);
});

test("a rate limit below the configured burst is reported", async () => {
  const paper = await venueWith({ rateLimit: { perSecond: 15 } });
  const ran = await doctor(botFor(paper, ENV_KEY_ACCOUNT));
  expect(ran.code).toBe(1);
  expect(ills(ran)).toEqual(["rate-limit"]);
  expect(of(ran, "rate-limit")?.["message"]).toContain("429");
  const gentle = await doctor(botFor(paper, ENV_KEY_ACCOUNT), "rateLimit.burst=2");
  expect(of(gentle, "rate-limit")).toMatchObject({ sent: 2 });
});

test("an unreadable response is a warning, not a pass", async () => {
  const match = "POST /api/v1/order/cancel";
  const paper = await venueWith({ faults: [{ kind: "5xx", match }] });
  const ran = await doctor(botFor(paper, ENV_KEY_ACCOUNT));
  expect(ran.code).toBe(0);
  expect(of(ran, "probe")).toMatchObject({
    status: "warning",
    message: expect.stringContaining("not verified"),
  });
});

test("counts the orders that a journal leaves open, also when the YAML names no owner", async () => {
  const paper = await venueWith();
  const journal = path.join(folder, "journal");
  const header = headerOf("killed");
  const past = new Journal({
    store: createStore(),
    folder: journal,
    header: { ...header, kernel: { ...header.kernel, owner: owner.address } },
    restored: { nonceHighWater: 0, orders: [], carried: [] },
  });
  past.append({
    batch: { seq: 1, nowMs: unixMs(1), inputs: [] },
    effects: [place(1)],
    signed: [{ intent: 1, txHash: `0x${"1".repeat(64)}` as OrderId, bytesHex: "0x" }],
    ended: [],
    booked: [],
  });
  await past.close();
  try {
    const ran = await doctor(botFor(paper, ENV_KEY_ACCOUNT));
    expect(of(ran, "journal")).toMatchObject({
      status: "ok",
      orders: 1,
      message: expect.stringContaining("1 order that may still be open"),
    });
    const keyless = await doctor(botFor(paper, ""));
    expect(of(keyless, "journal")).toMatchObject({ orders: 1 });
  } finally {
    rmSync(journal, { recursive: true });
  }
});

test("no burst is sent while a bot is running", async () => {
  const paper = await venueWith();
  const store = createStore();
  const journal = path.join(folder, "journal");
  store.lock(journal);
  try {
    const ran = await doctor(botFor(paper, ENV_KEY_ACCOUNT));
    expect(ran.code).toBe(0);
    expect(of(ran, "journal")).toMatchObject({ status: "warning" });
    expect(of(ran, "rate-limit")).toMatchObject({ status: "skipped" });
  } finally {
    store.unlock(journal);
  }
});

test("without an account only the public checks run, and an invalid configuration is exit 2", async () => {
  const paper = await venueWith();
  const without = await doctor(botFor(paper, ""));
  expect(without.code).toBe(0);
  expect(of(without, "signer")).toMatchObject({ status: "skipped" });
  expect(of(without, "markets")).toMatchObject({ status: "ok" });
  const noKey = await runLine(["doctor", botFor(paper, ENV_KEY_ACCOUNT), "--json"], {});
  expect(noKey).toMatchObject({ code: 2, events: [{ code: "CONFIG_INVALID" }] });
  const file = path.join(folder, "venue.yaml");
  writeFileSync(file, 'faucet: { "1": "10" }\n');
  const venue = await runLine(["doctor", file, "--json"], env);
  expect(venue.code).toBe(2);
  expect(venue.err).toContain("of a paper venue");
});
