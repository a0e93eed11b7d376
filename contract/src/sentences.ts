// What the server says to people. Programs read the ready English text; the console takes the template and its values, says
// it in the language of its reader, and writes numbers, times and money as that person does (decision 81).
import { z } from 'zod'

const valueSchema = z.union([
  /** As it is: a name, an id, an address. */
  z.string(),
  /** A count. */
  z.int(),
  /** A country by its ISO code, with a dialling code; the text is 'United Kingdom (+44)'. */
  z.object({ text: z.string(), country: z.string(), diallingCode: z.string() }),
  /** An English text that may have a translation itself: a fault that was stored, or what another system answered. */
  z.object({ text: z.string() }),
  /** Money as a decimal string. */
  z.object({ amount: z.string() }),
  /** An instant, of which the day, the time of day, or both are shown; a day may also stand alone, and is then in UTC. */
  z.object({ day: z.string() }),
  z.object({ time: z.string() }),
  z.object({ at: z.string() }),
])
export type SentenceValue = z.infer<typeof valueSchema>

/** English with places in braces, and the value of each. Without values the template is the text. */
export const sentenceSchema = z.object({ template: z.string(), values: z.record(z.string(), valueSchema) })
export type Sentence = z.infer<typeof sentenceSchema>

/** A text of an answer; `words` when it has values in it. */
export const messageFields = { message: z.string(), words: z.array(sentenceSchema).optional() }

type PlacesIn<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlacesIn<Rest>
  : never
type ValuesOf<Template extends string> = [PlacesIn<Template>] extends [never]
  ? []
  : [values: Readonly<Record<PlacesIn<Template>, SentenceValue>>]

/**
 * A sentence with the value of each place. The template stands in the call as it is, because the test of the catalogues
 * finds it there: each has its translations.
 */
export function sentence<const Template extends string>(
  template: Template,
  ...values: ValuesOf<Template>
): Sentence
export function sentence(template: string, values: Readonly<Record<string, SentenceValue>> = {}): Sentence {
  return { template, values }
}

/** A text that nobody here wrote, such as an error of another system. It is shown as it is, unless it has a translation. */
export function quote(text: string): Sentence {
  return { template: '{text}', values: { text: { text } } }
}

/** What somebody is told: an English text when it has no values, else a sentence, or several. */
export type Words = string | Sentence | readonly Sentence[]

export function sentencesOf(words: Words): Sentence[] {
  if (typeof words === 'string') return [quote(words)]
  return 'template' in words ? [words] : [...words]
}

export function englishOf(words: Words): string {
  return typeof words === 'string' ? words : inEnglish(...sentencesOf(words))
}

/** A text of an answer, with its sentences when it has values in it. */
export function messageFieldsOf(words: Words): { message: string; words?: Sentence[] } {
  return typeof words === 'string'
    ? { message: words }
    : { message: englishOf(words), words: sentencesOf(words) }
}

/** The same for an answer whose text is its `detail`. */
export function detailed(words: Words): { detail: string; detailWords?: Sentence[] } {
  return typeof words === 'string'
    ? { detail: words }
    : { detail: englishOf(words), detailWords: sentencesOf(words) }
}

/** A fault of a field as a sentence of its own. One with values stays English in it. */
export function withStop(fault: Words): Sentence {
  return sentence('{fault}.', { fault: { text: englishOf(fault) } })
}

/** What is wrong with the value of this name: `startsAt: Enter a time`. */
export function labelled(name: string, fault: Words): Sentence[] {
  return [quote(`${name}:`), ...sentencesOf(fault)]
}

/** The ready English text: sentences with a space between them, counts with commas, times in UTC. */
export function inEnglish(...sentences: readonly Sentence[]): string {
  return sentences
    .map(({ template, values }) =>
      template.replace(/\{(\w+)\}/g, (place, name: string) => {
        const value = values[name]
        return value === undefined ? place : valueInEnglish(value)
      }),
    )
    .join(' ')
}

/** A value of the ready English text. */
export function valueInEnglish(value: SentenceValue): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return value.toLocaleString('en')
  if ('text' in value) return value.text
  if ('amount' in value) return value.amount
  if ('day' in value) return value.day.slice(0, 10)
  const [day = '', clock = ''] = ('time' in value ? value.time : value.at).slice(0, 16).split('T')
  return 'time' in value ? `${clock} UTC` : `${day} ${clock} UTC`
}

/** A text without values that the console says in the language of its reader: it is its own key in the catalogues. */
export const spoken = <const Text extends string>(english: Text): Text => english
