/** When each major version of Node stops getting security fixes (nodejs.org/en/about/previous-releases). */
const endOfLife: Readonly<Record<number, string>> = {
  24: "2028-04-30",
  25: "2026-06-01",
  26: "2029-04-30",
};

/** What is wrong with a version of Node because of its age; undefined when nothing is, or nothing is known. */
export function ageOfNode(version: string, nowMs: number): string | undefined {
  const major = Number(/^v?(\d+)\./.exec(version)?.[1]);
  const end = endOfLife[major];
  if (end === undefined || nowMs < Date.parse(end)) return undefined;
  return `it has had no security fixes since ${end}`;
}
