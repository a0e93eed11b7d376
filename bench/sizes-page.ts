// The page on sizes: what was measured a message at each rate, and what follows from it for a day.

/** The parts that a message's bytes are shown by, in the order of the page. */
export const parts = [
  'records',
  'records: key',
  'records: by client',
  'texts',
  'batches',
  'search',
  'ledger',
  'sender days',
  'counters and the rest',
] as const
export type Part = (typeof parts)[number]

/** What messages cost at one rate. */
export interface RateSizes {
  /** As the page names it. */
  readonly rate: string
  readonly messages: number
  readonly perSecond: number
  /** Bytes a message. */
  readonly bytes: Readonly<Record<Part, number>>
  readonly walBytes: number
  /** Microseconds of processor a message, followers of the log included. */
  readonly gatewayUs: number
  readonly databaseUs: number
}

export interface Sizes {
  readonly conditions: string
  readonly slow: RateSizes
  readonly medium: RateSizes
  readonly peak: RateSizes
  /** Bytes a message of both large indexes of `records` after they were built anew, at the peak. */
  readonly rebuilt: { readonly key: number; readonly byClient: number }
}

const daysOfRecords = 395
const daysOfTexts = 7
const daysOfSenders = 35
const daysOfStatements = 3_653
// Decision 27.
const statementBytes = 39
const copyBytesPerSecond = 64e6
// The section "Closing a cycle" of benchmarks.md.
const statementsPerSecond = 23_919

const whole = (value: number) => Math.round(value).toLocaleString('en')
const sumOf = ({ bytes }: RateSizes) => parts.reduce((sum, part) => sum + bytes[part], 0)

function inBytes(bytes: number): string {
  const [unit, size] = bytes >= 1e12 ? (['TB', 1e12] as const) : (['GB', 1e9] as const)
  return `${(bytes / size).toFixed(1)} ${unit}`
}

function inTime(seconds: number): string {
  if (seconds >= 3_600) return `${(seconds / 3_600).toFixed(1)} h`
  return `${(seconds / 60).toFixed(1)} min`
}

const row = (name: string, cells: readonly string[]) => `| ${[name, ...cells].join(' | ')} |`

/** The text of the page. */
export function sizesPage(sizes: Sizes): string {
  return [
    '# Sizes',
    '',
    'How large a disk and a machine must be. `npm run bench -- --only sizes` writes this page. The first table is measured; everything after it is computed from it and from what each line names.',
    '',
    ...messageLines(sizes),
    '',
    ...dayLines(sizes),
    '',
    ...decidingLines,
    '',
  ].join('\n')
}

function messageLines({ conditions, slow, medium, peak, rebuilt }: Sizes): string[] {
  const rates = [slow, medium, peak]
  const each = (name: string, value: (rate: RateSizes) => number) =>
    row(
      name,
      rates.map((rate) => whole(value(rate))),
    )
  return [
    '## A message',
    conditions,
    '',
    row(
      'bytes a message',
      rates.map(({ rate }) => rate),
    ),
    '|---|---|---|---|',
    each('messages', ({ messages }) => messages),
    each('a second', ({ perSecond }) => perSecond),
    ...parts.map((part) => each(part, ({ bytes }) => bytes[part])),
    each('**all**', sumOf),
    each('log (WAL) written', ({ walBytes }) => walBytes),
    each('gateway, µs of processor', ({ gatewayUs }) => gatewayUs),
    each('PostgreSQL, µs of processor', ({ databaseUs }) => databaseUs),
    '',
    `Few messages a second make small batches, whose rows, index entries and log records then serve few messages. A sender's first message of a day to a number has a row among the sender days, by which pumped traffic is found: with so many senders many a message is one. The search index is written for 65,536 messages at a time, so only the last column has all of it. Both indexes of records grow in pages that are split in the middle; built anew (\`reindex index concurrently\`, by the owner of the schema, on a week that is over) they need ${whole(rebuilt.key)} and ${whole(rebuilt.byClient)} bytes a message at the peak's rate.`,
  ]
}

