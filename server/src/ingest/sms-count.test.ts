import { expect, test } from 'vitest'
import { esmClass } from '@tollgate/smpp/values/esm-class.ts'
import type { IngestMessage } from './message.ts'
import { smsCountOf } from './sms-count.ts'

const countOf = (esm: number, body: Buffer) =>
  smsCountOf(
    { esmClass: esm, dataCoding: 0, body, flags: 0, sent: {} } as unknown as IngestMessage,
    body[0] === 5,
  )

test('a bare acknowledgement counts as no SMS; with a header and a text it is a message and counts', () => {
  const part = Buffer.from('050003840201' + '41'.repeat(20), 'hex')
  for (const type of [esmClass.deliveryAcknowledgement, esmClass.manualAcknowledgement]) {
    expect(countOf(type, Buffer.alloc(0))).toBe(0)
    expect(countOf(type, Buffer.from('read'))).toBe(0)
    expect(countOf(type | esmClass.udhIndicator, part)).toBe(1)
  }
})
