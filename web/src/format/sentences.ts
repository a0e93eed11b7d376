// Sentences of the server in the language of the reader, with values as the reader writes them.
import type { Sentence, SentenceValue, Words } from '@tollgate/contract/sentences.ts'
import { keptSentence, t } from '../language/t.ts'
import { formatAmountFigure, formatCount } from './money.ts'

export type { Sentence }

type WriteTime = (instant: string) => string

// The sign-in page has no times, and so not their formats: dates.ts brings them when it is loaded.
let times: Readonly<Record<'day' | 'time' | 'at', WriteTime>> | undefined

export function setTimeFormats(formats: NonNullable<typeof times>): void {
  times = formats
}

/** A text without values is its own key; one that was kept with values is made anew of its template. */
export function formatWords(words: Words): string {
  if (typeof words === 'string') return formatText(words)
  return 'template' in words ? formatSentence(words) : formatSentences(words)
}

function formatText(text: string): string {
  const sentence = keptSentence(text)
  return sentence === undefined ? t(text) : formatSentence(sentence)
}

/** Several are one text, with a space between them. */
export function formatSentences(sentences: readonly Sentence[]): string {
  return sentences.map(formatSentence).join(' ')
}

export function formatSentence({ template, values }: Sentence): string {
  const texts = Object.entries(values).map(([name, value]) => [name, formatValue(value)] as const)
  return t(template, Object.fromEntries(texts))
}

function formatValue(value: SentenceValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return formatCount(value)
  if ('text' in value) return formatText(value.text)
  if ('amount' in value) return formatAmountFigure(value.amount)
  if ('day' in value) return times?.day(value.day) ?? value.day
  if ('time' in value) return times?.time(value.time) ?? value.time
  return times?.at(value.at) ?? value.at
}
