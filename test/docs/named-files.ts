/** Paths in backquotes below the project's folders; of one with a placeholder (`NAME`) its folder. */
const named = /`((?:src|test|docs|web|strategies|config|schema|bench|scripts|bin)\/[^`\s]*)`/g;

/** The paths of a page that are not there. */
export function missingFiles(text: string, exists: (path: string) => boolean): readonly string[] {
  return Array.from(text.matchAll(named), ([, path = ""]) => {
    const folder = path.slice(0, path.indexOf("/NAME"));
    return path.includes("/NAME") ? folder : path.replace(/\/$/, "");
  }).filter((path) => !exists(path));
}
