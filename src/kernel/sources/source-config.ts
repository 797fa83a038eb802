import type { MarketId } from "../../domain/ids.ts";

/** Where the values of a source come from. */
type SourceOrigin =
  /** From outside: each value is an input of the kernel. */
  | { readonly type: "input" }
  /** Another market's book, less own orders. */
  | { readonly type: "market"; readonly marketId: MarketId }
  | { readonly type: "static"; readonly bid: number; readonly ask: number }
  /** Computed from other sources by name; see `domain/expression.ts`. */
  | { readonly type: "formula"; readonly formula: string };

/** A price from elsewhere that strategies may quote by. */
export interface SourceConfig {
  readonly name: string;
  readonly origin: SourceOrigin;
  /** Older, it is undefined for strategies. A formula is as old as its parts. */
  readonly maxAgeMs: number;
  /** What happens meanwhile to the quotes of the strategies that see it. */
  readonly whenOld: "stop" | "widen";
  readonly jump?: JumpConfig | undefined;
}

interface JumpConfig {
  /** A move beyond this share times the root of the seconds since the last believed value is doubted. */
  readonly share: number;
  /** The source that has to move, too; left out: a market of a strategy that sees it. */
  readonly confirm?: string | undefined;
}

/** The markets whose books are sources. */
export function sourceMarkets(sources: readonly SourceConfig[] = []): readonly MarketId[] {
  return sources.flatMap(({ origin }) => (origin.type === "market" ? [origin.marketId] : []));
}
