import type { TextFile } from "../architecture/check-words.ts";
import { lineAt } from "../architecture/scan-source.ts";

/** `§4.5` of the venue's interface, or `D12` of the decisions; sections of an RFC are not ours. */
const cited =
  /(?<!\b(?:RFC|SEC) \d+,? |\.md`? )§(?<section>\d+(?:\.\d+)*)|\bD(?<decision>\d{1,2})\b/g;

/** The places that docs/venue.md has: headings and items that begin with a section or a decision. */
export function placesOf(text: string): ReadonlySet<string> {
  const places = /^(?:#+ |(?:-|\d+\.) \*\*)(§\d+(?:\.\d+)*|D\d+)\b/gm;
  return new Set(Array.from(text.matchAll(places), ([, place = ""]) => place));
}

/** One sentence for each citation without a place, beginning with `file:line:`. */
export function checkCitations(
  files: readonly TextFile[],
  places: ReadonlySet<string>,
): readonly string[] {
  return files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(cited)).flatMap(({ groups, index }) => {
      const { section, decision } = groups ?? {};
      const place = section === undefined ? `D${decision}` : `§${section}`;
      if (places.has(place)) return [];
      return [`${path}:${lineAt(text, index)}: docs/venue.md has no ${place}`];
    }),
  );
}

/** One sentence for each link of a page to a file of the repository that is not there. */
export function checkLinks(
  pages: readonly TextFile[],
  exists: (path: string) => boolean,
): readonly string[] {
  const links = /\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)\s]*)?\)/g;
  return pages.flatMap(({ path, text }) =>
    Array.from(text.matchAll(links)).flatMap(({ 1: target = "", index }) => {
      const file = new URL(target, `file:///${path}`).pathname.slice(1);
      return exists(file) ? [] : [`${path}:${lineAt(text, index)}: there is no ${file}`];
    }),
  );
}

/** `docs/decisions/012`, `docs/decisions/012-a-name.md` or `decision 012`. */
const record = /(?:docs\/decisions\/|\b[Dd]ecisions? \[?)(\d{3}(?:-[\w-]+\.md)?)/g;

/** One sentence for each record of a decision that is named and not there. */
export function checkRecords(
  files: readonly TextFile[],
  records: readonly string[],
): readonly string[] {
  return files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(record)).flatMap(({ 1: name = "", index }) =>
      records.some((each) => each === name || (name.length === 3 && each.startsWith(`${name}-`)))
        ? []
        : [`${path}:${lineAt(text, index)}: docs/decisions has no ${name}`],
    ),
  );
}
