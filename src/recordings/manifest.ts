import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { LOT_DECIMALS_MAX, TICK_DECIMALS_MAX } from "../domain/fixed-rules.ts";
import { decimalsOf, decimalText, marketIdText } from "../spec/fields.ts";
import { problemOf } from "../spec/problem.ts";

export const MANIFEST_FILE = "manifest.json";

const step = (decimalsMax: number) =>
  decimalText.refine(
    (text) => Number(text) > 0 && decimalsOf(text) <= decimalsMax,
    `is not a step above 0 with at most ${decimalsMax} decimals`,
  );

/** Price and quantity steps of the market that was recorded. */
const rules = z.object({
  tick: step(TICK_DECIMALS_MAX),
  lot: step(LOT_DECIMALS_MAX),
  minSize: step(LOT_DECIMALS_MAX).optional(),
  /** `inferred`: the greatest steps of which all recorded prices and quantities are multiples. `stated`: known otherwise. */
  source: z.enum(["inferred", "stated"]),
  /** True when every recorded price is on the grid of §4.5. */
  fitsVenueGrid: z.boolean(),
});

/** A fee, negative for a rebate. */
const rebateText = z.union([
  decimalText,
  z.string().regex(/^-0\.\d{1,18}$/, "is not a fee such as 0.0002, or -0.0001 for a rebate"),
]);

const market = z.object({
  /** `BASE_QUOTE`, as used in the recording's lines. */
  marketId: marketIdText,
  /** The source's name for the market, e.g. `BTCUSDT`. */
  symbol: z.string().min(1),
  /** `made`: the source has no update ids, so those of the recording do not show whether depth is missing. `sparse`: nor do trades. */
  ids: z.enum(["made", "sparse"]).optional(),
  /** `unique`: as on the venue (§2.10), so that they do not show whether a trade is missing. */
  tradeIds: z.literal("unique").optional(),
  /** `native`: prices as recorded; `venue`: folded to the grid of §4.5. */
  grid: z.enum(["native", "venue"]),
  /** Fees as fractions of the received token, if known. */
  makerFee: rebateText.optional(),
  takerFee: rebateText.optional(),
  /** Of prices as recorded, where known. */
  rules: rules.optional(),
});

const manifest = z.object({
  format: z.literal("touchline-recording"),
  version: z.literal(1),
  /** `candles`: instead of books and trades. */
  content: z.literal("candles").optional(),
  markets: z.array(market).min(1),
  /** Names of the price sources in `sources.ndjson.zst`. */
  sources: z.array(z.string()).optional(),
  /** Origin: format and files of an import, or the venue where it was recorded. */
  source: z.string(),
  /** Provenance and licence, if the source requires attribution. */
  notice: z.string().optional(),
});

export type RecordedRules = z.output<typeof rules>;
export type RecordingMarket = z.output<typeof market>;
/** `manifest.json` of a recording's folder. */
export type Manifest = z.output<typeof manifest>;

/** Whether the recording has candles instead of books and trades. */
export function hasCandles({ content }: Manifest): boolean {
  return content === "candles";
}

/** `what` reads a book, and the recording has candles. */
export function candlesHaveNoBook(what: string): TouchlineError {
  return new TouchlineError(
    "CANDLES_HAVE_NO_BOOK",
    `${what} needs a book, which a recording of candles does not have.`,
    { hint: "Use a recording of depth and trades, or leave that out." },
  );
}

export function manifestText(value: Manifest): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Parses a manifest. Throws TouchlineError `RECORDING_INVALID`. */
export function parseManifest(text: string, path: string): Manifest {
  const read = jsonOf(text);
  const parsed = manifest.safeParse(read);
  if (parsed.success) return parsed.data;
  const problem =
    read !== undefined
      ? problemOf(parsed.error, "manifest")
      : text.trim() === ""
        ? "it is empty"
        : "it is not JSON";
  throw new TouchlineError(
    "RECORDING_INVALID",
    `${path} is not a valid manifest of a recording: ${problem}.`,
    {
      hint: "Correct it, or import or record it again with this version.",
    },
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
