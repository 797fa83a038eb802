import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, vi } from "vitest";
import { fromHex } from "../../src/base/hex.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { type Address, type MarketId, tokensOf } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import type { VenueDocument } from "../../src/venue/config.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { botYaml } from "../support/bot-yaml.ts";
import { ETH_USDT, limit, WHOLE_HISTORY } from "../support/exchange.ts";
import { startRealVenue } from "../support/real-venue.ts";
import { touchline } from "../support/touchline-process.ts";
import { testCrypto } from "../support/venue.ts";
import { PATIENCE } from "../support/patience.ts";

/** What a bot's account starts with where it is not 250,000. */
const RICH: Readonly<Record<string, string>> = { "1": "100" };

/** The environment of a process that signs with a key. */
export interface Key {
  readonly TOUCHLINE_KEY: string;
}

/**
 * A paper venue in the process of the test, whose market stands still unless a test trades or sets a flow, and beside it the config of a bot
 * that runs as a process of its own. A venue as a process of its own would cost half a second more: `bot.test.ts` has one.
 */
export class BotVenue {
  /** The bot's YAML. Its key is read from TOUCHLINE_KEY. */
  readonly botConfig: string;
  readonly journal: string;
  readonly #folder: string;
  readonly #venue: RunningVenue;

  private constructor(folder: string, venue: RunningVenue) {
    this.botConfig = path.join(folder, "bot.yaml");
    this.journal = path.join(folder, "journal");
    this.#folder = folder;
    this.#venue = venue;
  }

  /** `strategy`: one entry of the bot's list `strategies:`, indented by two. */
  static async start(
    strategy: string,
    document: Omit<VenueDocument, "faucet"> = {},
  ): Promise<BotVenue> {
    const tokens = document.tokens?.map(({ tokenId: token }) => token) ?? ["1", "2"];
    const faucet = Object.fromEntries(tokens.map((token) => [token, RICH[token] ?? "250000"]));
    const running = await startRealVenue({ ...document, faucet });
    const venue = new BotVenue(mkdtempSync(path.join(tmpdir(), "touchline-process-")), running);
    writeFileSync(venue.botConfig, botYaml({ venue: running, strategy }));
    return venue;
  }

  get rest(): string {
    return this.#venue.rest;
  }

  /** Places a limit order by the command line, which must succeed. */
  async place(
    env: Key,
    ...order: readonly [side: "buy" | "sell", quantity: string, price: string]
  ): Promise<void> {
    const words = ["order", "place", "1_2", ...order, "--venue", this.rest];
    const placed = await touchline(words, { ...env });
    expect(placed.code, placed.stderr).toBe(0);
  }

  /** Ids of the open orders of a key's account, sorted. */
  async openIds(key: Key): Promise<readonly string[]> {
    const open = await this.openOrders(key);
    return open.map(({ orderId }) => orderId).toSorted();
  }

  async openOrders(key: Key): Promise<ReturnType<RunningVenue["exchange"]["openOrders"]>> {
    return this.#venue.exchange.openOrders(await addressOf(key), WHOLE_HISTORY);
  }

  /** Every execution of a key's account, newest first. */
  async trades(key: Key): Promise<ReturnType<RunningVenue["exchange"]["userTrades"]>> {
    return this.#venue.exchange.userTrades(await addressOf(key), WHOLE_HISTORY);
  }

  /** Places a limit order of a rich account at once, past the faults of the venue's requests. */
  offer(key: Key, ...order: Parameters<typeof limit>): Promise<void> {
    return this.offerIn(ETH_USDT, key, ...order);
  }

  async offerIn(market: MarketId, key: Key, ...order: Parameters<typeof limit>): Promise<void> {
    const { exchange } = this.#venue;
    const { ledger } = exchange;
    const address = await addressOf(key);
    for (const token of Object.values(tokensOf(market))) {
      ledger.deposit(ledger.account(address), token, fixed("1000000"));
    }
    exchange.execute(address, { ...limit(...order), marketId: market }, unixMs(Date.now()));
  }

  /** Cancels every open order of a key's account at once. */
  async cancelAll(key: Key): Promise<void> {
    const { exchange } = this.#venue;
    exchange.execute(await addressOf(key), { type: "cancel-all" }, unixMs(Date.now()));
  }

  /** Waits until the account has this many open orders, however slow the machine is, and gives their ids, sorted. */
  untilOpen(key: Key, count: number): Promise<readonly string[]> {
    return vi.waitFor(async () => {
      const ids = await this.openIds(key);
      expect(ids).toHaveLength(count);
      return ids;
    }, PATIENCE);
  }

  async stop(): Promise<void> {
    await this.#venue.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function addressOf({ TOUCHLINE_KEY }: Key): Promise<Address> {
  const key = fromHex(TOUCHLINE_KEY);
  if (key === undefined) throw new Error("no key");
  return (await testCrypto()).signer(key).address;
}
