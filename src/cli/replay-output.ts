import { randomUUID } from "node:crypto";
import { dirname, resolve } from "node:path";
import type { ReplayDetails } from "../backtest/replay-details.ts";
import type { DocumentParts } from "../backtest/result-document.ts";
import type { Store } from "../ports/store.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";
import { codeVersion } from "./version.ts";

/** Where a replay's result goes: a folder with everything, and a page alone. */
export interface OutputPlaces {
  readonly out: string | undefined;
  readonly report: string | undefined;
}

export interface ReplayOutput {
  /** Collects the tables during the replay. */
  readonly details: ReplayDetails;
  write(parts: Omit<DocumentParts, "versions">): Promise<void>;
}

/**
 * Prepares the places of a result; undefined when there are none. Throws TouchlineError `OUT_NOT_EMPTY` or the system's error where
 * nothing can be written, before any work is done in vain.
 */
export async function openOutput(
  { store }: RecordingIo,
  { out, report }: OutputPlaces,
): Promise<ReplayOutput | undefined> {
  if (out === undefined && report === undefined) return undefined;
  const { ReplayDetails: Details } = await import("../backtest/replay-details.ts");
  const { checkResultFolder, writeResult, writeText } = await import(
    "../backtest/result-folder.ts"
  );
  if (out !== undefined) {
    checkResultFolder({ store }, out);
    tryToWrite(store, `${out}/result.json`);
  }
  if (report !== undefined) tryToWrite(store, report);
  const details = new Details();
  return {
    details,
    async write(parts) {
      const { resultDocument } = await import("../backtest/result-document.ts");
      const { reportData } = await import("../backtest/report-data.ts");
      const { reportMarkdown } = await import("../backtest/report-markdown.ts");
      const { reportPage } = await import("../dashboard/report-page.ts");
      const versions = { touchline: codeVersion(), node: process.version };
      const document = resultDocument({ ...parts, versions });
      const { tables } = details;
      const data = reportData(document, tables);
      const page = await reportPage(data);
      if (report !== undefined) writeText({ store }, report, page);
      if (out === undefined) return;
      const { encodeParquet } = await import("../platform/parquet.ts");
      const reports = new Map([
        ["report.html", page],
        ["report.md", reportMarkdown(data)],
      ]);
      writeResult({ store, encodeParquet }, out, { document, tables, reports });
    },
  };
}

/** Throws the system's error where this file cannot be written. Leaves everything as it is: no new file or folder, no changed one. */
function tryToWrite(store: Store, file: string): void {
  if (store.stateOf(file) !== undefined) {
    store.openAppend(file).close();
    return;
  }
  let missing = resolve(file);
  while (store.stateOf(dirname(missing)) === undefined) missing = dirname(missing);
  // A dangling link is refused here, and a folder that is missing can be made where a file can.
  const trial = missing === resolve(file) ? missing : `${missing}.${randomUUID()}`;
  store.openAppend(trial).close();
  store.remove(trial);
}
