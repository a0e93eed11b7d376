// Bad input for every field of a writing call: whatever it is, the answer is a success or a refusal that names the field.
import { expect } from 'vitest'
import type { TestAnswer } from './api.ts'

export interface FieldCase {
  /** Names the call in a failure. */
  readonly name: string
  /** A body that is taken. */
  readonly good: Readonly<Record<string, unknown>>
  readonly send: (body: Readonly<Record<string, unknown>>) => Promise<TestAnswer>
  /** Free texts: any one-line text comes back as it was given, less the spaces around it. */
  readonly texts?: readonly string[]
  /** Fields whose every string is refused or kept in another form, and which may also be left out or null. */
  readonly loose?: readonly string[]
}

const otherKinds: readonly unknown[] = [{}, [], [[]], true, null, { toString: 'x' }]
const badTexts = ['\u0000', 'a\nb', 'x'.repeat(5_000)]

const oneLine = [
  '<script>alert(1)</script>',
  '=HYPERLINK("http://example.org")',
  "'; drop table users; --",
  'Zo\u00eb \u{1F4DE} \u202e\u05e9\u05dc\u05d5\u05dd',
  '%_\\ "quoted"',
  '-1',
  '__proto__',
]

/** Sends each field wrong in turn, and checks what is answered. Nothing may be a fault of ours. */
export async function expectFieldsChecked({
  name,
  good,
  send,
  texts = [],
  loose = [],
}: FieldCase): Promise<void> {
  for (const field of Object.keys(good)) {
    for (const value of [...otherKinds, ...badTexts]) {
      const { status, body } = await send({ ...good, [field]: value })
      const label = [name, field, JSON.stringify(value)?.slice(0, 30)]
      if (loose.includes(field)) expect.soft([...label, status < 500]).toEqual([...label, true])
      else {
        const named = Object.keys(body?.fields ?? {}).some(
          (key) => key === field || key.startsWith(`${field}.`),
        )
        expect.soft([...label, status, named]).toEqual([...label, 400, true])
      }
    }
  }
  for (const field of texts) {
    for (const value of oneLine) {
      const { status, body } = await send({ ...good, [field]: `  ${value} ` })
      expect.soft([name, field, status < 300, body[field]]).toEqual([name, field, true, value])
    }
  }
}
