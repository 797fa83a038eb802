import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { distanceText } from "../../src/domain/time-words.ts";
import { unixSec } from "../../src/domain/time.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import {
  connectVenue,
  limitOrder,
  newPrivateKey,
  openSigner,
  ownerOf,
  type Venue,
} from "../../src/sdk/index.ts";
import { startPaperVenue } from "../../src/sdk/paper-venue.ts";
import { changeSession, fetchHttp } from "../../src/sdk/parts.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { useQuickScrypt } from "../support/quick-scrypt.ts";
import { idsOf, type Ran, runLine } from "./run-line.ts";

/** Wallet, sessions and lists as typed, against a real venue over real sockets. */

useQuickScrypt();
const OWNER_KEY = `0x${"33".repeat(32)}`;
const env = {
  TOUCHLINE_KEY: OWNER_KEY,
  OTHER_KEY: `0x${"44".repeat(32)}`,
  SESSION_KEY: `0x${"55".repeat(32)}`,
  PASSWORD: "correct horse battery",
};
const friend = "0x00000000000000000000000000000000000000a1";

let paper: RunningVenue;
let venue: Venue;
let owner = "";
let session = "";
let folder = "";
beforeAll(async () => {
  paper = await startPaperVenue({
    config: { faucet: { "1": "100000", "2": "25000000" }, flow: "none" },
  });
  venue = await connectVenue({ rest: paper.rest, chainId: 1001 });
  owner = (await openSigner(OWNER_KEY)).address;
  session = (await openSigner(env.SESSION_KEY)).address;
  folder = mkdtempSync(path.join(tmpdir(), "touchline-wallet-"));
});
afterAll(async () => {
  await venue.close();
  await paper.close();
  rmSync(folder, { recursive: true, force: true });
});

const printedRequest = z.object({
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  domain: z.record(z.string(), z.unknown()),
  message: z.record(z.string(), z.string()),
});

async function type(line: string): Promise<Ran> {
  const ran = await runLine([...line.split(" "), "--venue", paper.rest, "--json"], env);
  for (const secret of Object.values(env)) {
    expect(ran.out + ran.err).not.toContain(secret.replace(/^0x/, ""));
  }
  return ran;
}

test("a transfer is listed for both parties", async () => {
  expect(await type(`account transfer usdt 12.5 ${friend}`)).toMatchObject({
    code: 0,
    events: [{ event: "account.transfer", tokenId: "2", amount: "12.5", fromAddress: owner }],
  });
  expect(await type(`account transfer 1 0.5 ${friend}`)).toMatchObject({ code: 0 });
  expect((await type("account transfers")).events).toMatchObject([
    {
      transfers: [
        { tokenId: "1", amount: "0.5" },
        { tokenId: "2", amount: "12.5" },
      ],
    },
  ]);
  expect((await type(`account transfers --address ${friend} --token USDT`)).events).toMatchObject([
    { transfers: [{ amount: "12.5", fromAddress: expect.anything() }] },
  ]);
  // An example of EIP-55, and the same with one letter in the wrong case.
  const written = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
  const mistyped = written.replace("aA", "AA");
  for (const line of [
    `account transfer USDT 1 ${mistyped}`,
    `account withdraw USDT 1 ${mistyped} --command-byte 0x12`,
    `account balances --address ${mistyped}`,
    `order cancel-all --yes --owner ${mistyped}`,
    `session delete ${mistyped}`,
  ]) {
    const typo = await type(line);
    expect(typo).toMatchObject({ code: 2, events: [{ code: "USAGE" }] });
    expect(typo.err).toContain("EIP-55");
  }
  for (const right of [written, written.toLowerCase(), `0x${written.slice(2).toUpperCase()}`]) {
    expect(await type(`account transfer USDT 1 ${right}`)).toMatchObject({ code: 0 });
  }
  const tooMuch = await type(`account transfer USDT 99999999999 ${friend}`);
  expect(tooMuch).toMatchObject({ code: 1, events: [{ code: "VENUE_REFUSED" }] });
});

test("withdraw is retried by hash", async () => {
  const done = await type(`account withdraw USDT 5 ${friend} --command-byte 0x12`);
  expect(done).toMatchObject({ code: 0, events: [{ event: "account.withdraw", amount: "5" }] });
  const hash = String(done.events[0]?.["hash"]);
  const retried = await type(`account retry-withdraw ${hash}`);
  // Still waiting (400), or executed meanwhile: both are valid responses about this hash.
  expect([0, 1]).toContain(retried.code);
  const unknown = await type(`account retry-withdraw 0x${"00".repeat(32)}`);
  expect(unknown).toMatchObject({ code: 1, events: [{ code: "VENUE_REFUSED" }] });
  expect(unknown.err).toContain("404");
});

