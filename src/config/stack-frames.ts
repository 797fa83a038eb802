import { packageRoot } from "./plugin-hooks.ts";
import { showPath } from "./show-path.ts";

/** File, line and column of a frame, in folders of any name: `at decide (file:///bots/my%20bot%20(1)/a.ts:3:7)`. */
const frameForm = /^\s+at (?:.* \()?((?:file:\/\/)?\/.*?):(\d+):(\d+)\)?$/;
const ownFolders = ["bin/", "src/", "dist/"].map((name) => new URL(name, packageRoot).href);
const builtInFolder = new URL("dist/strategies/", packageRoot).href;

/** The lines of a stack below its message. */
export function framesOf({ stack = "" }: Error): readonly string[] {
  return stack.split("\n").filter((line) => /^\s+at /.test(line));
}

export function fileOfFrame(frame: string): string | undefined {
  return frameForm.exec(frame)?.[1];
}

/** The innermost of `placesOfFrames`, else of a package's frames; undefined when all frames are Node's or the program's own. */
export function placeOfFrames(frames: readonly string[]): string | undefined {
  return placesOfFrames(frames)[0] ?? placesIn(frames)[0]?.place;
}

/** File, line and column of each frame in a user's file or a built-in strategy, innermost first. */
export function placesOfFrames(frames: readonly string[]): readonly string[] {
  return placesIn(frames).flatMap(({ file, place }) =>
    file.includes("/node_modules/") ? [] : [place],
  );
}

function placesIn(frames: readonly string[]) {
  return frames.flatMap((frame) => {
    const [, file, line, column] = frameForm.exec(frame) ?? [];
    return file === undefined || isOwn(file)
      ? []
      : [{ file, place: `${showPath(file)}:${line}:${column}` }];
  });
}

/** Where a call that was stopped in the middle is: the innermost place, and the outermost if another file called it. */
export function stoppedAt(stopped: Error): string {
  const places = placesOfFrames(framesOf(stopped));
  const [inner, outer] = [places[0], places.at(-1)];
  if (inner === undefined) return "";
  return outer === inner ? ` at ${inner}` : ` at ${inner}, called at ${outer}`;
}

function isOwn(file: string): boolean {
  return ownFolders.some((own) => file.startsWith(own)) && !file.startsWith(builtInFolder);
}
