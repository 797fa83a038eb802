/** Titles for tables: the last part of each parameter's path, or the whole path where two end in the same word. */
export function parameterTitles(names: readonly string[]): readonly string[] {
  const lasts = names.map((name) => name.slice(name.lastIndexOf(".") + 1));
  return names.map((name, at) => {
    const last = lasts[at] ?? name;
    return lasts.indexOf(last) === lasts.lastIndexOf(last) ? last : name;
  });
}
