import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
  statSync,
} from "node:fs";
import path from "node:path";
import { TouchlineError } from "../base/error.ts";
import { codeOf } from "./file-errors.ts";

/** Keys, journals and locks are for their owner alone. */
export const OWNER_ONLY_FOLDER = 0o700;
export const OWNER_ONLY = 0o600;
/** Not known on Windows. */
const NO_FOLLOW: number = constants.O_NOFOLLOW ?? 0;

const ways = {
  append: constants.O_APPEND | constants.O_CREAT | constants.O_RDWR,
  new: constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY,
} as const;

/** The flags of `open` for a file that is written: never through a symbolic link that somebody has put in its place. */
export function writeFlags(way: keyof typeof ways): number {
  return ways[way] | NO_FOLLOW;
}

/**
 * Opens a file for writing; a new one is readable by its owner only, whatever the umask. Throws the system's error, and
 * `FILE_REFUSED` when the path is a symbolic link.
 */
export function openPrivate(file: string, way: keyof typeof ways): number {
  let descriptor: number;
  try {
    descriptor = openSync(file, writeFlags(way), OWNER_ONLY);
  } catch (error) {
    throw codeOf(error) === "ELOOP" ? linkError(file, error) : error;
  }
  // Also a file that was made just now under a stricter umask, or empty before.
  if (fstatSync(descriptor).size === 0) ownerOnly(descriptor);
  return descriptor;
}

/** Makes a file for a library that opens it by its path; see `openPrivate`. */
export function makePrivate(file: string): void {
  closeSync(openPrivate(file, "append"));
}

/** Whether users other than the owner may read the file; false on Windows, and for a file that cannot be looked at. */
export function isReadableByOthers(file: string): boolean {
  if (process.platform === "win32") return false;
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

/** A place that other users may replace. */
export interface OpenPlace {
  readonly place: string;
  /** `mode`: every user may write there. `group`: a group may write the file. `owner`: it belongs to another user. */
  readonly by: "mode" | "group" | "owner";
}

/**
 * The path, this one or a folder above it, through which other users may replace what is at `place`; undefined on Windows, and when there is
 * none. In a folder with the sticky bit, as /tmp has it, others replace nothing of ours; `makes` counts what they may make there, too.
 */
export function openToOthers(place: string, { makes = false } = {}): OpenPlace | undefined {
  if (process.platform === "win32") return undefined;
  const foreign = [place, path.dirname(place)].find(isForeign);
  return foreign === undefined ? openPath(place, makes) : { place: foreign, by: "owner" };
}

function openPath(place: string, makes: boolean): OpenPlace | undefined {
  const state = stateOf(place);
  const parent = path.dirname(place);
  if (isCrowded(stateOf(parent)) && isOfOther(place)) return { place, by: "owner" };
  if (isShared(state) && (makes || !isSticky(state))) return { place, by: "mode" };
  if (state?.isFile() === true && isOfGroup(state)) return { place, by: "group" };
  return parent === place ? undefined : openPath(parent, false);
}

/** One sentence, with what to do about it. */
export function openPlaceText({ place, by }: OpenPlace): string {
  switch (by) {
    case "mode":
      return `every user can change what is in ${place}, and so command the bot; run: chmod o-w ${place}`;
    case "group":
      return `a group of users can change ${place}, and so command the bot; run: chmod g-w ${place}`;
    case "owner":
      return `another user made ${place}, and so can command the bot; use a folder that only you can change`;
  }
}

/** Throws TouchlineError `FILE_REFUSED` where what is at `place` may be another user's: see `openToOthers`. */
export function refuseOpen(place: string): void {
  const open = openToOthers(path.resolve(place));
  if (open === undefined) return;
  const context = { path: place, reason: openPlaceText(open) };
  throw new TouchlineError("FILE_REFUSED", `${context.reason}.`, { context });
}

const isShared = (state: Stats | undefined): boolean => ((state?.mode ?? 0) & 0o002) !== 0;
const isSticky = (state: Stats | undefined): boolean => ((state?.mode ?? 0) & 0o1000) !== 0;
/** A folder like /tmp, for all users or for those of a group. */
const isCrowded = (state: Stats | undefined): boolean =>
  isSticky(state) && ((state?.mode ?? 0) & 0o022) !== 0;
/** Where each user has a group of the same number, that group is the user's alone. */
const isOfGroup = ({ mode, gid }: Stats): boolean =>
  (mode & 0o020) !== 0 && gid !== process.getuid?.();

/** Undefined for what cannot be looked at: the code that opens it reports why. */
function stateOf(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether it, or the link that has its name, belongs to somebody other than this user and root. */
function isOfOther(place: string): boolean {
  const link = lstatSync(place, { throwIfNoEntry: false });
  const owners = [link?.uid ?? 0, stateOf(place)?.uid ?? 0];
  return owners.some((owner) => owner !== 0 && owner !== process.getuid?.());
}

/** As `isOfOther`; but root also works with what users have, such as with their bots. */
function isForeign(place: string): boolean {
  return process.getuid?.() !== 0 && isOfOther(place);
}

function ownerOnly(descriptor: number): void {
  try {
    fchmodSync(descriptor, OWNER_ONLY);
  } catch {
    // A file system without modes, or a file of another owner, which the mode of the folder has to protect.
  }
}

function linkError(file: string, cause: unknown): TouchlineError {
  return new TouchlineError("FILE_REFUSED", `Cannot use ${file}: it is a symbolic link.`, {
    context: { path: file, reason: "it is a symbolic link" },
    hint: "Remove the link, or name the file that it points to.",
    cause,
  });
}
