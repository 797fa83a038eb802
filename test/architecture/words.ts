/** Names and phrases that have a better one. Nothing in code or docs uses them again. */
export interface RetiredWord {
  /** Named in a problem. */
  readonly word: string;
  readonly pattern: RegExp;
  readonly instead: string;
  /** `code`: identifiers and keys of TypeScript files, without comments and texts. Default: all of a file. */
  readonly within?: "code";
  /** Only in files whose path matches. Default: everywhere. */
  readonly where?: RegExp;
}

/** A name by itself or as a part of a longer one: `desk`, `DeskFold`, `deskByName`, `order-desk`; not `desktop`. */
function part(name: string): RegExp {
  const upper = name.charAt(0).toUpperCase() + name.slice(1);
  return new RegExp(`(?:(?<![A-Za-z])${name}|${upper})(?:s|es)?(?![a-z])`, "g");
}

export const retiredWords: readonly RetiredWord[] = [
  { word: "wish", pattern: part("wish"), instead: "target (TargetQuote, Targets), or query" },
  { word: "desk", pattern: part("desk"), instead: "StrategySlot, OrderEntry or StrategyPanel" },
  { word: "clerk", pattern: part("clerk"), instead: "CommandProcessor" },
  { word: "guest", pattern: part("guest"), instead: "UnfundedAccounts" },
  { word: "witness", pattern: part("witness"), instead: "Oracle" },
  { word: "patiently", pattern: part("patiently"), instead: "retryWhileUnreachable" },
  { word: "Patience", pattern: /[a-z]Patience\b|\bPatience/g, instead: "Timing" },
  { word: "notebook", pattern: part("notebook"), instead: "ReplayRecorder" },
  {
    word: "study",
    pattern: /(?<![A-Za-z])(?:study|studies)(?![a-z])|Study/g,
    instead: "ReplayStatistics",
  },
  { word: "OldestFirst", pattern: /OldestFirst|oldest-first\.ts/g, instead: "OldestKeyCursor" },
  { word: "VenueWords", pattern: /VenueWords|venue-words/g, instead: "ExecutionReports" },
  {
    word: "OrderWord",
    pattern: /\b(?:Order|Cancel|order|cancel)Words?(?:Of)?\b/g,
    instead: "ReportKind",
  },
  { word: "heard", pattern: /\bheard\b|[a-z]Heard|heardMs/g, instead: "lastMessageMs, received" },
  {
    word: "AskSchedule",
    pattern: /AskSchedule|ask-schedule|AskPatience|ask(?:First|Max|At)Ms|askedAtMs/g,
    instead: "QuerySchedule, query…",
  },
  { word: "refusalRest", pattern: /refusalRest/g, instead: "refusalCooldown" },
  {
    word: "turnWanted",
    pattern: /turnsWanted|turnWanted|"turns"/g,
    instead: "tokenWanted, tokens",
  },
  {
    word: "withdrawal in the kernel",
    pattern: part("withdrawal"),
    within: "code",
    where: /^src\/kernel\//,
    instead: "QuotePull, pulled",
  },
  { word: "ImagePart", pattern: /ImagePart|ImageWriter|image-writer/g, instead: "SnapshotPart" },
  { word: 'type "answer"', pattern: /type: "answer"|\[answer\]/g, instead: "response" },
  {
    word: "Answer",
    pattern: /\b(?:Venue|Retry)?Answer\b/g,
    within: "code",
    instead: "CommandResult, DecodedResponse, VenueResponse",
  },
  {
    word: "news",
    pattern: /\b(?:Order|Book|Block|Recorder)News\b|\b(?:has|is|block)News\b/g,
    instead: "events, changes or reports",
  },
  { word: "why", pattern: /\bwhy\b|[a-z]Why\b|\bwhy[A-Z]/g, within: "code", instead: "reason" },
  {
    word: "latency.command",
    pattern: /latency\.(?:command|news)|latency: \{ (?:command|news):/g,
    instead: "latency: { entry, response, feed }",
  },
  // Riddles.
  {
    word: "word of the venue",
    pattern: /\b(?:words? of the venue|venue's words?)\b/gi,
    instead: "execution report, message",
  },
  { word: "whoever", pattern: /\bwhoever\b/gi, instead: "say who" },
  {
    word: "is told of",
    pattern: /\b(?:is|are|was|were|be) told of\b/gi,
    instead: "receives, sees",
  },
  { word: "who asks", pattern: /\bwho(?:ever)? asks\b/gi, instead: "the caller" },
  {
    word: "brings along",
    pattern: /\b(?:brings?|takes?|taken|brought) (?:[\w,]+ ){0,9}along\b/gi,
    instead: "say what happens to it",
  },
  { word: "likewise", pattern: /\blikewise\b/gi, instead: "too, in the same way" },
];

/** A place where an old name has to stand. */
export interface Exception {
  readonly where: RegExp;
  /** Which words; all of them when left out. */
  readonly words?: readonly string[];
}

/** What lists or tests the retired words. */
export const mayUseRetiredWords: readonly Exception[] = [
  { where: /^CHANGELOG\.md$/ },
  { where: /^test\/architecture\/(?:words|check-words\.test)\.ts$/ },
];

/** What is not shipped with the project, so that nobody who reads a file could look it up. */
export const privatePlaces: readonly RetiredWord[] = [
  {
    word: "a path of one machine",
    pattern: /\/work\/|\/tmp\/w\b/g,
    instead: "no path, or one in the repository",
  },
  {
    word: "../shared",
    pattern: /(?<![\w/])(?:\.\.\/)*shared\/(?!data\b)/g,
    instead: "a page in docs/",
  },
  {
    word: "a private document",
    pattern:
      /\b(?:HOUSE|FIELD-MAPPING)\b|\b(?:WORDS|DECISIONS|CONTRACT)\.md\b|(?<!_)\bCONTRACT(?:'s\b| `|,? "|\))/g,
    instead: "a page in docs/, or the reason itself",
  },
  {
    word: "findings/, peers/, research/",
    pattern: /(?<![\w/.])(?:findings|peers|research)\//g,
    instead: "a page in docs/",
  },
];

export const mayNamePrivatePlaces: readonly Exception[] = [
  { where: /^test\/architecture\/(?:words|check-words\.test)\.ts$/ },
  // Compares our list of lines with the interface document where somebody has it.
  { where: /^test\/conformance\/coverage\.test\.ts$/, words: ["../shared"] },
];
