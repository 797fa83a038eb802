import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../src/domain/ids.ts";
import { commands, type CommandName } from "../../src/spec/commands.ts";
import { endpoints } from "../../src/spec/endpoints.ts";
import { commandRoutes, type SignableCommand } from "../../src/spec/sign-command.ts";
import { START_MS, type TestTrader, testVenue } from "../support/venue.ts";
import { testSession } from "../support/session.ts";

/** A session key can do what D7 allows and nothing else: each command is tried with a real signature. */

const DAY_SEC = 86_400;
const bare = { code: 200, errMsg: "OK" };
const USDT = tokenId("2");

type Unsigned = SignableCommand extends infer Each
  ? Each extends SignableCommand
    ? Omit<Each, "nonce">
    : never
  : never;

const sampleOrder: Unsigned = {
  type: "place",
  marketId: marketId("1", "2"),
  side: "BUY",
  orderType: "LIMIT",
  orderMode: 0,
  price: 1000,
  quantity: fixed("1"),
};

async function send(
  venue: Awaited<ReturnType<typeof testVenue>>,
  signer: TestTrader,
  command: Unsigned,
) {
  const { tx, txHash } = signer.sign({ ...command, nonce: signer.nextNonce() });
  const { path } = endpoints[commandRoutes[command.type].endpoint];
  return { txHash, ...(await venue.post(path, { tx })) };
}

/** Alice, a session wallet of hers that is applied for a day, and Mallory's address. */
async function world() {
  const venue = await testVenue();
  const session = await testSession(venue, "alice", 7);
  const created = await session.create(START_MS / 1000 + DAY_SEC, "bot");
  expect([created.status, created.body]).toEqual([200, bare]);
  return { venue, session, bot: session.trader, mallory: venue.bob.address };
}

describe("a session key cannot take money away (D7)", () => {
  const thefts: Readonly<Record<string, (to: TestTrader["address"]) => Unsigned>> = {
    "0x02 native transfer": (to) => ({ type: "transfer", to, value: fixed("1") }),
    "0x11 token transfer": (to) => ({
      type: "token-transfer",
      to,
      tokenId: USDT,
      value: fixed("1"),
    }),
    "0x12 withdrawal": (to) => ({ type: "withdraw", to, tokenId: USDT, value: fixed("1") }),
  };

  test.each(Object.entries(thefts))(
    "%s is 401, to itself too, and moves nothing",
    async (_, make) => {
      const { venue, bot, mallory } = await world();
      const before = await venue.get(`/api/v1/wallet/balance?address=${venue.alice.address}`);
      for (const to of [mallory, bot.address, venue.alice.address]) {
        const response = await send(venue, bot, make(to));
        expect([response.status, response.body]).toMatchObject([401, { code: 401, result: null }]);
      }
      expect(await venue.get(`/api/v1/wallet/balance?address=${venue.alice.address}`)).toEqual(
        before,
      );
      // The owner's own key may do it.
      expect((await send(venue, venue.alice, make(mallory))).status).toBe(200);
    },
  );

  test("only these commands accept a session key", () => {
    const open = Object.values(commands).filter((command) => command.sessionMaySign);
    const names: CommandName[] = ["order", "cancel", "cancel-all", "modify", "stop", "session"];
    expect(new Set(open.map((command) => command.name))).toEqual(new Set(names));
  });

  test("a command at another path is 400 and has no effect", async () => {
    const { venue, bot, mallory } = await world();
    const theft = bot.sign({
      type: "token-transfer",
      nonce: bot.nextNonce(),
      to: mallory,
      tokenId: USDT,
      value: fixed("1"),
    });
    for (const { path, method } of Object.values(endpoints)) {
      if (method !== "POST" || path.endsWith("/transfer") || path.endsWith("/retry")) continue;
      expect((await venue.post(path, { tx: theft.tx })).status).toBe(400);
    }
  });

  test("every command for another owner is 401", async () => {
    const { venue, session } = await world();
    venue.clock.advance(100);
    const forBob = session.traderFor(venue.bob.address);
    const mine = await send(venue, venue.bob, sampleOrder);
    const attempts: Unsigned[] = [
      sampleOrder,
      { type: "cancel", orderId: mine.txHash },
      { type: "cancel-all" },
      { type: "modify", orderId: mine.txHash, newPrice: 1, newQty: undefined },
      ...Object.values(thefts).map((make) => make(forBob.address)),
    ];
    for (const attempt of attempts) {
      expect((await send(venue, forBob, attempt)).status).toBe(401);
    }
    expect((await venue.get(`/api/v1/order/${mine.txHash}`)).body).toMatchObject({
      result: { status: "NEW" },
    });
  });
});
