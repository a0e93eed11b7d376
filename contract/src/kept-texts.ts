// Texts with values that are kept as ready English: why a delivery failed, what the chain said of a payment. Whoever
// shows one finds its template and values again here, for readers of another language (decision 82).
import { inEnglish, spoken, type Sentence, type SentenceValue } from './sentences.ts'

// The first that fits counts, so a template stands before those that would take a part of it for a value.
const templates = [
  // Any call to an address outside.
  spoken('The answer is larger than {count} KiB.'),
  // Webhooks.
  spoken('The address answered {status}: redirects are not followed.'),
  spoken('The address answered {status}.'),
  // HTTP providers.
  spoken('The provider answered {status}: redirects are not followed.'),
  spoken('The provider answered {status}: it does not accept the credentials.'),
  spoken('The provider answered {status} instead of 200.'),
  spoken('The answer has no list at “{path}”.'),
  spoken('The answer is compressed ({encoding}) although it was asked for as it is. Switch that off there.'),
  spoken('The answer is in the charset {charset}, which is not known here. Have it sent in UTF-8.'),
  spoken('The answer has octets that are none of {charset}. Have it sent in UTF-8, or announced as it is.'),
  spoken('The answer is nested deeper than {count} levels.'),
  spoken('The answer has more than {count} objects and lists.'),
  spoken('The next cursor is not a text of at most {count} characters.'),
  spoken(
    '{count} rows wait because they could not become records. Replay or dismiss them first; nothing is lost.',
  ),
  // Rows of providers.
  spoken('{reason} It is too large to be kept.'),
  spoken('Its id is not a text or number of at most {count} characters.'),
  spoken('Its sender is not a line of at most {count} characters.'),
  spoken('Its text is not a text of at most {count} characters.'),
  // What a peer refused, with the meaning of its status.
  spoken('Refused with {commandStatus}: {refusal}'),
  spoken('{refusal}; tried {count} times'),
  spoken('{refusal}; the link was given up before it could go again'),
  // Certificates of gateways that we connect to.
  spoken(
    'The gateway’s certificate is for {names}, but {expected} is expected: correct the host or the expected name.',
  ),
  // CDR files to S3.
  spoken('The storage answered {status} {code} for the bucket {bucket}. {fix}'),
  spoken('The storage answered {status} {code} for the bucket {bucket}.'),
  spoken('The storage answered {status} for the bucket {bucket}.'),
  // CDR files over SFTP.
  spoken(
    'The server shows the host key {hostKey}. Compare it with what its operator says, then enter it in the schedule.',
  ),
  spoken(
    'The server shows another host key, {hostKey}. Nothing was sent. Ask its operator before you enter the new one.',
  ),
  spoken('Only {size} of {count} bytes arrived.'),
  spoken('{reason} Folder: the one it opens.'),
  spoken('{reason} Folder: {path}.'),
  // Payments that were looked up on the chain.
  spoken('The transfer is of {amount} USDT instead of {due}.'),
  spoken('Seen on chain in block {block}; waiting until it cannot be undone.'),
  // What a form says of a value before it is sent.
  spoken('“{bad}” is no network: enter one such as 192.0.2.0/24 or 2001:db8::/32'),
  // Lines of bills.
  spoken('Released after review: {count} SMS of earlier periods'),
  spoken('Refused after review: {count} SMS, not paid'),
  spoken('Held for review: {count} SMS, in no bill until released'),
  spoken('Above the terms: {count} SMS on {day}, at most {max} a day'),
  spoken('Above the terms: {amount} USDT in the period, at most {limit}'),
  spoken('Kept as reserve until {day}'),
  spoken('Reserve of bill #{bill} released'),
  spoken('Bill #{bill} was voided and made anew: {note}'),
  spoken('Bill #{bill} was voided and made anew'),
] as const

type KeptTemplate = (typeof templates)[number]

// What a place contains, and its value again.
const word = { pattern: '\\S+', read: (text: string): SentenceValue => text }
const line = { ...word, pattern: '.+' }
const count = { pattern: '[\\d,]+', read: (text: string): SentenceValue => Number(text.replaceAll(',', '')) }
const amount = { pattern: '-?\\d+\\.\\d+', read: (text: string): SentenceValue => ({ amount: text }) }
const fullText = { pattern: '[A-Z].*\\.', read: (text: string): SentenceValue => ({ text }) }
const places = {
  count,
  size: count,
  status: { ...word, pattern: '\\d+' },
  code: { ...word, pattern: '\\w+' },
  bucket: word,
  bill: word,
  note: line,
  bad: line,
  names: line,
  expected: word,
  hostKey: word,
  commandStatus: { ...word, pattern: '0x[0-9A-F]+' },
  refusal: { pattern: '.+', read: (text: string): SentenceValue => ({ text }) },
  block: { ...word, pattern: '\\d+' },
  path: line,
  encoding: line,
  charset: line,
  day: word,
  max: count,
  limit: amount,
  amount,
  due: amount,
  reason: fullText,
  fix: fullText,
} as const

type PlaceIn<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? (Name & keyof typeof places) | PlaceIn<Rest>
  : never

/** The English text of one of the templates, to be kept. A count has commas, money is a decimal string. */
export function keptText<Template extends KeptTemplate>(
  template: Template,
  values: Readonly<Record<PlaceIn<Template>, string | number>>,
): string {
  return inEnglish({ template, values })
}

// SMPP 3.4 §5.1.3: what a status means, with its code, which is the same in each language: Invalid password (0x0E).
const statusForm = /^(?<meaning>[^()]+) \((?<code>0x[0-9A-F]+)\)$/

function statusSentence(text: string): Sentence | undefined {
  const { meaning, code } = statusForm.exec(text)?.groups ?? {}
  if (meaning === undefined || code === undefined) return undefined
  return { template: '{meaning} ({code})', values: { meaning: { text: meaning }, code } }
}

let forms: readonly { readonly template: string; readonly form: RegExp }[] | undefined

/** The sentence that a kept text was made of; undefined for any other text, which is its own key or nobody's here. */
export function keptSentence(text: string): Sentence | undefined {
  forms ??= templates.map((template) => ({ template, form: formOf(template) }))
  for (const { template, form } of forms) {
    const found = form.exec(text)?.groups
    if (found !== undefined)
      return {
        template,
        values: Object.fromEntries(
          Object.entries(found).map(([name, value]) => [name, placeOf(name).read(value)]),
        ),
      }
  }
  return statusSentence(text)
}

const placeOf = (name: string) => places[name as keyof typeof places]

function formOf(template: string): RegExp {
  const parts = template.split(/\{(\w+)\}/)
  const form = parts.map((part, at) =>
    at % 2 === 0 ? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : `(?<${part}>${placeOf(part).pattern})`,
  )
  return new RegExp(`^${form.join('')}$`, 's')
}
