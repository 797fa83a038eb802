import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { HistoryPoint, SeriesName } from "../../src/dashboard/history.ts";
import type { FillRow } from "../../src/dashboard/api-rows.ts";
import { get, type Response } from "./api.ts";
import type { ShownMarket } from "./live.ts";
import type { ChartData } from "./time-axis.ts";
import { type FillsPage, newestFills, readFillsSince } from "./newest-fills.ts";

/** As many as the bot keeps. */
const MAX_POINTS = 3600;
const STEP_MS = 900;
const PAGE = 200;

/** The last hour of a market with its fills, joined with what the stream brings; `older` reads more fills, undefined when there are none. */
export function useChartData(name: string, view: ShownMarket | undefined): ChartData {
  const [past, setPast] = useState<{
    readonly series: readonly SeriesName[];
    readonly points: readonly HistoryPoint[];
  }>({ series: [], points: [] });
  const [before, setBefore] = useState<number | null>(null);
  const [known, setKnown] = useState<ReadonlyMap<number, FillRow>>(new Map());
  const points = useRef<readonly HistoryPoint[]>([]);
  const fills = useRef<ReadonlyMap<number, FillRow>>(new Map());
  const readFills = async (from: number | null): Promise<FillsPage> => {
    const of = `limit=${PAGE}&name=${encodeURIComponent(name)}`;
    const page = await get<Response<"fills">>(
      `fills?${of}${from === null ? "" : `&before=${from}`}`,
    );
    setKnown((rows) => new Map([...rows, ...page.fills.map((fill) => [fill.fill, fill] as const)]));
    setBefore(page.next);
    return page;
  };
  /** Returns when the charts begin. */
  const readPast = async (): Promise<number | undefined> => {
    const found = await get<Response<"history">>(`history?name=${encodeURIComponent(name)}`);
    setPast(found);
    return found.points[0]?.[0];
  };
  const readHour = async (): Promise<void> => {
    const fromMs = await readPast().catch(() => undefined);
    await readFillsSince(fromMs ?? Number.POSITIVE_INFINITY, readFills);
  };
  useEffect(() => {
    // Without them the stream's points and fills are shown.
    void Promise.allSettled([readHour()]);
  }, [name]);
  if (points.current.length < past.points.length) points.current = past.points;
  const point = view?.point;
  if (point !== undefined && point[0] >= (points.current.at(-1)?.[0] ?? 0) + STEP_MS) {
    points.current = [...points.current, point].slice(-MAX_POINTS);
  }
  const newest: Readonly<Record<string, FillRow>> = view?.fills ?? {};
  const fresh = Object.values(newest).filter(({ fill }) => !fills.current.has(fill));
  if (fresh.length > 0 || fills.current.size < known.size) {
    fills.current = newestFills([...known.values(), ...fills.current.values(), ...fresh]);
  }
  const list = useRef<{ readonly of: unknown; readonly rows: readonly FillRow[] }>({
    of: undefined,
    rows: [],
  });
  if (list.current.of !== fills.current) {
    list.current = { of: fills.current, rows: [...fills.current.values()] };
  }
  const older = useCallback(() => void Promise.allSettled([readFills(before)]), [name, before]);
  return {
    series: view?.series ?? past.series,
    points: points.current,
    fills: list.current.rows,
    older: before === null ? undefined : older,
  };
}
