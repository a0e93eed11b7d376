import { expect, test } from 'vitest'
import { unansweredUnbind } from '@tollgate/smpp/session/session-end.ts'
import type { CloseReason } from '@tollgate/smpp/session/session-types.ts'
import { AnswerTracker } from './answer-tracker.ts'
import { unansweredRecordOf } from './lost-answers.ts'
import type { PeerRef, UnansweredRecord } from './store.ts'

const peer: PeerRef = { kind: 'account', id: 1 }
const isGone: CloseReason = { by: 'peer', cause: 'disconnect', detail: '' }

/** A tracker, and what it noted as lost. */
function openTracker() {
  const noted: UnansweredRecord[] = []
  const lost = {
    note: () => undefined,
    noteRecord: (record: UnansweredRecord) => void noted.push(record),
    doubt: () => undefined,
  }
  return { noted, tracker: new AnswerTracker(lost, peer) }
}

const messageOf = (body: Buffer) => ({
  createdAtMs: 1,
  sourceAddress: '4915112345678',
  destinationAddress: '447700900123',
  esmClass: 0,
  dataCoding: 0,
  body,
})

test('of a message whose answer is not read yet the text is not kept, but it is recognised when it comes again', () => {
  const { noted, tracker } = openTracker()
  const message = messageOf(Buffer.from('vote 3'))
  const { fingerprint } = unansweredRecordOf(peer, message, [], { createdAtMs: 1, recordId: 5 })
  tracker.stored({ unsentOctets: 1 }, true, message, [], 5)
  message.body.fill(0)
  tracker.sessionEnded(isGone)
  expect(noted).toMatchObject([{ peer, recordId: 5, createdAtMs: 1, fingerprint }])
})

test('answers that the peer has read are not lost, nor those before an unbind that was answered', () => {
  const { noted, tracker } = openTracker()
  tracker.stored({ unsentOctets: 1 }, true, messageOf(Buffer.from('a')), [], 5)
  tracker.stored({ unsentOctets: 0 }, true, messageOf(Buffer.from('b')), [], 6)
  tracker.sessionEnded(isGone)
  tracker.stored({ unsentOctets: 1 }, true, messageOf(Buffer.from('c')), [], 7)
  tracker.sessionEnded({ by: 'us', cause: 'stop', detail: 'unbound' })
  expect(noted).toEqual([])
})

test('a peer that does not answer our unbind may not have read its answers', () => {
  const { noted, tracker } = openTracker()
  tracker.stored({ unsentOctets: 1 }, true, messageOf(Buffer.from('a')), [], 5)
  tracker.sessionEnded({ by: 'us', cause: 'stop', detail: unansweredUnbind })
  expect(noted).toMatchObject([{ recordId: 5 }])
})
