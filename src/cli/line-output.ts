import { closeSync, openSync, writeSync } from "node:fs";

/** Lines to a file, or through `print` for `-`. */
export function outputTo(
  out: string,
  print: (line: string) => void,
): { line(text: string): void; close(): void } {
  if (out === "-") return { line: print, close: () => undefined };
  const file = openSync(out, "w", 0o600);
  let text = "";
  const flush = (): void => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    text = "";
  };
  return {
    line(line) {
      text += `${line}\n`;
      if (text.length >= 1 << 16) flush();
    },
    close() {
      flush();
      closeSync(file);
    },
  };
}
