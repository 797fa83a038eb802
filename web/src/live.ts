import { useEffect, useState } from "preact/hooks";
import type { HistoryPoint } from "../../src/dashboard/history.ts";
import type { DashboardSnapshot, StrategyPanelSnapshot } from "../../src/dashboard/snapshot.ts";

export interface Live {
  readonly snapshot: DashboardSnapshot | undefined;
  readonly isConnected: boolean;
}

const MAX_POINTS = 3600;

/** The newest snapshot, with the whole history of each panel joined together. The browser reconnects by itself. */
export function useLive(): Live {
  const [live, setLive] = useState<Live>({ snapshot: undefined, isConnected: false });
  useEffect(() => {
    const histories = new Map<string, HistoryPoint[]>();
    const source = new EventSource("/api/stream");
    source.addEventListener("message", ({ data }: MessageEvent<string>) => {
      const snapshot = JSON.parse(data) as DashboardSnapshot;
      const panels = snapshot.panels.map((panel) => ({
        ...panel,
        history: joined(histories, panel),
      }));
      setLive({ snapshot: { ...snapshot, panels }, isConnected: true });
    });
    source.addEventListener("error", () => {
      setLive(({ snapshot }) => ({ snapshot, isConnected: false }));
    });
    return () => source.close();
  }, []);
  return live;
}

function joined(
  histories: Map<string, HistoryPoint[]>,
  panel: StrategyPanelSnapshot,
): HistoryPoint[] {
  const known = histories.get(panel.strategy) ?? [];
  const lastMs = known.at(-1)?.[0] ?? 0;
  const fresh = panel.history.filter(([timeMs]) => timeMs > lastMs);
  const all = fresh.length === 0 ? known : [...known, ...fresh].slice(-MAX_POINTS);
  histories.set(panel.strategy, all);
  return all;
}