describe("sessions", () => {
  test("a session in a new keystore is created, trades, is extended, listed and deleted", async () => {
    const file = path.join(folder, "session.json");
    const created = await type(
      `session create --session-keystore ${file} --password-env PASSWORD --expires 2d --name bot-one`,
    );
    expect(created).toMatchObject({
      code: 0,
      events: [{ event: "session.create", name: "bot-one", applied: true }],
    });
    const wallet = String(created.events[0]?.["sessionAddress"]);
    expect(readFileSync(file, "utf8")).toContain(wallet.slice(2).toLowerCase());

    const listed = await runLine(["session", "list", "--venue", paper.rest], env);
    expect(listed.out).toMatch(/bot-one .*in (2 d|1 d 23 h).*yes/);
    expect(await type(`session extend ${wallet} --expires 30d`)).toMatchObject({
      code: 0,
      events: [{ event: "session.extend", applied: true }],
    });
    expect((await runLine(["session", "list", "--venue", paper.rest], env)).out).toMatch(
      /in (30 d|29 d 23 h)/,
    );
    expect(await type(`session delete ${wallet}`)).toMatchObject({
      code: 0,
      events: [{ event: "session.delete" }],
    });
    expect((await type("session list")).events).toMatchObject([{ sessions: [{ applied: false }] }]);
  });

  test("an owner whose key is elsewhere signs the printed request outside", async () => {
    const start = `session create --session-env SESSION_KEY --owner ${owner} --name hardware`;
    const printed = await type(`${start} --expires 7d --print-request`);
    expect(printed).toMatchObject({ code: 0, events: [{ event: "session.create", nonce: 0 }] });
    const [request] = printed.events;
    expect(request?.["request"]).toMatchObject({
      primaryType: "RegisterSessionWallet",
      domain: { chainId: 8217 },
      message: { nonce: "0", expiry: String(request?.["expiry"]) },
    });
    expect((await type("session list")).out).not.toContain("hardware");

    // The wallet at the other end: an independent library signs the typed data as printed.
    const { Wallet } = await import("ethers");
    const { types, domain, message } = printedRequest.parse(request?.["request"]);
    const fields = { RegisterSessionWallet: types["RegisterSessionWallet"] ?? [] };
    const sign = (key: string) => new Wallet(key).signTypedData(domain, fields, message);
    const rest = `--expires ${new Date(Number(request?.["expiry"]) * 1000).toISOString()} --nonce 0 --signature`;
    const wrong = await type(`${start} ${rest} ${await sign(env.OTHER_KEY)}`);
    expect(wrong).toMatchObject({ code: 1, events: [{ code: "SIGNATURE_WRONG" }] });
    expect(await type(`${start} ${rest} ${await sign(OWNER_KEY)}`)).toMatchObject({
      code: 0,
      events: [{ event: "session.create", name: "hardware", applied: true }],
    });
    const wallet = String(
      (await venue.sessionList({ address: owner })).find((each) => each.name === "hardware")
        ?.sessionAddress,
    );
    expect(wallet.toLowerCase()).toBe(session);

    const later = await type(
      `session delete ${wallet} --session-env SESSION_KEY --owner ${owner} --print-request`,
    );
    expect(Number(later.events[0]?.["nonce"])).toBeGreaterThan(1e12);
  });

  test("a session that another program made for thousands of years is listed, extended and deleted", async () => {
    const owner = ownerOf(await openSigner(OWNER_KEY));
    const signer = await openSigner(newPrivateKey());
    const signing = { owner: owner.address, signer, chainId: 1001, l1ChainId: 8217 };
    await changeSession(
      { http: fetchHttp(), rest: paper.rest },
      { ...signing, crypto: await loadCrypto() },
      {
        action: "create",
        sessionWallet: signer.address,
        expirySec: unixSec(9e15),
        nonce: 0,
        owner,
        name: "far",
      },
    );
    expect(await runLine(["session", "list", "--venue", paper.rest], env)).toMatchObject({
      code: 0,
      out: expect.stringContaining("far"),
    });
    for (const action of ["extend", "delete"]) {
      expect(await type(`session ${action} ${signer.address}`)).toMatchObject({ code: 0 });
    }
  });

  const create = "session create --session-env SESSION_KEY";
  test.each([
    ["session create", 2, "session wallet's key is missing"],
    [`${create} --print-request`, 2, "give --owner"],
    [`${create} --owner ${friend}`, 2, "the owner is 0x"],
    [`session extend ${friend}`, 1, "SESSION_UNKNOWN"],
    [`${create} --expires soon`, 2, "a duration such as 7d"],
    [`${create} --expires 3600`, 2, "a duration such as 7d"],
    [`${create} --expires 1767830400`, 2, "a duration such as 7d"],
    [`${create} --expires 86400.5`, 2, "a duration such as 7d"],
    [`${create} --expires 31.12.2026`, 2, "a duration such as 7d"],
    [`${create} --expires 1s`, 2, "--expires is less than a minute ahead"],
    [`${create} --expires 400d`, 2, "A session ends within a year"],
    [`${create} --expires 3600-01-01`, 2, "A session ends within a year"],
    [`${create} --expires 2020-01-01`, 2, "A session ends within a year"],
  ])("%s", async (line, code, said) => {
    const ran = await type(line);
    expect(ran.code).toBe(code);
    expect(JSON.stringify(ran.events)).toContain(said);
  });
});

