import { useEffect, useState } from "preact/hooks";
import { joinedPanel } from "../../src/dashboard/joined-panel.ts";
import type { DashboardSnapshot } from "../../src/dashboard/snapshot.ts";

export interface Live {
  readonly snapshot: DashboardSnapshot | undefined;
  readonly isConnected: boolean;
}

/** The newest snapshot, with the history and fills of each panel joined together. The browser reconnects by itself. */
export function useLive(): Live {
  const [live, setLive] = useState<Live>({ snapshot: undefined, isConnected: false });
  useEffect(() => {
    let known: DashboardSnapshot["panels"] = [];
    const source = new EventSource("/api/v1/stream");
    // It begins with everything, and may come from another run of the bot.
    source.addEventListener("open", () => (known = []));
    source.addEventListener("message", ({ data }: MessageEvent<string>) => {
      const snapshot = JSON.parse(data) as DashboardSnapshot;
      known = snapshot.panels.map((panel, index) => joinedPanel(known[index], panel));
      setLive({ snapshot: { ...snapshot, panels: known }, isConnected: true });
    });
    source.addEventListener("error", () => {
      setLive(({ snapshot }) => ({ snapshot, isConnected: false }));
    });
    return () => source.close();
  }, []);
  return live;
}
