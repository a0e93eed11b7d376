// What a schema says of a faulty value is a text. Those with values in them are found again as sentences here, for readers
// of another language (decision 81).
import { inEnglish, sentence, type Sentence, type Words } from './sentences.ts'

// Constants of the schemas, so they are few.
const sentences = new Map<string, Sentence>()

/** A message with values, for a schema: its English text, which {@link faultOf} finds the sentence by. */
export function schemaMessage(words: Sentence): string {
  const english = inEnglish(words)
  sentences.set(english, words)
  return english
}

export function chooseOneOf(values: readonly string[]): string {
  return schemaMessage(sentence('Choose one of {choices}', { choices: values.join(', ') }))
}

/** What a schema's fault is made of. One with values of the input has its sentence in `params.words`. */
export function faultOf(issue: { readonly message: string; readonly params?: unknown }): Words {
  const { words } = (issue.params ?? {}) as { readonly words?: Sentence }
  return words ?? sentences.get(issue.message) ?? issue.message
}
