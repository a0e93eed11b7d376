// Messages for values that a schema refuses, where the schema has no message of its own. Importing this module sets
// them for all schemas.
import { z } from 'zod'

const expectedMessages: Readonly<Record<string, string>> = {
  string: 'Enter a text',
  number: 'Enter a number',
  int: 'Enter a whole number',
  boolean: 'Use true or false',
  array: 'Send a list',
  object: 'Send an object',
  record: 'Send an object',
}

function listed(values: readonly unknown[]): string {
  const words = values.map((value) => (value === '' ? 'nothing' : String(value)))
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

function counted(limit: number | bigint, origin: string): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'entry' : undefined
  if (unit === undefined) return String(limit)
  if (limit === 1) return `1 ${unit}`
  return `${limit} ${unit === 'entry' ? 'entries' : 'characters'}`
}

/** The message for a fault, without a full stop; undefined: zod's own. */
function validationMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') return `Use ${listed(issue.values)}`
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'This is required' : expectedMessages[issue.expected]
  if (issue.code === 'too_big') return `At most ${counted(issue.maximum, issue.origin)}`
  if (issue.code === 'too_small') return `At least ${counted(issue.minimum, issue.origin)}`
  // The last alternative describes a filled field; those before it are 'empty' or a short form.
  if (issue.code === 'invalid_union') return issue.errors.at(-1)?.[0]?.message
  return undefined
}

z.config({ customError: (issue) => validationMessage(issue) })
