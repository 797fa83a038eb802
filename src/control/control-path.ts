import path from "node:path";

/** Longest path of a Unix socket that every system takes (macOS: 104 bytes with the end). */
const MAX_BYTES = 100;

/**
 * Where the bot of a journal listens: `control.socket` when it is set, else `control.sock` beside the journal's segments. Relative to
 * the current folder where that is shorter, since the system limits the length.
 */
export function controlPath({
  journal,
  control,
}: {
  readonly journal: { readonly path: string };
  readonly control: { readonly socket?: string | undefined };
}): string {
  const absolute = path.resolve(control.socket ?? path.join(journal.path, "control.sock"));
  const relative = path.relative(process.cwd(), absolute);
  return Buffer.byteLength(absolute) > MAX_BYTES &&
    Buffer.byteLength(relative) < Buffer.byteLength(absolute)
    ? relative
    : absolute;
}
