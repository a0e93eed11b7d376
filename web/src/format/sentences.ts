// Sentences of the server in the language of the reader, with values as the reader writes them.
import {
  valueInEnglish,
  type Sentence,
  type SentenceValue,
  type Words,
} from '@tollgate/contract/sentences.ts'
import { keptSentence, t } from '../language/t.ts'
import { formatAmountFigure, formatCount } from './money.ts'

export type { Sentence }

type LaterValue = Extract<
  SentenceValue,
  { country: string } | { day: string } | { time: string } | { at: string }
>

// The sign-in page has no times and no countries, and so not their formats: dates.ts brings them when it is loaded.
let formatLater: (value: LaterValue) => string = valueInEnglish

export function setLaterFormat(format: typeof formatLater): void {
  formatLater = format
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
  if ('text' in value && !('country' in value)) return formatText(value.text)
  if ('amount' in value) return formatAmountFigure(value.amount)
  return formatLater(value)
}
