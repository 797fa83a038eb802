import type { ReplayDetails } from "../backtest/replay-details.ts";
import type { DocumentParts } from "../backtest/result-document.ts";
import type { RecordingIo } from "../recordings/recording-io.ts";

/** Where a replay's result goes. */
export interface ReplayOutput {
  /** Collects the tables during the replay. */
  readonly details: ReplayDetails;
  write(parts: DocumentParts): void;
}

/** Prepares a folder for a result. Throws TouchlineError `OUT_NOT_EMPTY`, before any work is done in vain. */
export async function openOutput({ store }: RecordingIo, folder: string): Promise<ReplayOutput> {
  const { ReplayDetails: Details } = await import("../backtest/replay-details.ts");
  const { resultDocument } = await import("../backtest/result-document.ts");
  const { checkResultFolder, writeResult } = await import("../backtest/result-folder.ts");
  const { encodeParquet } = await import("../platform/parquet.ts");
  checkResultFolder({ store }, folder);
  const details = new Details();
  return {
    details,
    write(parts) {
      const document = resultDocument(parts);
      const files = { document, tables: details.tables, reports: new Map<string, string>() };
      writeResult({ store, encodeParquet }, folder, files);
    },
  };
}
