import { useEffect, useState } from "preact/hooks";
import { type Json, merged, type WithoutNulls } from "../../src/dashboard/merge-patch.ts";
import type { Viewed } from "../../src/dashboard/page-state.ts";

export type Shown = WithoutNulls<Viewed>;
export type ShownRow = Shown["rows"][string];
export type ShownMarket = NonNullable<Shown["view"]>;

/** Of several bots, whose logs and past are in their own pages. Before any of them has responded there are no rows. */
export function isOfSeveral({ rows }: Shown): boolean {
  return Object.values(rows).every(({ bot }) => bot !== undefined);
}

export interface Live {
  /** The newest state; undefined before the first. */
  readonly shown: Shown | undefined;
  /** Whole seconds since the newest state when it is too old; 0 while it is not. */
  readonly staleSec: number;
}

/** Without a message for this long the figures are out of date. */
const STALE_MS = 10_000;

const RETRY_MS = 2_000;

/**
 * Follows the bot and one of its markets. The page is drawn at most once a frame, with the newest state. `refused`: the caller
 * should look whether the login still holds.
 */
export function useLive(market: string | undefined, isOn: boolean, refused: () => void): Live {
  const [live, setLive] = useState<Live>({ shown: undefined, staleSec: 0 });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!isOn) return undefined;
    let state: Json | undefined;
    let lastMs = performance.now();
    let isLost = false;
    let frame = 0;
    const query = market === undefined ? "" : `?market=${encodeURIComponent(market)}`;
    const source = new EventSource(`/api/v1/stream${query}`);
    const draw = (): void => {
      frame = 0;
      const ageMs = performance.now() - lastMs;
      const isStale = ageMs > STALE_MS || isLost;
      const staleSec = isStale ? Math.max(1, Math.round(ageMs / 1000)) : 0;
      setLive(({ shown }) => ({ shown: (state as Shown | undefined) ?? shown, staleSec }));
    };
    const drawSoon = (): void => {
      if (frame === 0) frame = requestAnimationFrame(draw);
    };
    let retry: ReturnType<typeof setTimeout> | undefined;
    // A stream begins with everything, and may come from another run of the bot.
    source.addEventListener("open", () => (state = undefined));
    source.addEventListener("message", ({ data }: MessageEvent<string>) => {
      state = merged(state, JSON.parse(data) as Json);
      lastMs = performance.now();
      isLost = false;
      drawSoon();
    });
    source.addEventListener("error", () => {
      isLost = true;
      drawSoon();
      // The browser reconnects by itself, but not after a refusal: the login ended, or the bot is still starting.
      if (source.readyState !== EventSource.CLOSED) return;
      refused();
      retry = setTimeout(() => setAttempt((count) => count + 1), RETRY_MS);
    });
    const timer = setInterval(() => {
      if (isLost || performance.now() - lastMs > STALE_MS) drawSoon();
    }, 1_000);
    return () => {
      source.close();
      clearInterval(timer);
      clearTimeout(retry);
      cancelAnimationFrame(frame);
    };
  }, [market, isOn, attempt]);
  return live;
}
