// Sentences of the server in the language of the reader, with values as the reader writes them.
import type { Sentence, SentenceValue } from '@tollgate/contract/sentences.ts'
import { t } from '../language/t.ts'
import { formatDateTime, formatDay, formatMinute } from './dates.ts'
import { formatAmountFigure, formatCount } from './money.ts'

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
  if ('text' in value) return t(value.text)
  if ('amount' in value) return formatAmountFigure(value.amount)
  if ('day' in value) return formatDay(value.day)
  return 'time' in value ? formatMinute(value.time) : formatDateTime(value.at)
}
