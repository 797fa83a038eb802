import type { RecordedSourceInfo } from "../recordings/source-file.ts";
import { right, table } from "./table.ts";
import { spanText, timeText } from "./time-text.ts";

/** The price sources of a recording. */
export function sourceTable(sources: readonly RecordedSourceInfo[]): string {
  const rows = sources.map(({ name, values, bad, from, to }) => [
    name,
    String(values),
    String(bad),
    from === null ? "nothing" : timeText(from),
    spanText((to ?? 0) - (from ?? 0)),
  ]);
  return table(["source", right("prices"), right("bad"), "from (UTC)", right("for")], rows);
}
