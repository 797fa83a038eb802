import { packageRoot } from "./plugin-hooks.ts";
import { showPath } from "./show-path.ts";

/** File, line and column of a frame, in folders of any name: `at decide (file:///bots/my%20bot%20(1)/a.ts:3:7)`. */
const frameForm = /^\s+at (?:.* \()?((?:file:\/\/)?\/.*?):(\d+):(\d+)\)?$/;
const ownFolders = ["src/", "dist/"].map((name) => new URL(name, packageRoot).href);
const builtInFolder = new URL("dist/strategies/", packageRoot).href;

/** The lines of a stack below its message. */
export function framesOf({ stack = "" }: Error): readonly string[] {
  return stack.split("\n").filter((line) => /^\s+at /.test(line));
}

export function fileOfFrame(frame: string): string | undefined {
  return frameForm.exec(frame)?.[1];
}

/**
 * File, line and column of the innermost frame in a user's file or a built-in strategy, else in a package; undefined when all of them
 * are Node's or the program's own.
 */
export function placeOfFrames(frames: readonly string[]): string | undefined {
  const places = frames.flatMap((frame) => {
    const [, file, line, column] = frameForm.exec(frame) ?? [];
    return file === undefined || isOwn(file)
      ? []
      : [{ file, place: `${showPath(file)}:${line}:${column}` }];
  });
  const users = places.find(({ file }) => !file.includes("/node_modules/"));
  return (users ?? places[0])?.place;
}

function isOwn(file: string): boolean {
  return ownFolders.some((own) => file.startsWith(own)) && !file.startsWith(builtInFolder);
}
