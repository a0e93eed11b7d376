// Messages for values that a schema refuses, where the schema has no message of its own. Importing this module sets
// them for all schemas.
import { z } from 'zod'
import { schemaMessage } from './schema-messages.ts'
import { sentence, type Sentence } from './sentences.ts'

const expectedMessages: Readonly<Record<string, string>> = {
  string: 'Enter a text',
  number: 'Enter a number',
  int: 'Enter a whole number',
  boolean: 'Use true or false',
  array: 'Send a list',
  object: 'Send an object',
  record: 'Send an object',
}

function choiceOf(values: readonly unknown[]): Sentence {
  const names = values.map((value) => (value === '' ? 'nothing' : String(value)))
  const last = names.pop() ?? ''
  return names.length === 0
    ? sentence('Use {choice}', { choice: last })
    : sentence('Use {choices} or {last}', { choices: names.join(', '), last })
}

function atMost(limit: number, origin: string): Sentence {
  if (origin === 'string')
    return limit === 1
      ? sentence('At most 1 character')
      : sentence('At most {count} characters', { count: limit })
  if (origin === 'array')
    return limit === 1 ? sentence('At most 1 entry') : sentence('At most {count} entries', { count: limit })
  return sentence('At most {limit}', { limit: String(limit) })
}

function atLeast(limit: number, origin: string): Sentence {
  if (origin === 'string')
    return limit === 1
      ? sentence('At least 1 character')
      : sentence('At least {count} characters', { count: limit })
  if (origin === 'array')
    return limit === 1 ? sentence('At least 1 entry') : sentence('At least {count} entries', { count: limit })
  return sentence('At least {limit}', { limit: String(limit) })
}

/** The message for a fault, without a full stop; undefined: zod's own. */
function validationMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') return schemaMessage(choiceOf(issue.values))
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'This is required' : expectedMessages[issue.expected]
  if (issue.code === 'too_big') return schemaMessage(atMost(Number(issue.maximum), issue.origin))
  if (issue.code === 'too_small') return schemaMessage(atLeast(Number(issue.minimum), issue.origin))
  // The last alternative describes a filled field; those before it are 'empty' or a short form.
  if (issue.code === 'invalid_union') return issue.errors.at(-1)?.[0]?.message
  return undefined
}

z.config({ customError: (issue) => validationMessage(issue) })
