import { z } from "zod";
import { fixed, type Fixed } from "../domain/fixed.ts";
import { addressOf, marketId, tokenId, type Address, type TokenId } from "../domain/ids.ts";
import { duration } from "../domain/setting.ts";
import { commands } from "../spec/commands.ts";
import { addressText, decimalText, tokenIdText } from "../spec/fields.ts";
import { faultsSchema } from "./faults/fault-config.ts";
import { syntheticFlowSchema } from "./flow/synthetic-config.ts";

/** The schema of the paper venue's YAML, with every default. */

const amountText = decimalText.refine(
  (text) => (text.split(".")[1]?.replace(/0+$/, "").length ?? 0) <= 18,
  "has more than 18 decimals",
);
const amount = amountText.transform(fixed);
const feeRate = amountText
  .refine((text) => Number(text) < 1, "is not a share below 1, write 0.0005 for 0.05 %")
  .transform(fixed);

const amounts = z.record(tokenIdText, amount).transform((given): ReadonlyMap<TokenId, Fixed> => {
  return new Map(Object.entries(given).map(([token, value]) => [tokenId(token), value]));
});

const token = z.strictObject({
  /** A market id is two token ids joined by an underscore. */
  tokenId: tokenIdText.regex(/^[^_\s@]+$/, "may not have underscores, spaces or @"),
  symbol: z.string().min(1),
  decimals: z.int().min(0).max(36).default(18),
});

const market = z.strictObject({
  base: tokenIdText,
  quote: tokenIdText,
  makerFee: feeRate.default(fixed("0.0002")),
  takerFee: feeRate.default(fixed("0.0005")),
  listed: z.boolean().default(true),
});

const flow = z.union(
  [
    z.literal("none"),
    z.literal("synthetic").transform(() => ({ synthetic: syntheticFlowSchema.parse({}) })),
    z.strictObject({ synthetic: syntheticFlowSchema }),
    z.strictObject({
      /** The recording's folder. */
      replay: z.string().min(1),
      /** 2 plays twice as fast. */
      speed: z.number().positive().max(1000).default(1),
    }),
  ],
  { error: "is not one of none, synthetic, { synthetic: { … } } or { replay: DIR, speed: 1 }" },
);

const withdrawals = z.strictObject({
  /** Command byte of a withdrawal. */
  byte: z
    .int()
    .min(0)
    .max(255)
    .refine((byte) => otherBytes.every((other) => other !== byte), "is the byte of another command")
    .default(commands.withdraw.byte),
  /** Time from the acceptance to the execution on layer 1. */
  delay: duration({ max: 86_400_000 }).default(2000),
});

const otherBytes = Object.values(commands)
  .filter(({ name }) => name !== "withdraw")
  .map(({ byte }) => byte);

export const venueSchema = z
  .strictObject({
    /** Layer 2: transactions are signed for it (D2). */
    chainId: z.int().min(1).default(1001),
    /** Layer 1: session wallets' typed data is signed for it. */
    l1ChainId: z.int().min(1).default(8217),
    tokens: z
      .array(token)
      .min(1)
      .default([
        { tokenId: "1", symbol: "ETH", decimals: 18 },
        { tokenId: "2", symbol: "USDT", decimals: 6 },
      ]),
    markets: z
      .array(market)
      .min(1)
      .default([
        {
          base: "1",
          quote: "2",
          makerFee: fixed("0.0002"),
          takerFee: fixed("0.0005"),
          listed: true,
        },
      ]),
    accounts: z.record(addressText, amounts).default({}),
    /** What an unknown address starts with; nothing when left out. */
    faucet: amounts.default(new Map<TokenId, Fixed>()),
    flow: flow.default("none"),
    /** The token that a native transfer moves (D8); token 1 when left out. */
    nativeToken: tokenIdText.optional(),
    /** The interface specifies neither of the two (D9, D33). */
    withdrawals: withdrawals.prefault({}),
    rateLimit: z
      .strictObject({
        /** Signed requests per signer, reads per `address`; 0 is off. */
        perSecond: z.number().min(0).max(1e6).default(0),
      })
      .default({ perSecond: 0 }),
    /** Origin whose pages may read the responses: one origin, `*` for any, or null for none. */
    allowOrigin: z
      .string()
      .regex(
        /^(\*|https?:\/\/[^/\s?#]+)$/,
        'is neither an origin such as "http://localhost:5173" nor "*"',
      )
      .nullable()
      .default(null),
    /**
     * Names besides localhost under which clients reach the venue, without a port. A venue that listens on a loopback address serves no
     * other names, one that listens for other machines serves every name while none is listed.
     */
    allowHosts: z
      .array(
        z
          .string()
          .regex(
            /^(?:[\w.-]+|\[[\da-f:.]+\])$/i,
            'is no name or address of a host, such as "venue.internal"',
          ),
      )
      .default([]),
    /** Faults for testing clients, one per line. */
    faults: faultsSchema.default([]),
    /** Folder that keeps the venue's state across restarts; null keeps the state in memory. */
    dataDir: z.string().min(1).nullable().default(null),
  })
  .superRefine((config, context) => {
    const problem = (path: PropertyKey[], message: string): void => {
      context.addIssue({ code: "custom", path, message });
    };
    const tokens = new Set<string>();
    config.tokens.forEach(({ tokenId: id }, at) => {
      if (tokens.has(id)) problem(["tokens", at, "tokenId"], `token ${id} stands here twice`);
      tokens.add(id);
    });
    const unknown = (id: string): string => `there is no token ${id} among tokens`;
    if (config.nativeToken !== undefined && !tokens.has(config.nativeToken)) {
      problem(["nativeToken"], unknown(config.nativeToken));
    }
    const markets = new Set<string>();
    config.markets.forEach(({ base, quote }, at) => {
      if (!tokens.has(base)) problem(["markets", at, "base"], unknown(base));
      if (!tokens.has(quote)) problem(["markets", at, "quote"], unknown(quote));
      if (base === quote) problem(["markets", at, "quote"], "is the base token, too");
      const id = marketId(base, quote);
      if (markets.has(id)) problem(["markets", at], `market ${id} stands here twice`);
      markets.add(id);
    });
    for (const id of config.faucet.keys()) {
      if (!tokens.has(id)) problem(["faucet", id], unknown(id));
    }
    const owners = new Set<string>();
    for (const [address, balances] of Object.entries(config.accounts)) {
      const owner = addressOf(address) ?? address;
      if (owners.has(owner)) problem(["accounts", address], "stands here twice");
      owners.add(owner);
      for (const id of balances.keys()) {
        if (!tokens.has(id)) problem(["accounts", address, id], unknown(id));
      }
    }
  });

/** The paper venue's validated settings. */
export type VenueConfig = z.output<typeof venueSchema>;
/** The settings as written in YAML. */
export type VenueDocument = z.input<typeof venueSchema>;

/** What `touchline venue` starts without a file: the example market, with a faucet so that any address can trade. */
export const venueWithoutConfig: VenueDocument = {
  faucet: { "1": "10", "2": "25000" },
  flow: "synthetic",
};

/** Starting balances by account. */
export function startBalances(
  config: VenueConfig,
): ReadonlyMap<Address, ReadonlyMap<TokenId, Fixed>> {
  const balances = new Map<Address, ReadonlyMap<TokenId, Fixed>>();
  for (const [text, amounts] of Object.entries(config.accounts)) {
    const address = addressOf(text);
    if (address !== undefined) balances.set(address, amounts);
  }
  return balances;
}
