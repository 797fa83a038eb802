import type { StrategyPanelSnapshot } from "./snapshot.ts";

const MAX_POINTS = 3600;
const MAX_FILLS = 1_000;

/** A panel of an update with the history and the fills of those before; what both have is there once. */
export function joinedPanel(
  known: StrategyPanelSnapshot | undefined,
  fresh: StrategyPanelSnapshot,
): StrategyPanelSnapshot {
  if (known === undefined) return fresh;
  const lastMs = known.history.at(-1)?.[0] ?? 0;
  const points = fresh.history.filter(([timeMs]) => timeMs > lastMs);
  const newest = known.fills[0]?.fill ?? 0;
  const fills = fresh.fills.filter(({ fill }) => fill > newest);
  return {
    ...fresh,
    history: [...known.history, ...points].slice(-MAX_POINTS),
    fills: [...fills, ...known.fills].slice(0, MAX_FILLS),
  };
}
