import { z } from "zod";
import { duration, share } from "../../domain/setting.ts";
import { faultKinds, type FaultName } from "./fault-kinds.ts";

/** Keys that lines of every kind share. */
const common = {
  /** When the fault begins, counted from the venue's start. */
  at: duration().default(0),
  /** How long the fault lasts; without `for` and `count` it lasts as long as the venue. */
  for: duration({ min: 1 }).optional(),
  /** The fault ends after this many strikes. */
  count: z.int().min(1).optional(),
  /** Probability of a strike on each match: 0.1 or 10%. */
  rate: share({ max: 1 }).default(1),
  /**
   * What the fault may strike, with `*` as a wildcard: requests by method and path (`POST /api/v1/order`), messages by channel
   * (`depth@1_2`), replies to subscriptions as `reply`, withdrawals by token id.
   */
  match: z.string().min(1).max(200).default("*"),
  /** Another seed strikes different matches at the same rate. */
  seed: z.int().min(0).max(0xffff_ffff).default(1),
};

/** One line of `faults`. */
export interface FaultLineConfig {
  readonly kind: FaultName;
  /** Milliseconds, as `for`. */
  readonly at: number;
  readonly for?: number | undefined;
  readonly count?: number | undefined;
  readonly rate: number;
  readonly match: string;
  readonly seed: number;
  /** Options of the kind. */
  readonly [option: string]: unknown;
}

const [first, ...others] = faultKinds.map((kind) =>
  z.strictObject({ kind: z.literal(kind.name), ...common, ...kind.options }),
);

/** The value of `faults`; `none` equals an empty list. */
export const faultsSchema = z
  .union([
    z.literal("none"),
    z.array(z.discriminatedUnion("kind", [first as NonNullable<typeof first>, ...others])).max(100),
  ])
  .transform((written): readonly FaultLineConfig[] => (written === "none" ? [] : written));