function dayLines({ slow, medium, peak }: Sizes): string[] {
  const days = [
    { messages: 1e6, like: slow },
    { messages: 1e7, like: slow },
    { messages: 1e8, like: medium },
  ].map(({ messages, like }) => dayOf(messages, like, peak))
  const day = (name: string, value: (of: Day) => string) => row(name, days.map(value))
  return [
    '## A day (computed)',
    'Bytes and log are those of the rate that is nearest to the mean: the first column up to 10 million a day, the second one at 100 million; search index and counters are those of the last column, because a low rate shows only their first growth. Texts stay for 7 days (`TEXT_DAYS`), sender days for 35, records for 13 months (`RECORD_MONTHS`), statements for ten years with 39 bytes a record ([decision 27](decisions/0027-statements-that-can-be-checked-without-us.md)); they are signed as fast as [benchmarks.md](benchmarks.md) says.',
    '',
    day('messages a day', ({ messages }) => whole(messages)),
    '|---|---|---|---|',
    day('mean a second', ({ messages }) => whole(messages / 86_400)),
    day(
      'processors at the mean, at five times of it',
      ({ cores }) => `${cores.toFixed(3)}, ${(cores * 5).toFixed(2)}`,
    ),
    day('database grows by, a day', ({ grows }) => inBytes(grows)),
    day('log, a day', ({ wal }) => inBytes(wal)),
    day('database after 13 months', ({ online }) => inBytes(online)),
    day('with `ONLINE_WEEKS` at 5 and an archive', ({ archived }) => inBytes(archived)),
    day('statements after ten years, besides', ({ statements }) => inBytes(statements)),
    day('a full copy of 13 months at 64 MB/s', ({ copySeconds }) => inTime(copySeconds)),
    day('a full copy with the archive at 64 MB/s', ({ archivedCopySeconds }) => inTime(archivedCopySeconds)),
    day("a week's statements at 23,919 records/s", ({ signSeconds }) => inTime(signSeconds)),
  ]
}

const decidingLines = [
  '## What decides',
  '**Disk and backup, not processors.** Even at 100 million a day the mean load is a part of one core, while 13 months of records do not fit an ordinary disk and a nightly full copy of them does not fit a night. So, from the smallest to the largest:',
  '',
  '- **Up to 1 million a day** the embedded database on an ordinary machine, with `BACKUP_DIR` on another disk.',
  '- **Around 10 million** a server of its own for PostgreSQL with a synchronous standby; the archive of the log for restores, and full copies less often than each night.',
  '- **Around 100 million** the same with records for some weeks only: [the archive](cdr.md#the-archive) and `ONLINE_WEEKS`, or a disk for 13 months and copies by snapshots of it.',
  '',
  'Beside the figures above keep room for what stands still: a sixth of the disk free ([a disk that fills up](operating.md#a-disk-that-fills-up)), 1 GB of log, and one file of an archive in `DATA_DIR` while it is written.',
]

interface Day {
  readonly messages: number
  readonly cores: number
  readonly grows: number
  readonly wal: number
  readonly online: number
  readonly archived: number
  readonly statements: number
  readonly copySeconds: number
  readonly archivedCopySeconds: number
  readonly signSeconds: number
}

function dayOf(messages: number, like: RateSizes, peak: RateSizes): Day {
  // What the low rates show of both is their first growth.
  const grown = (part: 'search' | 'counters and the rest') => peak.bytes[part] - like.bytes[part]
  const all = sumOf(like) + grown('search') + grown('counters and the rest')
  const stays = all - like.bytes.texts - like.bytes['sender days']
  // A closed week of five is archived a week or two later, when its bills are paid.
  const passes = like.bytes.texts * daysOfTexts + like.bytes['sender days'] * daysOfSenders
  const kept = (days: number) => messages * (stays * days + passes)
  const [online, archived] = [kept(daysOfRecords), kept(7 * 7)]
  return {
    messages,
    cores: ((messages / 86_400) * (like.gatewayUs + like.databaseUs)) / 1e6,
    grows: messages * (all + statementBytes),
    wal: messages * like.walBytes,
    online,
    archived,
    statements: messages * statementBytes * daysOfStatements,
    copySeconds: online / copyBytesPerSecond,
    archivedCopySeconds: archived / copyBytesPerSecond,
    signSeconds: (messages * 7) / statementsPerSecond,
  }
}
