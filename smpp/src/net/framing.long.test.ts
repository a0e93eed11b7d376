// Cutting the stream of octets into PDUs.
import { expect, test } from 'vitest'
import { message, openSmscFixture } from '../testing/smsc-fixture.ts'
import { encodeAlone } from '../pdu/encode.ts'

const fixture = openSmscFixture()

test('a submit_sm split at every offset is answered each time', async () => {
  await fixture.start()
  const peer = await fixture.bound()
  const bytes = encodeAlone('submit_sm', 0, 5, message)
  for (let cut = 1; cut < bytes.length; cut++) {
    peer.write(bytes.subarray(0, cut))
    await new Promise((settle) => setTimeout(settle, 1))
    peer.write(bytes.subarray(cut))
    expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status: 0, sequence: 5 })
  }
})
