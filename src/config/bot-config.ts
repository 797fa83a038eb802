import { z } from "zod";
import { type Address, addressOf } from "../domain/ids.ts";
import { amount, duration, share } from "../domain/setting.ts";
import { riskSchema } from "../risk/settings.ts";
import { addressText, marketIdText } from "../spec/fields.ts";
import { defaultStreamTiming } from "../gateway/stream-timing.ts";
import { defaultTiming } from "../kernel/config.ts";
import { signerSchema } from "./signer-config.ts";

/** The schema of a bot's YAML: what users may write, with every default. */

function url(protocols: readonly string[]) {
  const forms = protocols.map((protocol) => `${protocol}://…`).join(" or ");
  return z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1)),
      { error: `is not an address of the form ${forms}` },
    );
}

const restUrl = url(["http", "https"]);
const socketUrl = url(["ws", "wss"]);
const chainId = z.int().min(1);

const address = addressText.transform((text, context): Address => {
  const value = addressOf(text);
  if (value !== undefined) return value;
  context.addIssue({ code: "custom", message: "is not an address" });
  return z.NEVER;
});

/** Periods by their name without the unit: `reconcileMs` is written `reconcile: 30s`. */
function periods<Periods extends object>(defaults: Periods) {
  const names = Object.keys(defaults).map((name) => name.replace(/Ms$/, ""));
  return z
    .strictObject(Object.fromEntries(names.map((name) => [name, duration({ min: 1 }).optional()])))
    .transform((given): Periods => {
      const set = Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [[`${name}Ms`, value]],
      );
      return { ...defaults, ...Object.fromEntries(set) };
    });
}

const strategy = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9][\w.-]{0,63}$/,
      "is not a name: letters, digits, points, dashes, at most 64",
    ),
  plugin: z.string().min(1),
  market: marketIdText,
  /** Validated by the plugin's own schema. */
  params: z.unknown(),
  seed: z.int().min(0).max(0xffff_ffff).optional(),
});

/** A bot's configuration, all but the strategies' `params`. */
export const botSchema = z.strictObject({
  venue: z.strictObject({
    rest: restUrl,
    ws: socketUrl,
    chainId,
    l1ChainId: chainId.default(8217),
    /** The structure of withdrawals, which the interface does not show; left out, none is signed (D9). */
    withdrawal: z
      .strictObject({
        byte: z.int().min(0).max(255),
        fields: z
          .strictObject({
            l1owner: z.string().min(1).optional(),
            to: z.string().min(1).optional(),
            token: z.string().min(1).optional(),
            value: z.string().min(1).optional(),
          })
          .optional(),
      })
      .optional(),
  }),
  account: z
    .strictObject({
      /** Left out: the signer's own address. */
      owner: address.optional(),
      signer: signerSchema,
    })
    .refine(({ owner, signer }) => signer.type !== "session" || owner !== undefined, {
      path: ["owner"],
      message: "is missing: a session wallet trades for somebody",
    })
    .optional(),
  rateLimit: z
    .strictObject({
      perSecond: z.number().positive().max(10_000).default(20),
      burst: z.int().min(1).max(10_000).default(40),
      concurrency: z.int().min(1).max(256).default(8),
    })
    .prefault({}),
  risk: riskSchema.prefault({}),
  dashboard: z
    .strictObject({
      host: z.string().min(1).default("127.0.0.1"),
      port: z.int().min(0).max(65_535).default(8718),
    })
    .optional(),
  journal: z.strictObject({ path: z.string().min(1).default("./data/journal") }).prefault({}),
  log: z
    .strictObject({ level: z.enum(["debug", "info", "warn", "error"]).default("info") })
    .prefault({}),
  execution: z
    .strictObject({
      /** Moves quotes by modify where that is safe: `auto` on our paper venue only, since D23 is our own reading of a real one. */
      useModify: z.enum(["auto", "always", "never"]).default("auto"),
    })
    .prefault({}),
  /** The kernel's periods. */
  timing: periods(defaultTiming).prefault({}),
  /** The stream connection's periods. */
  streams: periods(defaultStreamTiming).prefault({}),
  /** For `paper`, `replay` and `sweep`: what the simulated account starts with. */
  balances: z.record(z.string(), amount({ zero: true }).transform(String)).optional(),
  /** For `replay`: fee rates of every market, else the recording's. Never negative: the venue charges fees (D18). */
  fees: z.strictObject({ maker: share({ max: 0.1 }), taker: share({ max: 0.1 }) }).optional(),
  /** For `replay`: how long a request travels to the venue, and how long answers and streams travel back; whole milliseconds. */
  latency: z
    .strictObject({
      command: duration({ max: 60_000 }).prefault("20ms"),
      news: duration({ max: 60_000 }).prefault("20ms"),
    })
    .prefault({}),
  strategies: z.array(strategy).min(1).max(64),
});

export type BotDocument = z.output<typeof botSchema>;
