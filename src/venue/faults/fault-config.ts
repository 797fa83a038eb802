import { z } from "zod";
import { duration, share } from "../../domain/setting.ts";
import { faultKinds, type FaultName } from "./fault-kinds.ts";

/** Keys that a line of every kind may have. */
const common = {
  /** When it begins, from the venue's start. */
  at: duration().default(0),
  /** How long it lasts; without `for` and `count` as long as the venue. */
  for: duration({ min: 1 }).optional(),
  /** It ends after so many strikes. */
  count: z.int().min(1).optional(),
  /** How likely it strikes what it could: 0.1 or 10%. */
  rate: share({ max: 1 }).default(1),
  /**
   * What it may strike, `*` standing for anything: requests by method and path (`POST /api/v1/order`), messages by channel
   * (`depth@1_2`), replies to subscriptions as `reply`, withdrawals by token id.
   */
  match: z.string().min(1).max(200).default("*"),
  /** Another seed strikes others at the same rate. */
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
  /** Those of the kind. */
  readonly [option: string]: unknown;
}

const [first, ...others] = faultKinds.map((kind) =>
  z.strictObject({ kind: z.literal(kind.name), ...common, ...kind.options }),
);

/** What stands below `faults:`; `none` is the same as an empty list. */
export const faultsSchema = z
  .union([
    z.literal("none"),
    z.array(z.discriminatedUnion("kind", [first as NonNullable<typeof first>, ...others])).max(100),
  ])
  .transform((written): readonly FaultLineConfig[] => (written === "none" ? [] : written));
