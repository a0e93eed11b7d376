// What people call the rules and their figures.
import { thresholdsSchema, type Thresholds } from '@tollgate/contract/integrity/versions.ts'
import { faultOf } from '@tollgate/contract/schema-messages.ts'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'

interface FigureWords {
  readonly label: string
  readonly unit: string
}

const senders = t('senders')
const messages = t('messages')
const times = t('times')
const spans = t('spans')
const hours = t('hours')
const days = t('days')
const percent = '%'

const ruleWords = {
  block: t('Block of numbers'),
  paced: t('Many at the same pace'),
  neighbours: t('Neighbouring numbers'),
  madeUp: t('Made-up numbers'),
  clockwork: t('The same minute each day'),
  across: t('Several clients'),
  newcomer: t('New client'),
  list: t('Hot list'),
} satisfies Record<keyof Thresholds, string>

const figureWords: { readonly [R in keyof Thresholds]: Readonly<Record<keyof Thresholds[R], FigureWords>> } =
  {
    block: {
      slots: { label: t('Ten-minute spans that a block fills in a day'), unit: spans },
      timesUsual: { label: t('More than is usual, here and of most blocks'), unit: times },
      timesToday: { label: t('More than nine in ten blocks of the day'), unit: times },
      sendersMin: { label: t('Senders of the block, at least'), unit: senders },
      slotsOfSenderMax: { label: t('Of one sender count, at most'), unit: spans },
    },
    paced: {
      senders: { label: t('Senders that keep the pace'), unit: senders },
      timesUsual: { label: t('More than is usual'), unit: times },
      plus: { label: t('And above that'), unit: senders },
      slots: { label: t('Ten-minute spans in which each wrote'), unit: spans },
      hours: { label: t('Spread over, at least'), unit: hours },
    },
    neighbours: {
      senders: { label: t('New senders with a neighbour'), unit: senders },
      pairShare: { label: t('In the same hundred, of the same thousand'), unit: percent },
      timesUsual: { label: t('More than is usual'), unit: times },
    },
    madeUp: {
      senders: { label: t('New senders of one number'), unit: senders },
      voteHours: { label: t('Busiest quiet hours that do not count'), unit: hours },
      timesUsual: { label: t('More than on its highest day'), unit: times },
      strangeShare: { label: t('Senders of blocks that nobody knows'), unit: percent },
      timesStrange: { label: t('More of them than is usual'), unit: times },
    },
    clockwork: {
      senders: { label: t('New senders that come back on time'), unit: senders },
      seconds: { label: t('Apart from the day before, at most'), unit: t('seconds') },
      share: { label: t('Of all who came back'), unit: percent },
    },
    across: {
      clients: { label: t('Clients to which one sender wrote on a day'), unit: t('clients') },
      messages: { label: t('Messages to them, at least'), unit: messages },
    },
    newcomer: {
      share: { label: t('Of all messages, from few senders'), unit: percent },
      topSenders: { label: t('How many are few'), unit: senders },
      messages: { label: t('Messages in all, at least'), unit: messages },
      days: { label: t('Looked at'), unit: days },
      ageDays: { label: t('A client is new for'), unit: days },
      messagesOfSender: { label: t('Messages of a sender that is held, at least'), unit: messages },
    },
    list: { messages: { label: t('Messages of a listed sender, at least'), unit: messages } },
  }

interface Figure extends FigureWords {
  /** As in `block.slots`. */
  readonly key: string
}

/** The figures of all rules, by rule. */
export const thresholdGroups = Object.entries(figureWords).map(([rule, figures]) => ({
  rule,
  label: ruleWords[rule as keyof Thresholds],
  figures: Object.entries<FigureWords>({ ...figures }).map(([name, words]): Figure => ({
    key: `${rule}.${name}`,
    ...words,
  })),
}))

/** The name of a rule as cases have it. */
export function ruleName(rule: string): string {
  const names: Readonly<Record<string, string>> = {
    ...ruleWords,
    made_up: ruleWords.madeUp,
    dispute: t('Dispute of a carrier'),
  }
  return names[rule] ?? rule
}

/** Figures as people read and write them, by their keys: shares in percent. */
export type FigureTexts = Readonly<Record<string, string>>

export function figureTexts(thresholds: Thresholds): FigureTexts {
  const values = new Map<string, number>(
    Object.entries(thresholds).flatMap(([rule, figures]) =>
      Object.entries<number>({ ...figures }).map(([name, value]) => [`${rule}.${name}`, value] as const),
    ),
  )
  const all = thresholdGroups.flatMap(({ figures }) => figures)
  return Object.fromEntries(
    all.map(({ key, unit }) => {
      const value = values.get(key) ?? 0
      return [key, String(unit === percent ? Math.round(value * 1_000_000) / 10_000 : value)]
    }),
  )
}

/** The thresholds of a form, or what is wrong with its figures by their keys. */
export function readFigures(
  texts: FigureTexts,
): { readonly thresholds: Thresholds } | { readonly faults: Readonly<Record<string, string>> } {
  const read = (key: string, unit: string): number => {
    const text = texts[key]?.trim() ?? ''
    const value = text === '' ? Number.NaN : Number(text)
    return unit === percent ? Math.round(value * 10_000) / 1_000_000 : value
  }
  const checked = thresholdsSchema.safeParse(
    Object.fromEntries(
      thresholdGroups.map(({ rule, figures }) => [
        rule,
        Object.fromEntries(figures.map(({ key, unit }) => [key.slice(rule.length + 1), read(key, unit)])),
      ]),
    ),
  )
  if (checked.success) return { thresholds: checked.data }
  return {
    faults: Object.fromEntries(
      checked.error.issues.map((issue) => [issue.path.join('.'), formatWords(faultOf(issue))]),
    ),
  }
}

export interface FigureChange extends Figure {
  readonly ruleLabel: string
  readonly before: string
  readonly after: string
}

/** What differs between two versions. */
export function figureChanges(before: FigureTexts, after: FigureTexts): readonly FigureChange[] {
  return thresholdGroups.flatMap(({ label: ruleLabel, figures }) =>
    figures
      .map((figure) => ({
        ...figure,
        ruleLabel,
        before: before[figure.key] ?? '',
        after: after[figure.key] ?? '',
      }))
      .filter((change) => change.before !== change.after),
  )
}