test.each([
  [0, "now"],
  [59, "in 59 s"],
  [3600, "in 1 h"],
  [90_061, "in 1 d 1 h"],
  [6 * 86_400 + 100, "in 6 d"],
  [-7260, "2 h 1 min ago"],
])("%d s from now is %s", (seconds, words) => {
  expect(distanceText(1_700_000_000 + seconds, 1_700_000_000_000)).toBe(words);
});

test("lists longer than a page are complete, each row once", async () => {
  const signer = await openSigner(env.OTHER_KEY);
  const wallet = venue.wallet({ signer });
  const order = limitOrder({ marketId: "1_2", side: "BUY", price: "50", quantity: "0.1" });
  for (let at = 0; at < 130; at += 1) await wallet.order(order);
  const mine = "--signer-env OTHER_KEY";
  const open = await type(`order open ${mine}`);
  const ids = idsOf(open);
  expect(ids.length).toBe(130);
  expect(new Set(ids).size).toBe(130);
  expect(await type(`order cancel-all --yes ${mine}`)).toMatchObject({
    code: 0,
    events: [{ canceled: 130, left: [] }],
  });
  const history = await type(`order history ${mine} --limit 120`);
  expect(history.events[0]?.["orders"]).toHaveLength(120);
});

describe("the key of a command", () => {
  const password = "--password-env PASSWORD";
  let file = "";
  beforeAll(async () => {
    file = path.join(folder, "owner.json");
    const line = `keystore import ${file} ${password}`;
    expect(await runLine(line.split(" "), env)).toMatchObject({ code: 0 });
  });

  test("in a keystore signs, and shows its address without being opened", async () => {
    const placed = await type(`order place 1_2 buy 0.1 50 --signer-keystore ${file} ${password}`);
    expect(placed).toMatchObject({ code: 0, events: [{ accountAddress: expect.anything() }] });
    expect(String(placed.events[0]?.["accountAddress"]).toLowerCase()).toBe(owner);
    const open = await type(`order open --signer-keystore ${file}`);
    expect(open.events).toMatchObject([{ address: owner }]);
    const wrong = await type(
      `order cancel-all --yes --signer-keystore ${file} --password-env OTHER_KEY`,
    );
    expect(wrong).toMatchObject({ code: 1, events: [{ code: "PASSWORD_WRONG" }] });
    const both = await type(`order open --signer-keystore ${file} --signer-env OTHER_KEY`);
    expect(both).toMatchObject({ code: 2, events: [{ code: "USAGE" }] });
    await type("order cancel-all --yes");
  });

  test("only the owner's key moves money: a configured session wallet is not tried", async () => {
    const config = path.join(folder, "session-bot.yaml");
    writeFileSync(
      config,
      `venue: { rest: "${paper.rest}", ws: "${paper.ws}", chainId: 1001 }
account: { owner: "${owner}", signer: { type: session, key: { type: env, name: SESSION_KEY } } }
strategies: []
`,
    );
    const line = `account transfer USDT 1 ${friend} --config ${config}`;
    const refused = await type(line);
    expect(refused).toMatchObject({ code: 2, events: [{ code: "USAGE" }] });
    expect(refused.err).toContain("only the owner's own key may send money");
    // Named by its variable the owner's key is used, for the owner that the configuration names.
    const named = await runLine([...line.split(" "), "--signer-env", "OWNER_KEY", "--json"], {
      ...env,
      OWNER_KEY,
    });
    expect(named).toMatchObject({ code: 0, events: [{ fromAddress: owner }] });
  });
});

test.each(["extend", "delete"])(
  "session %s of the owner's own address points at the list of sessions",
  async (action) => {
    const expires = action === "extend" ? " --expires 14d" : "";
    expect(await type(`session ${action} ${owner}${expires}`)).toMatchObject({
      code: 2,
      events: [
        {
          event: "error",
          message: `${owner} is the owner's own address, not a session wallet.`,
          hint: "`touchline session list` shows the owner's session wallets.",
        },
      ],
    });
  },
);
